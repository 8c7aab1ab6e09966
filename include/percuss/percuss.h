/*
  The C interface of libpercuss: a run in memory, step by step. It needs nothing but C, and it is stable: functions are added, and none changes its meaning without another
  PERCUSS_API. All other headers in this folder are internal.

      percuss *run;
      if (percuss_open("bar.yaml", 0, NULL, &run)) puts(percuss_messages(run));
      else while (!percuss_is_at_end(run) && !percuss_step(run, 1)) printf("%g %g\n", percuss_time(run), percuss_q(run)[0]);
      percuss_close(run);

  configs/library/step.c is a complete example; `cc step.c $(pkg-config --cflags --libs percuss)`.

  Units are SI. Steps are those of `percuss run`: the same config has the same states, bit for bit; no files are written. Pointers that are returned belong to the run and are valid
  until percuss_close; arrays are filled anew by each percuss_step. One process and one thread at a time. MPI and PETSc are started by the first
  percuss_open, if the program has not done so, and ended when the program ends. If memory runs out, the program ends with a message.
*/
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define PERCUSS_API 1
#ifndef PERCUSS_EXPORT
#define PERCUSS_EXPORT
#endif

typedef struct percuss percuss;

/* What functions return. */
enum {
  PERCUSS_DONE   = 0,
  PERCUSS_FAILED = 1, /* the run cannot go on */
  PERCUSS_INPUT  = 2  /* config or argument wrong */
};

PERCUSS_EXPORT int         percuss_api(void);     /* PERCUSS_API of the library */
PERCUSS_EXPORT const char *percuss_version(void); /* "0.1.0 (commit, compiler, build)" */

/* Reads a config and prepares its first step. set[sets]: as --set of the program, "scheme.step=1 us". *run is always set: percuss_messages has errors and warnings as the program
   prints them, and percuss_close frees it. After an error only these two may follow. */
PERCUSS_EXPORT int  percuss_open(const char *config, int sets, const char *const *set, percuss **run);
PERCUSS_EXPORT void percuss_close(percuss *run); /* NULL: nothing */
/* Of percuss_open, and the reason of the last failure; "": none. */
PERCUSS_EXPORT const char *percuss_messages(const percuss *run);

/* Makes so many steps; fewer if the end is reached. FAILED: the state is that before the step that failed, and no further step is made. */
PERCUSS_EXPORT int       percuss_step(percuss *run, long long steps);
PERCUSS_EXPORT int       percuss_is_at_end(const percuss *run);
PERCUSS_EXPORT double    percuss_time(const percuss *run);      /* s */
PERCUSS_EXPORT long long percuss_steps(const percuss *run);     /* so far */
PERCUSS_EXPORT double    percuss_time_step(const percuss *run); /* s, of the config */
PERCUSS_EXPORT double    percuss_end(const percuss *run);       /* s, of the config */

/* Positions and velocities of all degrees of freedom, and what a degree of freedom is: "bar node 3 (x = 0.06 m) displacement x". */
PERCUSS_EXPORT int           percuss_dof(const percuss *run);
PERCUSS_EXPORT const double *percuss_q(const percuss *run); /* [dof] m, rad */
PERCUSS_EXPORT const double *percuss_v(const percuss *run); /* [dof] m/s, rad/s */
PERCUSS_EXPORT int           percuss_dof_name(const percuss *run, int dof, char *text, int size);

/* A quantity of a probe, "bar.left.ux", as in history.csv. INPUT: not known; percuss_messages says what is wrong. */
PERCUSS_EXPORT int percuss_probe(percuss *run, const char *name, double *value);

/* What the last step did at a contact. */
typedef struct {
  double gap, gap_rate; /* m, m/s: at the end of the step; negative gap: penetration */
  double force[3];      /* N: normal, tangents 1 and 2, at the end of the step */
  double impulse[3];    /* N s: within the step */
  int    state;         /* 0 open, 1 closed without friction, 2 stick, 3 slip */
} percuss_contact;

PERCUSS_EXPORT int percuss_contacts(const percuss *run); /* number of contact candidates */
PERCUSS_EXPORT int percuss_contact_name(const percuss *run, int contact, char *text, int size);
PERCUSS_EXPORT int percuss_contact_report(const percuss *run, int contact, percuss_contact *report);

/* The energy balance, J: kinetic + elastic + potential = initial + load - damping - impact - friction + numerical. */
typedef struct {
  double kinetic, elastic, potential, initial, load, damping, impact, friction, numerical;
} percuss_energies;

PERCUSS_EXPORT int percuss_energy(percuss *run, percuss_energies *energies);

/* Inputs: the factors of loads and drives with `time: {input: {}}`. A factor that is set is reached, linearly, at the end of the next step, and kept from then on. */
PERCUSS_EXPORT int         percuss_inputs(const percuss *run);
PERCUSS_EXPORT const char *percuss_input_name(const percuss *run, int input); /* of the load or drive */
PERCUSS_EXPORT int         percuss_set_input(percuss *run, int input, double factor);

#ifdef __cplusplus
}
#endif
