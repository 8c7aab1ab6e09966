/*
  What every scheme promises, and with which options: the conformance suites hold it to that. A scheme without a line here fails them.
*/
#pragma once
#include "percuss/scheme.h"
#include "support.h"

typedef enum {
  LIMITED,
  WEAKLY,
  UNLIMITED,
  NEVER_STABLE,
  BOUNDED
} Stability; /* of free vibration without damping: dt < 2/omega_max; a limit of its own, where it grows slowly; any dt; no dt; the same, and keeps below it by itself */

typedef enum { NONE, PLANE, SPACE } Friction;

typedef struct {
  const char *scheme, *option; /* "" or a --set argument */
  PetscBool   bodies;          /* moves finite elements with contacts */
  Friction    friction;
  int         order; /* of free flight without damping */
  Stability   stability;
  PetscReal   penetration; /* at most, in units of dt |u^-|, at an impact with e = 0; 0: rounding; negative: no promise */
  PetscReal   gain;        /* of an elastic bar's energy by impacts with e from 0 to 1, at most; part of the initial energy */
  PetscReal   rest;        /* a closed contact moves at most so fast, in units of g dt; 0: rounding; negative: no promise */
  const char *
    mass; /* what the first body's `mass` has to be; NULL: anything. redistributed: contacts have tests of their own (published/test_massless_contact.c) */
} Promise;

static const Promise promises[] = {
  {"half_explicit", "", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"half_explicit", "scheme.restitution_of=all_closed", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"half_explicit", "scheme.decide=at_prediction", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"half_explicit", "scheme.decide=always", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"half_explicit", "scheme.positions=held", PETSC_TRUE, SPACE, 2, LIMITED, 0, 1e-15, 0},
  {"half_explicit_two_step", "", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"half_explicit_two_step", "scheme.decide=once", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"half_explicit_two_step", "scheme.positions=held", PETSC_TRUE, SPACE, 2, LIMITED, 0, 1e-15, 0},
  {"half_explicit_adaptive", "", PETSC_TRUE, SPACE, 2, BOUNDED, 0.01, 1e-15, 0},
  {"half_explicit_adaptive", "scheme.tolerance=1", PETSC_TRUE, SPACE, 2, BOUNDED, 0.01, 1e-15, 0},
  {"half_explicit_adaptive", "scheme.positions=held", PETSC_TRUE, SPACE, 2, BOUNDED, 0, 1e-15, 0},
  {"half_explicit_acceleration", "", PETSC_TRUE, NONE, 2, LIMITED, 1, 1e-15, 1},
  {"massless_contact", "", PETSC_TRUE, SPACE, 2, LIMITED, 0, 1e-15, 0, "redistributed"},
  {"explicit_velocity", "", PETSC_TRUE, SPACE, 2, LIMITED, -1, 1e-15, -1},
  {"explicit_velocity", "scheme.free_force=included", PETSC_TRUE, SPACE, 2, LIMITED, -1, 1e-15, -1},
  {"moreau_midpoint", "", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"moreau_midpoint", "scheme.positions=held", PETSC_TRUE, SPACE, 2, LIMITED, 0, 1e-15, 0},
  {"moreau_jean", "", PETSC_TRUE, SPACE, 2, UNLIMITED, 1, 1e-15, 0},
  {"moreau_jean", "scheme.theta=1", PETSC_TRUE, SPACE, 1, UNLIMITED, 1, 1e-15, 0},
  {"moreau_jean", "scheme.positions=held", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-15, 0},
  {"projection_naive", "", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-15, 1},
  {"projection_naive", "scheme.metric=identity", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-15, 1},
  {"projection_combined", "", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-4, 0},
  {"projection_combined", "scheme.theta=1", PETSC_TRUE, SPACE, 1, UNLIMITED, 0, 1e-4, 0},
  {"projection_combined", "scheme.variant=printed", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-15, 0},
  {"moreau_jean_explicit", "", PETSC_FALSE, SPACE, 1, NEVER_STABLE, 1.5, 1e-15, 0},
  {"moreau_jean_explicit", "scheme.approach=end", PETSC_FALSE, SPACE, 1, NEVER_STABLE, 1.5, 1e-15, 0},
  {"implicit_split", "", PETSC_TRUE, SPACE, 2, UNLIMITED, 1.05, 1e-15, 0},
  {"implicit_split", "scheme.rho=1", PETSC_TRUE, SPACE, 2, UNLIMITED, 1, 1e-15, 0},
  {"generalised_alpha", "", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-15, 0},
  {"generalised_alpha", "scheme.rho=1", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-15, 0},
  {"generalised_alpha_velocity", "", PETSC_TRUE, SPACE, 2, UNLIMITED, 1, 1e-15, 0},
  {"generalised_alpha_velocity", "scheme.rho=1", PETSC_TRUE, SPACE, 2, UNLIMITED, 1, 1e-15, 0},
  {"ggl_decoupled", "", PETSC_TRUE, SPACE, 2, LIMITED, 0, 1e-15, 1},
  {"ggl_unified", "", PETSC_TRUE, SPACE, 2, UNLIMITED, 0, 1e-15, 1},
  {"ggl_unified", "scheme.project=active", PETSC_TRUE, SPACE, 2, UNLIMITED, 1, 1e-15, 1},
  {"ggl_unified", "scheme.project=none", PETSC_TRUE, SPACE, 2, UNLIMITED, 1, 1e-15, 0},
  {"position_level", "", PETSC_FALSE, NONE, 1, LIMITED, 0, 0, 1},
  {"variational", "", PETSC_TRUE, SPACE, 2, LIMITED, 1, 1e-15, 0},
  {"event_driven_hem5", "", PETSC_TRUE, PLANE, 5, UNLIMITED, 1e-6, 1e-15, 0},
  {"event_driven_hem5", "scheme.tolerance=0", PETSC_TRUE, PLANE, 5, WEAKLY, 1e-6, 1e-15, 0},
  {"event_driven_hem5", "scheme.select=moreau_jean", PETSC_TRUE, PLANE, 5, UNLIMITED, 1e-6, 1e-15, 0},
  {"event_driven_rkf45", "", PETSC_TRUE, PLANE, 4, UNLIMITED, 1e-6, 1e-15, 0},
  {"event_driven_rkf45", "scheme.tolerance=0", PETSC_TRUE, PLANE, 4, WEAKLY, 1e-6, 1e-15, 0},
  {"event_driven_alpha", "", PETSC_TRUE, PLANE, 2, UNLIMITED, 1e-6, 1e-15, 0},
  {"event_driven_alpha", "scheme.tolerance=0", PETSC_TRUE, PLANE, 2, UNLIMITED, 1e-6, 1e-15, 0},
  {"modal", "", PETSC_TRUE, SPACE, 4, UNLIMITED, 0, 1e-12, -1},
  {"modal", "scheme.modes=5", PETSC_TRUE, SPACE, 4, UNLIMITED, 0, 1e-12, -1},
  {"schatzman_paoli", "", PETSC_TRUE, NONE, 2, LIMITED, 0, 0.03, 1},
};
#define NS_PROMISES (sizeof(promises) / sizeof(promises[0]))

/* The one that is looked at, for promise_blame. */
static const Promise *promise_now;

#define EACH_PROMISE(p) for (const Promise *p = promises; (promise_now = p < promises + NS_PROMISES ? p : NULL); p++)
/* Of schemes that move contacts between masses: with impacts and restitution, any mesh, mechanisms. */
#define EACH_WITH_MASS(p) \
  EACH_PROMISE(p) \
  if (!(p)->mass)

/* Teardown of tests that go through all of them: a test that has failed says at which scheme. */
static inline int promise_blame(void **state)
{
  (void)state;
  if (promise_now) print_error("of scheme '%s' %s\n", promise_now->scheme, promise_now->option);
  promise_now = NULL;
  return 0;
}
#define promise_test(function) cmocka_unit_test_teardown(function, promise_blame)

/* Schemes that meet their events: impacts do not cost them their order. */
static inline PetscBool promise_meets(const Promise *p)
{
  return !strncmp(p->scheme, "event_driven", 12);
}

/* Steps whose length is not `step`, but what the error allows. */
static inline PetscBool promise_adapts(const Promise *p)
{
  if (!strcmp(p->scheme, "half_explicit_adaptive")) return strcmp(p->option, "scheme.tolerance=1") != 0;
  return promise_meets(p) && strcmp(p->option, "scheme.tolerance=0");
}

/* Schemes whose contacts give way: they move linear finite elements alone, and neither restitution nor places whose whole mass has to stop. */
static inline PetscBool promise_gives(const Promise *p)
{
  return !strcmp(p->scheme, "modal");
}

static inline const NsSchemeType *promise_type(const Promise *promise)
{
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    if (!strcmp((*type)->variant.name, promise->scheme)) return *type;
  }
  return NULL;
}

/* "NAME option" */
static inline void promise_print(const Promise *promise)
{
  print_message("  %s %s\n", promise->scheme, promise->option);
}

/* The config with this scheme, its option and step, and another --set argument or ""; the first body gets the mass that the scheme needs. */
static inline TestRun promise_open(const char *text, const Promise *promise, PetscReal step, const char *extra)
{
  char        type_set[128], step_set[64], mass_set[128];
  const char *set[6] = {type_set, step_set, NULL, NULL, NULL, NULL};
  int         count  = 2;

  snprintf(type_set, sizeof(type_set), "scheme={type: %s, step: %.17g}", promise->scheme, step);
  snprintf(step_set, sizeof(step_set), "scheme.step=%.17g", step);
  if (*promise->option) set[count++] = promise->option;
  if (*extra) set[count++] = extra;
  if (promise->mass) {
    char body[32];
    assert_int_equal(sscanf(strstr(text, "bodies:"), "bodies: %31[a-z]", body), 1);
    snprintf(mass_set, sizeof(mass_set), "bodies.%s.mass=%s", body, promise->mass);
    set[count++] = mass_set;
  }
  return test_run_open(text, set);
}
