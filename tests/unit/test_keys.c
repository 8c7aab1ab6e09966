#include "reader.h"
#include "percuss/keys.h"
#include "percuss/run.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A config in small, with every kind of key. */
typedef struct {
  const NsNode *where;
  double        density, young;
} Material;

typedef struct {
  const NsNode *where;
  const char   *file;
  double        from[3];
  long          elements;
} Mesh;

typedef struct {
  const NsNode *where;
  NsStrings     at;
  double        factor;
} Side;

typedef struct {
  const NsNode   *where;
  const Material *material;
  const Mesh     *mesh;
  int             mass;
  bool            fixed;
  double          speed;
} Bar;

typedef struct {
  const NsNode *where;
  double        radius;
} Ball;

typedef struct {
  const NsNode *where;
  NsList        between;
  double        restitution, friction;
} Contact;

typedef struct {
  const NsNode  *where;
  const char    *title;
  NsList         bodies, contacts;
  NsChosen       scheme;
  NsNumbers      times, table;
  NsStrings      probes;
  NsNamedNumbers points;
  const Ball    *ball, *spare;
} Config;

static int checks;

static void check_material(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Material *material = settings;

  (void)arena;
  ++checks;
  if (material->density > material->young) NsDiagError(diag, NsKeysPlace(material->where, "density"), "heavier than stiff");
}

static const char *const mass_choices[] = {"consistent", "lumped", NULL};

static const NsKey material_keys[] = {
  {"density", NS_KEY_NUMBER, offsetof(Material, density), .dimension = {-3, 1, 0, 0}, .required = true, .minimum = "0 <", .help = "mass per volume",
    .example = "7800 kg/m^3"},
  {"young", NS_KEY_NUMBER, offsetof(Material, young), .dimension = {-1, 1, -2, 0}, .required = true, .minimum = "0 <",
    .help = "modulus of elasticity", .example = "210 GPa"},
  {.name = NULL},
};
static const NsTable material_table = {"material", "elastic material", material_keys, sizeof(Material), NULL, NULL, NULL, check_material};

static const NsKey mesh_keys[] = {
  {"file", NS_KEY_STRING, offsetof(Mesh, file), .help = "a mesh file", .example = "bar.msh"},
  {"from", NS_KEY_VECTOR, offsetof(Mesh, from), .dimension = {1, 0, 0, 0}, .help = "start of a line", .example = "[0, 0, 0]", .minimum = "-1"},
  {"elements", NS_KEY_INTEGER, offsetof(Mesh, elements), .default_value = "10", .minimum = "1", .maximum = "1000", .help = "number of elements"},
  {.name = NULL},
};
static const NsTable mesh_table = {"mesh", "nodes and elements", mesh_keys, sizeof(Mesh), "from, file", NULL, "file", NULL};

static const NsKey side_keys[] = {
  {"at", NS_KEY_STRINGS, offsetof(Side, at), .required = true, .most = 2, .help = "nodes", .example = "bar.left"},
  {"factor", NS_KEY_NUMBER, offsetof(Side, factor), .default_value = "1", .help = "weight"},
  {.name = NULL},
};
static const NsTable side_table = {"side", "one side of a contact", side_keys, sizeof(Side), NULL, NULL, "at", NULL};

static const NsKey bar_keys[] = {
  {"material", NS_KEY_TABLE, offsetof(Bar, material), .table = &material_table, .required = true, .help = "what it is made of",
    .example = "{density: 1, young: 2}"},
  {"mesh", NS_KEY_TABLE, offsetof(Bar, mesh), .table = &mesh_table, .help = "nodes and elements"},
  {"mass", NS_KEY_CHOICE, offsetof(Bar, mass), .choices = mass_choices, .default_value = "lumped", .help = "mass matrix"},
  {"fixed", NS_KEY_BOOLEAN, offsetof(Bar, fixed), .default_value = "true", .help = "held in space", .example = "false"},
  {"speed", NS_KEY_NUMBER, offsetof(Bar, speed), .dimension = {0, 0, -1, 1}, .default_value = "30 1/s", .maximum = "< 100", .help = "turns"},
  {.name = NULL},
};
static const NsTable bar_table = {.name = "bar", .help = "a bar", .keys = bar_keys, .size = sizeof(Bar)};

static const NsKey ball_keys[] = {
  {"radius", NS_KEY_NUMBER, offsetof(Ball, radius), .dimension = {1, 0, 0, 0}, .default_value = "2 cm", .minimum = "1e-3", .maximum = "< 5",
    .help = "its radius", .example = "10 mm"},
  {.name = NULL},
};
static const NsTable ball_table = {.name = "ball", .help = "a ball", .keys = ball_keys, .size = sizeof(Ball)};

static const NsVariant bar = {"bar", "elastic bar", "u(x, t)", &bar_table}, ball = {"ball", "rigid ball", "x(t)", &ball_table},
                       dot             = {"dot", "nothing at all", "", NULL};
static const NsVariant *const bodies[] = {&bar, &ball, &dot, NULL};

static const NsKey contact_keys[] = {
  {"between", NS_KEY_LIST, offsetof(Contact, between), .table = &side_table, .required = true, .least = 2, .most = 2, .help = "the two sides",
    .example = "[a, b]"},
  {"restitution", NS_KEY_NUMBER, offsetof(Contact, restitution), .default_value = "0", .minimum = "0", .maximum = "1",
    .help = "coefficient of restitution", .example = "0.5"},
  {"friction", NS_KEY_NUMBER, offsetof(Contact, friction), .minimum = "0", .help = "coefficient of friction"},
  {.name = NULL},
};
static const NsTable contact_table = {.name = "contact", .help = "a contact", .keys = contact_keys, .size = sizeof(Contact)};

static const NsKey config_keys[] = {
  {"title", NS_KEY_STRING, offsetof(Config, title), .help = "a line about it"},
  {"bodies", NS_KEY_NAMED_VARIANTS, offsetof(Config, bodies), .variants = bodies, .most = 2, .help = "what moves"},
  {"contacts", NS_KEY_NAMED, offsetof(Config, contacts), .table = &contact_table, .help = "what touches"},
  {"scheme", NS_KEY_VARIANT, offsetof(Config, scheme), .variants = bodies, .help = "how time goes on"},
  {"times", NS_KEY_NUMBERS, offsetof(Config, times), .columns = 1, .columns_dimension = {{0, 0, 1, 0}}, .least = 2, .maximum = "9", .help = "moments",
    .example = "[1 ms, 2 ms]"},
  {"table", NS_KEY_NUMBERS, offsetof(Config, table), .columns = 2, .columns_dimension = {{0, 0, 1, 0}, {1, 1, -2, 0}}, .help = "force over time",
    .example = "[[0, 0], [1 s, 2 N]]"},
  {"probes", NS_KEY_STRINGS, offsetof(Config, probes), .default_value = "[all, some]", .help = "where to look"},
  {"points", NS_KEY_NAMED_NUMBERS, offsetof(Config, points), .dimension = {1, 0, 0, 0}, .minimum = "0", .help = "named places"},
  {"ball", NS_KEY_TABLE, offsetof(Config, ball), .table = &ball_table, .default_value = "{}", .help = "one ball"},
  {"spare", NS_KEY_TABLE, offsetof(Config, spare), .table = &ball_table, .help = "another ball"},
  {.name = NULL},
};
static const NsTable config_table = {"config", "all of it", config_keys, sizeof(Config), NULL, "times, table", NULL, NULL};

static NsArena *arena;
static NsDiag  *diag;
static Config   config;

static int setup(void **state)
{
  (void)state;
  arena  = NsArenaCreate();
  diag   = NsDiagCreate(arena);
  checks = 0;
  memset(&config, 0x5a, sizeof(config));
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  NsArenaDestroy(&arena);
  return 0;
}

static bool read_text(const char *text)
{
  NsNode *root = NsTreeReadText("x", text, strlen(text), arena, diag);

  if (!root) fail_msg("%s", printed(diag, arena));
  return NsKeysRead(&config_table, root, &config, arena, diag);
}

static void good(const char *text)
{
  if (!read_text(text)) fail_msg("%s", printed(diag, arena));
  assert_string_equal(printed(diag, arena), "");
}

static void refuses(const char *text, const char *expected)
{
  if (read_text(text)) fail_msg("accepted: %s", text);
  assert_string_equal(printed(diag, arena), expected);
}

/* The one message without its line of source, and its notes. */
static void refuses_with(const char *text, const char *expected)
{
  const char *message, *notes, *p;
  char       *got;

  if (read_text(text)) fail_msg("accepted: %s", text);
  assert_int_equal(NsDiagErrors(diag), 1);
  message = printed(diag, arena);
  got     = NsArenaCopy(arena, message, strcspn(message, "\n"));
  for (p = message; (notes = strstr(p, "\n      = ")); p = notes + 1)
    got = NsArenaPrint(arena, "%s\n%.*s", got, (int)strcspn(notes + 7, "\n"), notes + 7);
  assert_string_equal(got, expected);
  diag = NsDiagCreate(arena);
}

static void fills_the_structs(void **state)
{
  const Bar     *a;
  const Contact *contacts;
  const Side    *sides;

  (void)state;
  good("title: a title\n"
       "bodies:\n"
       "  rod:\n"
       "    type: bar\n"
       "    material: {density: 7800, young: \"210 GPa\"}\n"
       "    mesh: {from: [1 mm, 2, -3e-3 m]}\n"
       "    mass: consistent\n"
       "    fixed: false\n"
       "  stone: {type: ball, radius: 10 mm}\n"
       "contacts:\n"
       "  wall: {between: [rod.left, {at: [p, q], factor: 2}], restitution: 0.5, friction: 1}\n"
       "  floor: {between: [[c, d], e]}\n"
       "scheme: {type: dot}\n"
       "times: [1 ms, 2]\n"
       "points: {here: 1 cm, there: 2}\n"
       "spare: {}\n");
  assert_string_equal(config.title, "a title");
  assert_non_null(config.where);
  assert_int_equal(config.bodies.count, 2);
  assert_string_equal(config.bodies.names[1], "stone");
  assert_string_equal(config.bodies.where[1]->key, "stone");
  assert_ptr_equal(((NsChosen *)config.bodies.items)[0].variant, &bar);
  a = ((NsChosen *)config.bodies.items)[0].settings;
  assert_ptr_equal(a->where, config.bodies.where[0]);
  assert_true(a->material->density == 7800 && a->material->young == 210e9);
  assert_int_equal(checks, 1);
  assert_null(a->mesh->file);
  assert_true(a->mesh->from[0] == 1e-3 && a->mesh->from[1] == 2 && a->mesh->from[2] == -3e-3);
  assert_int_equal(a->mesh->elements, 10);
  assert_int_equal(a->mass, 0);
  assert_false(a->fixed);
  assert_true(a->speed == 30);
  assert_true(((const Ball *)((NsChosen *)config.bodies.items)[1].settings)->radius == 10e-3);
  contacts = config.contacts.items;
  assert_int_equal(config.contacts.count, 2);
  assert_string_equal(config.contacts.names[0], "wall");
  assert_true(contacts[0].restitution == 0.5 && contacts[0].friction == 1);
  assert_true(contacts[1].restitution == 0 && contacts[1].friction == 0);
  assert_null(contacts[0].between.names);
  assert_int_equal(contacts[0].between.count, 2);
  sides = contacts[0].between.items;
  assert_int_equal(sides[0].at.count, 1);
  assert_string_equal(sides[0].at.items[0], "rod.left");
  assert_string_equal(NsTreePath(sides[0].where, arena), "contacts.wall.between.0");
  assert_string_equal(NsTreePath(sides[0].at.where[0], arena), "contacts.wall.between.0.at");
  assert_int_equal(sides[1].at.count, 2);
  assert_string_equal(sides[1].at.items[1], "q");
  assert_true(sides[0].factor == 1 && sides[1].factor == 2);
  sides = contacts[1].between.items;
  assert_int_equal(sides[0].at.count, 2);
  assert_string_equal(sides[0].at.items[1], "d");
  assert_ptr_equal(config.scheme.variant, &dot);
  assert_int_equal(config.times.rows, 2);
  assert_true(config.times.values[0] == 1e-3 && config.times.values[1] == 2);
  assert_int_equal(config.table.rows, 0);
  assert_int_equal(config.points.count, 2);
  assert_string_equal(config.points.names[1], "there");
  assert_true(config.points.values[0] == 0.01 && config.points.values[1] == 2);
  assert_int_equal(config.probes.count, 2);
  assert_string_equal(config.probes.items[1], "some");
  assert_non_null(config.probes.where[1]);
  assert_true(config.ball->radius == 0.02);
  assert_string_equal(NsTreePath(config.ball->where, arena), "ball");
  assert_true(config.spare->radius == 0.02);

  good("bodies: {rod: {type: bar, material: {density: 1, young: 1}, mesh: m.msh}}\ntable: [[0, 1 N], [1 ms, 2 kN]]\nprobes: one\n");
  a = ((NsChosen *)config.bodies.items)[0].settings;
  assert_string_equal(a->mesh->file, "m.msh");
  assert_string_equal(NsTreePath(a->mesh->where, arena), "bodies.rod.mesh");
  assert_true(a->fixed);
  assert_int_equal(a->mass, 1);
  assert_int_equal(config.table.rows, 2);
  assert_true(config.table.values[1] == 1 && config.table.values[2] == 1e-3 && config.table.values[3] == 2000);
  assert_int_equal(config.probes.count, 1);
  assert_string_equal(config.probes.items[0], "one");
  assert_null(config.spare);
  assert_null(config.title);
  assert_null(config.scheme.variant);

  assert_true(NsKeysRead(&config_table, NULL, &config, arena, diag));
  assert_true(config.ball->radius == 0.02);
  assert_null(NsKeysPlace(config.where, "title").source);
  assert_null(NsKeysPlace(NULL, "title").source);
}

static void unknown_and_missing_keys(void **state)
{
  (void)state;
  refuses("contacts:\n  wall:\n    between: [a, b]\n    restituton: 0.5\n",
    "x:4:5: error: unknown key 'restituton' in contacts.wall; did you mean 'restitution'?\n"
    "    4 |     restituton: 0.5\n"
    "      |     ^~~~~~~~~~\n"
    "      = valid keys: between, friction, restitution\n");
  refuses("bodies:\n  bar:\n    type: bar\n    material: {density: 1}\n", "x:4:5: error: missing key 'young' in bodies.bar.material\n"
                                                                          "    4 |     material: {density: 1}\n"
                                                                          "      |     ^~~~~~~~\n"
                                                                          "      = young: modulus of elasticity, for example 210 GPa\n");
  diag = NsDiagCreate(arena);
  refuses_with("bodis: {}\n",
    "x:1:1: error: unknown key 'bodis'; did you mean 'bodies'?\n= valid keys: ball, bodies, contacts, points, probes, scheme, spare, table, times, title");
  refuses_with("quite_different: {}\n",
    "x:1:1: error: unknown key 'quite_different'\n= valid keys: ball, bodies, contacts, points, probes, scheme, spare, table, times, title");
  refuses_with("contacts: {wall: {}}\n", "x:1:12: error: missing key 'between' in contacts.wall\n= between: the two sides, for example [a, b]");
  refuses_with(
    "contacts: {w: {between: [a, {factor: 1}]}}\n", "x:1:29: error: missing key 'at' in contacts.w.between.1\n= at: nodes, for example bar.left");
  refuses_with("scheme: {type: dot, step: 1}\n", "x:1:21: error: unknown key 'step' in scheme\n= valid keys: type");
}

static void values_that_are_missing(void **state)
{
  (void)state;
  refuses_with("bodies: {b: {type: bar, material: {density: 1, young: }}}\n",
    "x:1:48: error: young has no value\n= young: modulus of elasticity, for example 210 GPa");
  refuses_with("title: null\n", "x:1:1: error: title has no value\n= title: a line about it");
  refuses_with("title: ~\n", "x:1:1: error: title has no value\n= title: a line about it");
  refuses_with("scheme:\n", "x:1:1: error: scheme has no value\n= valid types: ball, bar, dot");
  refuses_with("contacts:\n", "x:1:1: error: contacts has no value\n= contacts: what touches");
  refuses_with("points:\n", "x:1:1: error: points has no value\n= points: named places");
  refuses_with("times:\n", "x:1:1: error: times has no value\n= times: moments, for example [1 ms, 2 ms]");
  refuses_with("spare:\n", "x:1:1: error: spare has no value\n= valid keys: radius\n= such as spare: {radius: 10 mm}");
  refuses_with("probes: [a, ~]\n", "x:1:13: error: item 2 of probes has no value\n= probes: where to look");
  refuses_with("scheme: {type: }\n", "x:1:10: error: type has no value\n= valid types: ball, bar, dot");
  good("title: \"\"\n");
  assert_string_equal(config.title, "");
  good("title: 'null'\n");
  assert_string_equal(config.title, "null");
}

static void wrong_kinds(void **state)
{
  (void)state;
  refuses_with(
    "contacts: {w: [1]}\n", "x:1:15: error: expected a mapping with keys between, friction, restitution, got a list\n= such as w: {between: [a, b]}");
  refuses_with("spare: 5\n", "x:1:8: error: expected a mapping with key radius, got '5'\n= such as spare: {radius: 10 mm}");
  refuses_with("contacts: [a]\n", "x:1:11: error: expected a mapping from names to mappings, got a list\n= contacts: what touches");
  refuses_with(
    "contacts: {w: {between: {a: 1}}}\n", "x:1:25: error: expected a list of mappings, got a mapping\n= between: the two sides, for example [a, b]");
  refuses_with("title: [a]\n", "x:1:8: error: expected text, got a list\n= title: a line about it");
  refuses_with("spare: {radius: [1]}\n", "x:1:17: error: expected a length, got a list\n= radius: its radius, for example 10 mm");
  refuses_with("spare: {radius: {a: 1}}\n", "x:1:17: error: expected a length, got a mapping\n= radius: its radius, for example 10 mm");
  refuses_with("scheme: dott\n", "x:1:9: error: expected a mapping with key type, got 'dott'\n= write {type: dot}\n= valid types: ball, bar, dot");
  refuses_with("scheme: {type: [dot]}\n", "x:1:16: error: expected a word, got a list\n= valid types: ball, bar, dot");
  refuses_with("points: [1]\n", "x:1:9: error: expected a mapping from names to numbers, got a list\n= points: named places");
  refuses_with("times: 5\n", "x:1:8: error: expected a list of numbers, got '5'\n= times: moments, for example [1 ms, 2 ms]");
  refuses_with("probes: {a: 1}\n", "x:1:9: error: expected a list of words, got a mapping\n= probes: where to look");
  refuses_with("probes: [[a]]\n", "x:1:10: error: expected a word, got a list\n= probes: where to look");
  refuses_with(
    "[1, 2]\n", "x:1:1: error: expected a mapping with keys ball, bodies, contacts, points, probes, scheme, spare, table, ..., got a list");
}

static void numbers_and_units(void **state)
{
  (void)state;
  refuses_with("spare: {radius: 5 kg}\n", "x:1:19: error: expected a length, got kg\n= radius: its radius, for example 10 mm");
  refuses("spare: {radius: \"5 kg\"}\n",
    "x:1:20: error: expected a length, got kg\n    1 | spare: {radius: \"5 kg\"}\n      |                    ^~\n      = radius: its radius, for example 10 mm\n");
  diag = NsDiagCreate(arena);
  refuses_with("spare:\n  radius: 5 \xc2\xb5km\n", "x:2:13: error: unknown unit '\xc2\xb5km'\n= radius: its radius, for example 10 mm");
  refuses_with("spare: {radius: \"5 \\x6bg\"}\n", "x:1:17: error: expected a length, got kg\n= radius: its radius, for example 10 mm");
  refuses_with(
    "times: [1 ms, 0.1s]\n", "x:1:15: error: not a number: '0.1s' (put a blank between number and unit)\n= times: moments, for example [1 ms, 2 ms]");
  refuses_with("spare: {radius: six}\n", "x:1:17: error: not a number: 'six'\n= radius: its radius, for example 10 mm");
  refuses_with("bodies: {b: {type: bar, material: {density: 1, young: 1}, mesh: {from: [1, 2 s, 3]}}}\n",
    "x:1:78: error: expected a length, got s\n= from: start of a line, for example [0, 0, 0]");
}

static void ranges(void **state)
{
  static const char mesh[] = "bodies: {b: {type: bar, material: {density: 1, young: 1}, mesh: {%s}}}\n";

  (void)state;
  refuses_with("contacts: {w: {between: [a, b], restitution: 1.5}}\n", "x:1:46: error: restitution must be between 0 and 1, got 1.5");
  refuses_with("contacts: {w: {between: [a, b], friction: -1}}\n", "x:1:43: error: friction must be at least 0, got -1");
  refuses_with("bodies: {b: {type: bar, material: {density: 1, young: 0 Pa}}}\n", "x:1:55: error: young must be greater than 0, got 0 Pa");
  refuses_with("spare: {radius: 0.5 mm}\n", "x:1:17: error: radius must be at least 1e-3 m and less than 5 m, got 0.5 mm");
  refuses_with("spare: {radius: 5}\n", "x:1:17: error: radius must be at least 1e-3 m and less than 5 m, got 5");
  refuses_with(
    "bodies: {b: {type: bar, material: {density: 1, young: 1}, speed: 100 1/s}}\n", "x:1:66: error: speed must be less than 100 rad/s, got 100 1/s");
  refuses_with("times: [1, 10]\n", "x:1:12: error: each number of times must be at most 9 s, got 10");
  refuses_with("points: {a: -1}\n", "x:1:13: error: a must be at least 0, got -1");
  refuses_with(NsArenaPrint(arena, mesh, "file: x, elements: 0"), "x:1:85: error: elements must be between 1 and 1000, got 0");
  refuses_with(NsArenaPrint(arena, mesh, "from: [0, -2, 0]"), "x:1:76: error: each number of from must be at least -1 m, got -2");
  good("contacts: {w: {between: [a, b], restitution: 1, friction: 0}}\n");
  good("spare: {radius: 1 mm}\n");
}

static void integers_choices_booleans(void **state)
{
  static const char mesh[] = "bodies: {b: {type: bar, material: {density: 1, young: 1}, mesh: {file: x, elements: %s}}}\n";
  static const char body[] = "bodies: {b: {type: bar, material: {density: 1, young: 1}, %s}}\n";

  (void)state;
  refuses_with(NsArenaPrint(arena, mesh, "1.5"), "x:1:85: error: expected a whole number, got '1.5'\n= elements: number of elements");
  refuses_with(
    NsArenaPrint(arena, mesh, "1e2"), "x:1:85: error: expected a whole number, got '1e2' (write out all its digits)\n= elements: number of elements");
  refuses_with(NsArenaPrint(arena, mesh, "5 m"), "x:1:85: error: expected a whole number, got '5 m'\n= elements: number of elements");
  refuses_with(NsArenaPrint(arena, mesh, "-"), "x:1:85: error: expected a whole number, got '-'\n= elements: number of elements");
  refuses_with(NsArenaPrint(arena, mesh, "99999999999999999999"), "x:1:85: error: out of range: '99999999999999999999'");
  refuses_with(NsArenaPrint(arena, mesh, "9223372036854775807"), "x:1:85: error: elements must be between 1 and 1000, got 9223372036854775807");
  good(NsArenaPrint(arena, mesh, "+50"));
  refuses_with(NsArenaPrint(arena, body, "mass: consistnt"),
    "x:1:65: error: unknown mass 'consistnt'; did you mean 'consistent'?\n= valid values: consistent, lumped");
  refuses_with(NsArenaPrint(arena, body, "mass: x"), "x:1:65: error: unknown mass 'x'\n= valid values: consistent, lumped");
  refuses_with(NsArenaPrint(arena, body, "fixed: yes"), "x:1:66: error: expected true or false, got 'yes' (write true)");
  refuses_with(NsArenaPrint(arena, body, "fixed: Off"), "x:1:66: error: expected true or false, got 'Off' (write false)");
  refuses_with(NsArenaPrint(arena, body, "fixed: 7"), "x:1:66: error: expected true or false, got '7'\n= fixed: held in space, for example false");
}

static void variants(void **state)
{
  (void)state;
  refuses_with("scheme: {radius: 1}\n", "x:1:1: error: missing key 'type' in scheme\n= valid types: ball, bar, dot");
  refuses_with("scheme: {type: bal}\n", "x:1:16: error: unknown type 'bal' in scheme; did you mean 'ball'?\n= valid types: ball, bar, dot");
  refuses_with("bodies:\n  b: {type: unheard}\n", "x:2:13: error: unknown type 'unheard' in bodies.b\n= valid types: ball, bar, dot");
  refuses_with("bodies:\n  b:\n    type: ball\n    radiu: 1\n",
    "x:4:5: error: unknown key 'radiu' in bodies.b; did you mean 'radius'?\n= valid keys: radius, type");
  refuses_with("bodies:\n  a b: {type: dot}\n", "x:2:3: error: 'a b' cannot be a name\n= names consist of letters, digits, '_' and '-'");
  refuses_with("contacts:\n  a.b: {between: [c, d]}\n", "x:2:3: error: 'a.b' cannot be a name\n= names consist of letters, digits, '_' and '-'");
  refuses_with("points:\n  a@1: 2\n", "x:2:3: error: 'a@1' cannot be a name\n= names consist of letters, digits, '_' and '-'");
}

static void groups_and_counts(void **state)
{
  static const char body[] = "bodies: {b: {type: bar, material: {density: 1, young: 1}, mesh: %s}}\n";

  (void)state;
  refuses_with(NsArenaPrint(arena, body, "{elements: 3}"), "x:1:59: error: mesh needs exactly one of: from, file");
  refuses_with(NsArenaPrint(arena, body, "{file: a, from: [0, 0, 0]}"), "x:1:75: error: mesh needs exactly one of: from, file; got from and file");
  refuses_with("table: [[1, 2]]\ntimes: [1, 2]\n", "x:2:1: error: the config takes at most one of: times, table; got times and table");
  refuses_with(
    "contacts: {w: {between: [a, b, c]}}\n", "x:1:25: error: between needs exactly 2 items, got 3\n= between: the two sides, for example [a, b]");
  refuses_with("contacts: {w: {between: [[a, b, c], d]}}\n", "x:1:26: error: at needs at most 2 items, got 3\n= at: nodes, for example bar.left");
  refuses_with("times: []\n", "x:1:8: error: times needs at least 2 numbers, got 0\n= times: moments, for example [1 ms, 2 ms]");
  refuses_with(
    "bodies: {a: {type: dot}, b: {type: dot}, c: {type: dot}}\n", "x:1:9: error: bodies needs at most 2 entries, got 3\n= bodies: what moves");
  refuses_with(NsArenaPrint(arena, body, "{from: [0, 0]}"),
    "x:1:72: error: from needs exactly 3 numbers, got 2\n= from: start of a line, for example [0, 0, 0]");
  refuses_with("table: [[1, 2, 3]]\n",
    "x:1:9: error: each row of table needs exactly 2 numbers, got 3\n= table: force over time, for example [[0, 0], [1 s, 2 N]]");
  refuses_with("table: [1]\n", "x:1:9: error: expected a row of 2 numbers, got '1'\n= table: force over time, for example [[0, 0], [1 s, 2 N]]");
  refuses_with("table: [[1 s, 2 s]]\n", "x:1:17: error: expected a force, got s\n= table: force over time, for example [[0, 0], [1 s, 2 N]]");
}

static void all_mistakes_at_once(void **state)
{
  (void)state;
  refuses("bodies:\n"
          "  a: {type: bar, material: {density: 1 kg, young: -1, foo: 2}, mass: x}\n"
          "  b: {type: nothing}\n"
          "contacts:\n"
          "  w: {between: [a], restitution: 2}\n"
          "  v: 5\n"
          "title:\n",
    "x:2:40: error: expected a density, got kg\n"
    "    2 |   a: {type: bar, material: {density: 1 kg, young: -1, foo: 2}, mass: x}\n"
    "      |                                        ^~\n"
    "      = density: mass per volume, for example 7800 kg/m^3\n"
    "x:2:51: error: young must be greater than 0, got -1\n"
    "    2 |   a: {type: bar, material: {density: 1 kg, young: -1, foo: 2}, mass: x}\n"
    "      |                                                   ^~\n"
    "x:2:55: error: unknown key 'foo' in bodies.a.material\n"
    "    2 |   a: {type: bar, material: {density: 1 kg, young: -1, foo: 2}, mass: x}\n"
    "      |                                                       ^~~\n"
    "      = valid keys: density, young\n"
    "x:2:70: error: unknown mass 'x'\n"
    "    2 |   a: {type: bar, material: {density: 1 kg, young: -1, foo: 2}, mass: x}\n"
    "      |                                                                      ^\n"
    "      = valid values: consistent, lumped\n"
    "x:3:13: error: unknown type 'nothing' in bodies.b\n"
    "    3 |   b: {type: nothing}\n"
    "      |             ^~~~~~~\n"
    "      = valid types: ball, bar, dot\n"
    "x:5:16: error: between needs exactly 2 items, got 1\n"
    "    5 |   w: {between: [a], restitution: 2}\n"
    "      |                ^~~\n"
    "      = between: the two sides, for example [a, b]\n"
    "x:5:34: error: restitution must be between 0 and 1, got 2\n"
    "    5 |   w: {between: [a], restitution: 2}\n"
    "      |                                  ^\n"
    "x:6:6: error: expected a mapping with keys between, friction, restitution, got '5'\n"
    "    6 |   v: 5\n"
    "      |      ^\n"
    "      = such as v: {between: [a, b]}\n"
    "x:7:1: error: title has no value\n"
    "    7 | title:\n"
    "      | ^~~~~\n"
    "      = title: a line about it\n");
  assert_int_equal(checks, 0); /* rules between keys only where each key is good */
}

static void rules_between_keys(void **state)
{
  (void)state;
  refuses_with("bodies: {b: {type: bar, material: {density: 2, young: 1}}}\n", "x:1:45: error: heavier than stiff");
  assert_int_equal(checks, 1);
}

static void set_is_blamed_for_its_own(void **state)
{
  const char *text = "contacts: {w: {between: [a, b]}}\n";
  NsNode     *root = NsTreeReadText("x", text, strlen(text), arena, diag);

  (void)state;
  assert_true(NsTreeSet(root, "contacts.w.restitution=1.5", arena, diag));
  assert_true(NsTreeSet(root, "contacts.w.fricton=1", arena, diag));
  assert_false(NsKeysRead(&config_table, root, &config, arena, diag));
  assert_string_equal(printed(diag, arena), "--set:1:12: error: unknown key 'fricton' in contacts.w; did you mean 'friction'?\n"
                                            "    1 | contacts.w.fricton=1\n"
                                            "      |            ^~~~~~~\n"
                                            "      = valid keys: between, friction, restitution\n"
                                            "--set:1:24: error: restitution must be between 0 and 1, got 1.5\n"
                                            "    1 | contacts.w.restitution=1.5\n"
                                            "      |                        ^~~\n");
}

/* An error in a table ends the program at once, before a user depends on the key. */
static void mistakes_in_tables_abort(void **state)
{
  static const NsKey wrong_unit[] = {
    {"radius", NS_KEY_NUMBER, offsetof(Ball, radius), .dimension = {1, 0, 0, 0}, .default_value = "5 kg"}, {.name = NULL}};
  static const NsKey wrong_choice[] = {
    {"mass", NS_KEY_CHOICE, offsetof(Ball, radius), .choices = mass_choices, .default_value = "none"}, {.name = NULL}};
  static const NsKey   wrong_bound[] = {{"radius", NS_KEY_NUMBER, offsetof(Ball, radius), .default_value = "5", .minimum = "x"}, {.name = NULL}};
  static const NsKey   wrong_list[]  = {{"probes", NS_KEY_STRINGS, offsetof(Config, probes), .default_value = "[a"}, {.name = NULL}};
  static const NsTable tables[] = {{.name = "a", .keys = wrong_unit, .size = sizeof(Ball)}, {.name = "b", .keys = wrong_choice, .size = sizeof(Ball)},
    {.name = "c", .keys = wrong_bound, .size = sizeof(Ball)}, {.name = "d", .keys = wrong_list, .size = sizeof(Config)}};

  (void)state;
  for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); ++i) {
    pid_t child;
    int   status;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
      signal(SIGABRT, SIG_DFL);
      if (!freopen("/dev/null", "w", stderr)) _exit(1);
      NsKeysRead(&tables[i], NULL, &config, arena, diag);
      _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  }
}

/* A file of 1 MB with an error in each line: linear time, bounded memory. */
static void very_many_mistakes(void **state)
{
  char *text = NsArenaAlloc(arena, 1 << 20), *end = stpcpy(text, "contacts:\n");

  (void)state;
  for (int i = 0; i < 14000; ++i) end += sprintf(end, "  c%d: {between: [a], restituton: 1}\n", i);
  assert_false(read_text(text));
  assert_int_equal(NsDiagErrors(diag), 28000);
  assert_string_equal(strstr(printed(diag, arena), "..."), "... and 27980 more errors\n");
}

/* Vectors that belong to a body's own frame, or are no places or directions in space. */
static const char *const own_frame[] = {
  "alternate", "at", "axis", "box", "cells", "center", "ellipsoid", "gravity", "offset", "poisson", "shear", "shift", "young", NULL};

static void check_keys(const NsTable *table, const NsTable **seen, int *count)
{
  for (int i = 0; i < *count; i++) {
    if (seen[i] == table) return;
  }
  assert_true(*count < 1000);
  seen[(*count)++] = table;
  for (const NsKey *key = table->keys; key->name; key++) {
    bool own = key->kind != NS_KEY_VECTOR || key->space != NS_SPACE_NONE;
    for (int i = 0; own_frame[i]; i++) own = own || !strcmp(own_frame[i], key->name);
    if (!own)
      fail_msg("the vector %s.%s does not say what `copies` makes of it (NsSpace), and is not known to belong to a frame of its own", table->name,
        key->name);
    if (!key->help || !*key->help) fail_msg("%s.%s has no help", table->name, key->name);
    if (key->table) check_keys(key->table, seen, count);
    for (int i = 0; key->variants && key->variants[i]; i++) check_keys(key->variants[i]->table, seen, count);
  }
}

/* A position without `space` would stay where it is when its entry is copied. */
static void copies_move_every_vector(void **state)
{
  const NsTable *seen[1000];
  int            count = 0;

  (void)state;
  check_keys(&NsTable_Config, seen, &count);
  assert_true(count > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    TEST(fills_the_structs),
    TEST(unknown_and_missing_keys),
    TEST(values_that_are_missing),
    TEST(wrong_kinds),
    TEST(numbers_and_units),
    TEST(ranges),
    TEST(integers_choices_booleans),
    TEST(variants),
    TEST(groups_and_counts),
    TEST(all_mistakes_at_once),
    TEST(rules_between_keys),
    TEST(set_is_blamed_for_its_own),
    TEST(mistakes_in_tables_abort),
    TEST(very_many_mistakes),
    TEST(copies_move_every_vector),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
