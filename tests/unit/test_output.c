/*
  What writers stand on (decimals, SHA-256, JSON, files that fail) and the tables they write.
*/
#include "core/decimal.h"
#include "core/json.h"
#include "core/sha256.h"
#include "fake_run.h"
#include "output/file.h"
#include <petscsys.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *decimal(double x)
{
  static char text[NS_DECIMAL_SIZE + 1];

  text[NsDecimal(x, text)] = 0;
  return text;
}

static void test_decimal(void **state)
{
  static const struct {
    double      x;
    const char *text;
  } cases[]       = {{0, "0"}, {-0.0, "-0"}, {1, "1"}, {-12, "-12"}, {0.1, "0.1"}, {-0.3, "-0.3"}, {1.5, "1.5"}, {1e-4, "0.0001"}, {1e-5, "1e-05"},
          {-1.5e-7, "-1.5e-07"}, {2.0 / 3, "0.6666666666666666"}, {1e16, "10000000000000000"}, {1e17, "1e+17"}, {123456.789, "123456.789"},
          {9007199254740993.0, "9007199254740992"}, {5e-324, "5e-324"}, {2.2250738585072014e-308, "2.2250738585072014e-308"},
          {-1.7976931348623157e308, "-1.7976931348623157e+308"}, {1e23, "1e+23"}, {1e22, "1e+22"}, {9.5367431640625e-07, "9.5367431640625e-07"},
          {INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}, {-NAN, "nan"}};
  uint64_t random = 88172645463325252u;

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) assert_string_equal(decimal(cases[i].x), cases[i].text);
  /* All powers of two with their neighbours (uneven intervals), and any bits: read back the same, and never longer than 17 digits. */
  for (int i = -1074; i < 1024; i++)
    for (int k = -1; k <= 1; k++) {
      const double x = k ? nextafter(ldexp(1, i), k * HUGE_VAL) : ldexp(1, i);
      assert_true(strtod(decimal(x), NULL) == x);
    }
  for (int i = 0; i < 200000; i++) {
    double x, y;

    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    memcpy(&x, &random, 8);
    if (!isfinite(x)) continue;
    y = strtod(decimal(x), NULL);
    assert_memory_equal(&x, &y, 8);
    assert_true(strlen(decimal(x)) <= 24);
    /* Short numbers come out as they were written. */
    char short_text[32];
    snprintf(short_text, sizeof(short_text), "%.6g", (double)(random % 1000000) / 1000);
    assert_string_equal(decimal(strtod(short_text, NULL)), short_text);
  }
}

/* The digits of printf with that many. */
static void digits_of_printf(double x, int count, char *digits)
{
  char text[64];
  int  n = 0;

  snprintf(text, sizeof(text), "%.*e", count - 1, fabs(x));
  for (const char *p = text; *p != 'e'; p++)
    if (*p != '.') digits[n++] = *p;
  digits[n] = 0;
}

/*
  Against printf: no fewer digits would read back the same, and those there are are printf's, the nearest to the number. Bits at random, denormal numbers, and
  numbers of everyday size. (Powers of two are left out: the nearest number of that many digits may not read back.)
*/
static void test_decimal_is_shortest(void **state)
{
  enum { NUMBERS = 1000000 };
  uint64_t random = 362436069123456789u;

  (void)state;
  for (int i = 0; i < NUMBERS; i++) {
    char   digits[32], expected[32];
    double x;
    int    count = 0;

    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    uint64_t bits = random;
    if (i % 4 == 1) bits &= ((uint64_t)1 << 52) - 1;                                  /* denormal */
    if (i % 4 == 2) bits = (bits & ~((uint64_t)0x7c0 << 52)) | (uint64_t)0x3c0 << 52; /* from 2^-63 to 2 */
    memcpy(&x, &bits, 8);
    if (!isfinite(x) || x == 0 || (bits << 12) == 0) continue;
    const char *text = decimal(x);
    for (const char *p = text; *p && *p != 'e'; p++)
      if (*p >= '0' && *p <= '9' && (count || *p != '0')) digits[count++] = *p;
    while (count > 1 && digits[count - 1] == '0') count--;
    digits[count] = 0;
    digits_of_printf(x, count, expected);
    assert_string_equal(digits, expected);
    snprintf(expected, sizeof(expected), "%.*e", count - 2, x);
    if (count > 1 && strtod(expected, NULL) == x) fail_msg("%s: %s is shorter", text, expected);
  }
}

static void test_sha256(void **state)
{
  /* FIPS 180-4 examples and NIST's long message */
  static const char *const cases[][2] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
  char                     hash[NS_SHA256_TEXT], again[NS_SHA256_TEXT], block[1000];
  NsSha256                 sha;
  FakeRun                  fake;
  FILE                    *file;

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    NsSha256Begin(&sha);
    NsSha256Add(&sha, cases[i][0], strlen(cases[i][0]));
    NsSha256End(&sha, hash);
    assert_string_equal(hash, cases[i][1]);
  }
  memset(block, 'a', sizeof(block));
  NsSha256Begin(&sha);
  for (int i = 0; i < 1000; i++) NsSha256Add(&sha, block, sizeof(block));
  NsSha256End(&sha, hash);
  assert_string_equal(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  /* Every length of the last block, in pieces of every size. */
  for (size_t n = 0; n < 130; n++) {
    NsSha256Begin(&sha);
    NsSha256Add(&sha, block, n);
    NsSha256End(&sha, hash);
    NsSha256Begin(&sha);
    for (size_t i = 0; i < n; i += n % 7 + 1) NsSha256Add(&sha, block, PetscMin(n % 7 + 1, n - i));
    NsSha256End(&sha, again);
    assert_string_equal(hash, again);
  }

  fake_create(&fake);
  file = fopen(NsSinkPath(&fake.run.sink, "abc"), "w");
  fputs("abc", file);
  fclose(file);
  assert_int_equal(NsSha256File(NsSinkPath(&fake.run.sink, "abc"), hash), 0);
  assert_string_equal(hash, cases[1][1]);
  assert_int_not_equal(NsSha256File(NsSinkPath(&fake.run.sink, "none"), hash), 0);
  assert_int_not_equal(NsSha256File(fake.directory, hash), 0);
  fake_destroy(&fake);
}

static void test_json(void **state)
{
  static const char expected[] =
    "{\n  \"text\": \"a \\\"b\\\" \\\\ \\n \\t \\u0001 \\u007f / \xc3\xa9 \xf0\x9f\x98\x80\",\n  \"bad\": \"x\xef\xbf\xbdy\xef\xbf\xbd\",\n"
    "  \"none\": null,\n  \"list\": [\n    0.1,\n    null,\n    null,\n    -3,\n    true,\n    false,\n    []\n  ],\n  \"empty\": {}\n}\n";
  NsJson json;

  (void)state;
  NsJsonBegin(&json, 4); /* must grow */
  for (int round = 0; round < 2; round++) {
    NsJsonClear(&json);
    NsJsonOpen(&json, NULL, '{');
    NsJsonString(&json, "text", "a \"b\" \\ \n \t \x01 \x7f / \xc3\xa9 \xf0\x9f\x98\x80");
    NsJsonString(&json, "bad", "x\xffy\xc3");
    NsJsonString(&json, "none", NULL);
    NsJsonOpen(&json, "list", '[');
    NsJsonNumber(&json, NULL, 0.1);
    NsJsonNumber(&json, NULL, NAN);
    NsJsonNumber(&json, NULL, -INFINITY);
    NsJsonInteger(&json, NULL, -3);
    NsJsonBoolean(&json, NULL, true);
    NsJsonBoolean(&json, NULL, false);
    NsJsonOpen(&json, NULL, '[');
    NsJsonClose(&json);
    NsJsonClose(&json);
    NsJsonOpen(&json, "empty", '{');
    NsJsonClose(&json);
    NsJsonClose(&json);
    assert_int_equal(json.used, sizeof(expected) - 1);
    assert_memory_equal(json.text, expected, sizeof(expected) - 1);
  }
  NsJsonEnd(&json);
}

static void expect_file(FakeRun *fake, const char *name, const char *expected)
{
  char *text = fake_read(fake->directory, name, NULL);

  assert_string_equal(text, expected);
  free(text);
}

/* One bounce on the wall, and a rub that sticks, slips and lets go. */
static void contact_story(FakeRun *fake, PetscInt64 step)
{
  NsContactReport *wall = &fake->report[0], *rub = &fake->report[1];

  memset(fake->report, 0, sizeof(fake->report));
  wall->gap      = 0.5 - 0.125 * (double)step;
  wall->gap_rate = -1;
  if (step == 4)
    *wall = (NsContactReport){.gap_rate = 0.5,
      .impulse                          = {3},
      .velocity_before                  = {-1},
      .velocity_after                   = {0.5},
      .energy_lost                      = 0.75,
      .impact                           = PETSC_TRUE,
      .state                            = NS_CLOSED};
  if (step > 4) *wall = (NsContactReport){.gap = 0.0625 * (double)(step - 4), .gap_rate = 0.5};
  rub->gap = 1;
  if (step >= 2 && step < 6) {
    *rub = (NsContactReport){.force = {8, 0.5, -0.25}, .impulse = {0, 0.125, 1}, .state = step < 4 ? NS_STICK : NS_SLIP, .velocity_after = {0, 3, 4}};
    if (step == 5) { /* a percussion of a scheme without forces: no impact */
      rub->impulse[0]         = 1;
      rub->velocity_before[0] = -1e-17;
    }
  }
  fake->run.ledger.now.kinetic = 1 / (1 + (double)step);
  fake->run.ledger.numerical   = 1e-17 * (double)step;
}

static void test_tables(void **state)
{
  FakeRun fake;

  (void)state;
  fake_create(&fake);
  fake.frames.every         = 0;
  fake.contacts.every       = 3;
  fake.energy.every         = 100;
  fake.history.every        = 4;
  fake.history.probes.count = 1;
  fake_open(&fake);
  for (PetscInt64 step = 0; step <= fake.run.steps; step++) {
    contact_story(&fake, step);
    fake_write(&fake, step);
  }
  fake_close(&fake);
  assert_string_equal(fake.run.sink.failure, "");

  /* Impulses are summed over the steps between rows: 3 N s of step 4 in the row of step 6. */
  expect_file(&fake, "contacts.csv",
    "time,wall.gap,wall.gap_rate,wall.force,wall.impulse,wall.state,rub.gap,rub.gap_rate,rub.force,rub.impulse,rub.state,"
    "rub.friction_force_1,rub.friction_impulse_1,rub.slip_velocity_1,rub.friction_force_2,rub.friction_impulse_2,rub.slip_velocity_2\n"
    "0,0.5,-1,0,0,open,1,0,0,0,open,0,0,0,0,0,0\n"
    "0.375,0.125,-1,0,0,open,0,0,8,0,stick,0.5,0.25,3,-0.25,2,4\n"
    "0.75,0.125,0.5,0,3,open,1,0,0,1,open,0,0.25,0,0,2,0\n"
    "1,0.25,0.5,0,0,open,1,0,0,0,open,0,0,0,0,0,0\n");
  expect_file(&fake, "events.csv",
    "time,contact,event,velocity_before,velocity_after,impulse,energy_lost,tangential_velocity_before,tangential_velocity_after,tangential_impulse\n"
    "0.25,rub,closing,0,0,0,0,0,5,0\n"
    "0.25,rub,stick,0,0,0,0,0,5,0\n"
    "0.5,wall,impact,-1,0.5,3,0.75,,,\n"
    "0.5,rub,slip,0,0,0,0,5,5,0\n"
    "0.625,wall,opening,0.5,0.5,0,0,,,\n"
    "0.75,rub,opening,0,0,0,0,5,0,0\n");
  expect_file(&fake, "energy.csv",
    "time,kinetic,elastic,potential,damping,impact,friction,load,numerical\n0,1,0,0,0,0,0,0,0\n1,0.1111111111111111,0,0,0,0,0,0,8e-17\n");
  /* cos and sin in the last digit are the C library's affair, so read the numbers back. */
  char *text = fake_read(fake.directory, "history.csv", NULL), *p = text + strlen("time,bar.left.ux,bar.left.vx\n");
  assert_int_equal(strncmp(text, "time,bar.left.ux,bar.left.vx\n", (size_t)(p - text)), 0);
  for (int step = 0; step <= 8; step += 4) {
    assert_true(strtod(p, &p) == 0.125 * step);
    assert_true(strtod(p + 1, &p) == 1e-3 * sin(0.7 * step));
    assert_true(strtod(p + 1, &p) == 0.3 * cos(0.7 * step));
    assert_int_equal(*p++, '\n');
  }
  assert_int_equal(*p, 0);
  free(text);
  fake_destroy(&fake);
}

/* `every: 0` and things that are not there make no file. */
static void test_unwanted(void **state)
{
  static const char *const absent[] = {
    "frames", "history.csv", "contacts.csv", "events.csv", "energy.csv", "fake bar.vtk.series", "orbits.csv", "poincare.csv", "view.py"};
  FakeRun fake;

  (void)state;
  for (int way = 0; way < 2; way++) {
    fake_create(&fake);
    if (way == 0) {
      fake.frames.every = fake.history.every = fake.contacts.every = fake.energy.every = 0;
      fake.output.events                                                               = false;
    } else {
      fake.model.candidates = fake.model.scene.points = 0;
      fake.history.probes.count                       = 0;
      fake.energy.every                               = 0;
    }
    fake_open(&fake);
    fake_write(&fake, 0);
    fake_close(&fake);
    for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) assert_int_not_equal(access(NsSinkPath(&fake.run.sink, "%s", absent[i]), F_OK), 0);
    assert_int_equal(access(NsSinkPath(&fake.run.sink, "run.json"), F_OK), 0);
    fake_destroy(&fake);
  }
}

/* The station of fake_run.h goes round backward at 3 rad/s while the shaft spins at 5. Means are over the last quarter, t = 0.75 .. 1. */
static void test_orbits(void **state)
{
  static NsStationSettings stations[] = {{.at = "shaft.left"}, {.at = "shaft.left", .relative_to = "housing.center"}};
  static const char       *names[]    = {"journal", "relative", NULL};
  FakeRun                  fake;
  char                    *text, *p;

  (void)state;
  for (int way = 0; way < 2; way++) { /* the same with prescribed and with free spin */
    fake_create(&fake);
    fake.frames.every       = 0;
    fake.orbits.every       = 3;
    fake.run.steps          = 9; /* one more than are made: the eighth is the last by surprise */
    fake.orbits.stations    = (NsList){.count = 2, .names = names, .items = stations};
    fake.spins              = PETSC_TRUE;
    fake.model.view.station = fake_station;
    fake.model.view.spin    = way ? NULL : fake_spin;
    fake_open(&fake);
    for (PetscInt64 step = 0; step <= 8; step++) fake_write(&fake, step);
    fake_write_again(&fake, 8);
    fake_close(&fake);
    assert_string_equal(fake.run.sink.failure, "");
    text = fake_read(fake.directory, "run.json", NULL);
    for (int i = 0; i < 2; i++) {
      static const char *const keys[]   = {"\"largest_radius\": ", "\"whirl_rate\": ", "\"spin_rate\": "};
      const double             values[] = {i ? 0.5 : 1, -3, 5};

      p = strstr(text, names[i]);
      assert_non_null(p);
      for (int k = 0; k < 3; k++) assert_true(fabs(strtod(strstr(p, keys[k]) + strlen(keys[k]), NULL) - values[k]) < 1e-13);
    }
    assert_non_null(strstr(text, "\"whirl\": null")); /* less than half a turn */
    free(text);

    text = fake_read(fake.directory, "orbits.csv", NULL);
    p    = strchr(text, '\n') + 1;
    assert_int_equal(strncmp(text,
                       "time,journal.u2,journal.u3,journal.radius,journal.whirl_rate,journal.angle,journal.spin_rate,"
                       "relative.u2,relative.u3,relative.radius,relative.whirl_rate,relative.angle,relative.spin_rate\n",
                       (size_t)(p - text)),
      0);
    for (int step = 0; step <= 8; step = step == 6 ? 8 : step + 3) {
      const double t = 0.125 * step;

      assert_true(strtod(p, &p) == t);
      for (int i = 0; i < 2; i++) {
        const double r = i ? 0.5 : 1, expected[6] = {r * cos(3 * t), -r * sin(3 * t), r, -3, 5 * t, 5};

        for (int c = 0; c < 6; c++) assert_true(fabs(strtod(p + 1, &p) - expected[c]) < 1e-14);
      }
      assert_int_equal(*p++, '\n');
    }
    assert_int_equal(*p, 0);
    free(text);
    fake_destroy(&fake);
  }
}

/* Turns: 2 pi is passed between two states, forward and backward; the states are joined by straight lines. */
static void test_poincare(void **state)
{
  static NsStationSettings station = {.at = "shaft.left"};
  static const char       *names[] = {"disc", NULL};
  static const double      rates[] = {5, -5, 2 * PETSC_PI, 4};

  (void)state;
  for (int way = 0; way < 4; way++) {
    const double rate = rates[way];
    FakeRun      fake;
    char        *text, *p;
    int          turns = 0;

    fake_create(&fake);
    fake.frames.every       = 0;
    fake.orbits.every       = 100;
    fake.orbits.stations    = (NsList){.count = 1, .names = names, .items = &station};
    fake.spins              = PETSC_TRUE;
    fake.spin_rate          = rate;
    fake.model.view.station = fake_station;
    fake.model.view.spin    = fake_spin;
    fake.run.steps          = 40;
    fake_open(&fake);
    for (PetscInt64 step = 0; step <= fake.run.steps; step++) fake_write(&fake, step);
    fake_close(&fake);
    text = fake_read(fake.directory, "poincare.csv", NULL);
    p    = text + strlen("time,station,turn,u2,u3,v2,v3\n");
    assert_int_equal(strncmp(text, "time,station,turn,u2,u3,v2,v3\n", (size_t)(p - text)), 0);
    for (; *p; turns++) {
      const double turn = rate > 0 ? turns + 1 : -turns - 1, t = 2 * PETSC_PI * turn / rate;
      const double before = 0.125 * floor(t / 0.125 + (way == 2 ? -1e-9 : 0)), f = (t - before) / 0.125;

      assert_true(fabs(strtod(p, &p) - t) < 1e-12);
      assert_int_equal(strncmp(p, ",disc,", 6), 0);
      assert_true(strtod(p + 6, &p) == turn);
      for (int c = 0; c < 4; c++) {
        double value[2];

        for (int k = 0; k < 2; k++) {
          const double a = 3 * (before + 0.125 * k), of[4] = {cos(a), -sin(a), -3 * sin(a), -3 * cos(a)};
          value[k] = of[c];
        }
        assert_true(fabs(strtod(p + 1, &p) - (value[0] + f * (value[1] - value[0]))) < 1e-12);
      }
      assert_int_equal(*p++, '\n');
    }
    assert_int_equal(turns, (int)floor(fabs(rate) * 5 / (2 * PETSC_PI) + 1e-9));
    free(text);
    fake_destroy(&fake);
  }
}

/* What run.json says of an orbit; a run that ends before its last quarter has no means. */
static void test_orbit_summary(void **state)
{
  static NsStationSettings station = {.at = "shaft.left"};
  static const char       *names[] = {"disc", NULL};

  (void)state;
  for (int way = 0; way < 3; way++) {
    FakeRun fake;
    char   *text;

    fake_create(&fake);
    fake.frames.every       = 0;
    fake.orbits.stations    = (NsList){.count = 1, .names = names, .items = &station};
    fake.spins              = PETSC_TRUE;
    fake.spin_rate          = way == 1 ? -6 : 6;
    fake.model.view.station = fake_station;
    fake.model.view.spin    = fake_spin;
    fake.time.end           = way == 2 ? 100 : 5;
    fake.run.steps          = 40;
    fake_open(&fake);
    for (PetscInt64 step = 0; step <= fake.run.steps; step++) fake_write(&fake, step);
    fake_close(&fake);
    text = fake_read(fake.directory, "run.json", NULL);
    assert_non_null(strstr(text, "\"orbits\": {\n      \"disc\": {\n        \"largest_radius\": 1"));
    if (way == 2) {
      assert_non_null(strstr(text, "\"whirl_rate\": null,\n        \"spin_rate\": null,\n        \"whirl_ratio\": null,\n        \"whirl\": null"));
    } else {
      assert_non_null(strstr(text, way ? "\"whirl\": \"forward\"" : "\"whirl\": \"backward\""));
      const char *ratio = strstr(text, "\"whirl_ratio\": ");
      assert_non_null(ratio);
      assert_true(fabs(strtod(ratio + strlen("\"whirl_ratio\": "), NULL) - (way ? 0.5 : -0.5)) < 1e-12);
    }
    free(text);
    fake_destroy(&fake);
  }
}

static void test_manifest(void **state)
{
  static const char *const expected[] = {"\"exit_status\": \"failed\"", "\"failure\": \"the \\\"wall\\\" gave way\"", "\"version\": \"",
    "\"commit\": \"", "\"petsc\": \"", "\"slepc\": \"", "\"libyaml\": \"", "\"mpi\": \"", "\"path\": \"configs/a.yaml\"",
    "\"sha256\": \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"", "\"time.end=1 s\"", "\"ranks\": 1", "\"unknowns\": 4",
    "\"contacts\": 2", "\"step\": 0.125", "\"planned_steps\": 8", "\"step_limit\": null", "\"max_penetration\": 0.25", "\"seconds_per_step\": 0.5",
    "\"history.csv\"", "\"fake bar.vtk.series\"", "\"iterations\": 7", "\"started\": \"20"};
  static const char *const set[]      = {"time.end=1 s"};
  FakeRun                  fake;
  char                    *text, command[256];
  FILE                    *file;

  (void)state;
  fake_create(&fake);
  file = fopen(NsSinkPath(&fake.run.sink, "mesh.msh"), "w");
  fputs("abc", file);
  fclose(file);
  NsFileListAdd(&fake.run.inputs, NsSinkPath(&fake.run.sink, "mesh.msh"), fake.run.arena);
  fake.run.options.config_path = "configs/a.yaml";
  fake.run.options.sets        = 1;
  fake.run.options.set         = set;
  fake_open(&fake);
  text = fake_read(fake.directory, "run.json", NULL);
  assert_non_null(strstr(text, "\"exit_status\": \"running\""));
  assert_null(strstr(text, "\"summary\""));
  free(text);

  fake_write(&fake, 0);
  fake.run.figures.steps           = 2;
  fake.run.figures.loop_seconds    = 1;
  fake.run.figures.max_penetration = 0.25;
  fake.run.stability.step_limit    = PETSC_MAX_REAL;
  fake.chain.statistics.iterations = 7;
  NsSinkFail(&fake.run.sink, "the \"wall\" gave way");
  fake_close(&fake);
  text = fake_read(fake.directory, "run.json", NULL);
  for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
    if (!strstr(text, expected[i])) fail_msg("no %s in %s", expected[i], text);
  free(text);
  snprintf(command, sizeof(command), "cd %s && for f in *.json *.series; do python3 -m json.tool \"$f\" > /dev/null || exit 1; done", fake.directory);
  assert_int_equal(system(command), 0);
  assert_int_not_equal(access(NsSinkPath(&fake.run.sink, "run.json.part"), F_OK), 0);
  fake_destroy(&fake);
}

/* The config as run is written beside the results, and its hash is that of the text. */
static void test_config(void **state)
{
  static const char config[] = "title: a bar\nbodies: {bar: {type: bar}}\n";
  FakeRun           fake;
  char             *text, hash[NS_SHA256_TEXT];
  NsSha256          sha;

  (void)state;
  fake_create(&fake);
  fake.run.diag = NsDiagCreate(fake.run.arena);
  fake.run.tree = NsTreeReadText("a.yaml", config, strlen(config), fake.run.arena, fake.run.diag);
  assert_non_null(fake.run.tree);
  fake_open(&fake);
  fake_close(&fake);
  text = fake_read(fake.directory, "config.yaml", NULL);
  assert_non_null(strstr(text, "title: a bar\n"));
  free(text);
  NsSha256Begin(&sha);
  NsSha256Add(&sha, config, strlen(config));
  NsSha256End(&sha, hash);
  text = fake_read(fake.directory, "run.json", NULL);
  assert_non_null(strstr(text, hash));
  free(text);
  fake_destroy(&fake);
}

static void test_status(void **state)
{
  FakeRun fake;
  char   *text;
  int     taken = 0;

  (void)state;
  fake_create(&fake);
  fake_set_every(&fake, 0);
  fake.output.events = false;
  fake.run.steps     = 1 << 20;
  fake.run.step      = 1. / (1 << 20);
  fake_open(&fake);
  assert_int_equal(fake.run.writers, 1); /* progress */
  fake_write(&fake, 0);
  text = fake_read(fake.directory, "status.json", NULL);
  assert_non_null(strstr(text, "\"status\": \"running\""));
  free(text);
  /* A million steps in no time: the clock is asked rarely, and the energies more rarely still. */
  for (PetscInt64 step = 1; step < fake.run.steps; step++)
    if (fake.run.writer[0]->type->due(fake.run.writer[0], step)) taken++;
  assert_true(taken < 1000);
  fake_write(&fake, fake.run.steps);
  fake_close(&fake);
  text = fake_read(fake.directory, "status.json", NULL);
  assert_non_null(strstr(text, "\"status\": \"done\""));
  assert_non_null(strstr(text, "\"per_cent\": 100,"));
  assert_non_null(strstr(text, "\"step\": 1048576,"));
  free(text);
  fake_destroy(&fake);
}

/* Only percuss's own names are written, and no link is followed. */
static void test_file_fails(void **state)
{
  static const char  row[]   = "0123456789\n";
  static const char *why[]   = {"its name is taken by a file that percuss did not write", "its name is taken by a file that percuss did not write",
      "it is a symbolic link, which is not followed", "No such file or directory", "Invalid argument", "Invalid argument"};
  static const char *names[] = {"theirs.csv", "link.csv", "folder/a.csv", "none/a.csv", "../a.csv", "/dev/full"};

  (void)state;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    FakeRun fake;
    NsFile  file;

    fake_create(&fake);
    FILE *theirs = fopen(NsSinkPath(&fake.run.sink, "theirs.csv"), "w");
    fputs("mine", theirs);
    fclose(theirs);
    assert_int_equal(symlink("theirs.csv", NsSinkPath(&fake.run.sink, "link.csv")), 0);
    assert_int_equal(mkdir(NsSinkPath(&fake.run.sink, "real"), 0777), 0);
    assert_int_equal(symlink("real", NsSinkPath(&fake.run.sink, "folder")), 0);
    NsFileCreate(&file, &fake.run.sink, 1024);
    NsFileOpen(&file, names[i]);
    for (int k = 0; k < 1000; k++) NsFileText(&file, row); /* dropped, without a word */
    assert_false(NsFileClose(&file, PETSC_TRUE));
    NsFileDiscard(&file);
    assert_string_equal(fake.run.sink.failure, NsArenaPrint(fake.run.arena, "cannot write %s/%s: %s", fake.directory, names[i], why[i]));
    assert_int_equal(NsRunExit(&fake.run), NS_EXIT_FAILED);
    expect_file(&fake, "theirs.csv", "mine");
    assert_int_not_equal(access(NsSinkPath(&fake.run.sink, "real/a.csv"), F_OK), 0);
    assert_int_equal(unlink(NsSinkPath(&fake.run.sink, "link.csv")) | unlink(NsSinkPath(&fake.run.sink, "folder")), 0);
    fake_destroy(&fake);
  }
}

/* Rows longer than the buffer, and words that need quotes. */
static void test_file_text(void **state)
{
  FakeRun fake;
  NsFile  file;
  char   *text, word[4000];
  size_t  size;

  (void)state;
  fake_create(&fake);
  memset(word, 'x', sizeof(word) - 1);
  word[sizeof(word) - 1] = 0;
  NsFileCreate(&file, &fake.run.sink, 1);
  NsFileOpen(&file, "a.csv");
  NsFileWord(&file, word, ',');
  NsFileNumber(&file, 0.25, ',');
  NsFileWord(&file, "a,\"b\"", '\n');
  NsFileEndRow(&file);
  NsFilePrint(&file, "%d|", 7);
  for (int i = 0; i < 500; i++) NsFileNumber(&file, -1. / 3, ' ');
  assert_true(NsFileClose(&file, PETSC_TRUE));
  text = fake_read(fake.directory, "a.csv", &size);
  assert_int_equal(size, sizeof(word) - 1 + strlen(",0.25,\"a,\"\"b\"\"\"\n7|") + 500 * strlen("-0.3333333333333333 "));
  assert_int_equal(strncmp(text + sizeof(word) - 1, ",0.25,\"a,\"\"b\"\"\"\n7|-0.3333333333333333 -0.33", 40), 0);
  free(text);
  fake_destroy(&fake);
}

static void test_replace(void **state)
{
  FakeRun     fake;
  const char *path;

  (void)state;
  fake_create(&fake);
  path = NsSinkPath(&fake.run.sink, "a.json");
  assert_true(NsFileReplace(&fake.run.sink, "a.json", "one", 3, PETSC_TRUE));
  assert_true(NsFileReplace(&fake.run.sink, "a.json", "three", 5, PETSC_FALSE));
  expect_file(&fake, "a.json", "three");
  /* The name is percuss's own, and so are its .part and what is put in its place: links are replaced, not followed. */
  assert_true(NsFileReplace(&fake.run.sink, "b.json", "other", 5, PETSC_FALSE));
  assert_int_equal(symlink("b.json", NsSinkPath(&fake.run.sink, "a.json.part")), 0);
  assert_int_equal(unlink(path) | symlink("b.json", path), 0);
  assert_true(NsFileReplace(&fake.run.sink, "a.json", "four", 4, PETSC_TRUE));
  expect_file(&fake, "a.json", "four");
  expect_file(&fake, "b.json", "other");
  assert_int_not_equal(access(NsSinkPath(&fake.run.sink, "a.json.part"), F_OK), 0);
  assert_string_equal(fake.run.sink.failure, "");
  assert_int_equal(unlink(path) | mkdir(path, 0777), 0);
  assert_false(NsFileReplace(&fake.run.sink, "a.json", "x", 1, PETSC_FALSE));
  assert_string_equal(fake.run.sink.failure, NsArenaPrint(fake.run.arena, "cannot write %s: Is a directory", path));
  fake_destroy(&fake);
}

/* The name of each output in turn is taken: the run ends with it, and nothing crashes. */
static void test_each_output_fails(void **state)
{
  static const char *const outputs[] = {"history.csv", "contacts.csv", "events.csv", "energy.csv", "status.json.part", "run.json.part",
    "fake bar.vtk.series.part", "fake bar_contacts.vtk.series.part", "frames/contacts_000002.vtk.part", "frames", "view.py.part", "orbits.csv",
    "poincare.csv"};
  static NsStationSettings station   = {.at = "shaft.left"};
  static const char       *names[]   = {"disc", NULL};

  (void)state;
  for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
    FakeRun     fake;
    const char *path, *expected;

    fake_create(&fake);
    fake.orbits.stations    = (NsList){.count = 1, .names = names, .items = &station};
    fake.model.view.station = fake_station;
    path                    = NsSinkPath(&fake.run.sink, "%s", outputs[i]);
    if (!strncmp(outputs[i], "frames/", 7)) assert_int_equal(mkdir(NsSinkPath(&fake.run.sink, "frames"), 0777), 0);
    assert_int_equal(symlink("/dev/full", path), 0);
    fake_open(&fake);
    for (PetscInt64 step = 0; step <= fake.run.steps; step++) {
      contact_story(&fake, step);
      fake_write(&fake, step);
    }
    fake_close(&fake);
    expected = NsArenaPrint(fake.run.arena, "cannot %s %.*s", strcmp(outputs[i], "frames") ? "write" : "make the directory",
      (int)(strlen(path) - (strstr(path, ".part") ? 5 : 0)), path);
    if (strncmp(fake.run.sink.failure, expected, strlen(expected))) fail_msg("%s: '%s'", outputs[i], fake.run.sink.failure);
    assert_int_equal(NsRunExit(&fake.run), NS_EXIT_FAILED);
    fake_destroy(&fake);
  }
}

/* What a full disk leaves is whole rows. RLIMIT_FSIZE stops a write in its middle, as a full disk does. */
static void test_whole_rows(void **state)
{
  FakeRun       fake;
  struct rlimit before, limit;
  char         *text;
  size_t        size;

  (void)state;
  fake_create(&fake);
  fake.frames.every = fake.contacts.every = fake.energy.every = 0;
  fake.run.steps                                              = 20000;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit          = before;
  limit.rlim_cur = 100000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  fake_open(&fake);
  for (PetscInt64 step = 0; step <= fake.run.steps && !fake.run.sink.failure[0]; step++) fake_write(&fake, step);
  fake_close(&fake);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_string_equal(fake.run.sink.failure, NsArenaPrint(fake.run.arena, "cannot write %s/history.csv: File too large", fake.directory));
  text = fake_read(fake.directory, "history.csv", &size);
  assert_true(size > 50000 && size <= 100000);
  assert_int_equal(text[size - 1], '\n');
  free(text);
  text = fake_read(fake.directory, "run.json", NULL);
  assert_non_null(strstr(text, "history.csv: File too large"));
  free(text);
  fake_destroy(&fake);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_decimal),
    cmocka_unit_test(test_decimal_is_shortest),
    cmocka_unit_test(test_sha256),
    cmocka_unit_test(test_json),
    cmocka_unit_test(test_tables),
    cmocka_unit_test(test_unwanted),
    cmocka_unit_test(test_orbits),
    cmocka_unit_test(test_poincare),
    cmocka_unit_test(test_orbit_summary),
    cmocka_unit_test(test_manifest),
    cmocka_unit_test(test_config),
    cmocka_unit_test(test_status),
    cmocka_unit_test(test_file_fails),
    cmocka_unit_test(test_file_text),
    cmocka_unit_test(test_replace),
    cmocka_unit_test(test_each_output_fails),
    cmocka_unit_test(test_whole_rows),
  };
  return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
