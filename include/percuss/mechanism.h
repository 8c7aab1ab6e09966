/*
  A mechanism: a small mechanical system given by plain C functions on arrays.

      M(q) v' = h(t, q, v) + W(q) lambda,   q' = v,   contact velocities  u = W(q)' v + w(t, q)

  This header needs nothing but C: it is all that a plugin includes (see configs/plugin). A mechanism is one table, which every scheme, writer and command can use; optional
  functions are NULL. Functions are called in each step and must not allocate. All numbers are in SI units.
  Arrays that a function fills are zero when it is called (except x of draw and contact_point); matrices are row-major.

  Sizes: n coordinates, m contacts, as many as the lists have, or as `sizes` says; contact k has 1 + tangents[k] directions, and its rows of W' follow those of contact
  k - 1.
*/
#pragma once

#define NS_MECHANISM_VERSION     3
#define NS_MECHANISM_PARAMETERS  32    /* most parameters */
#define NS_MECHANISM_COORDINATES 16    /* most coordinates */
#define NS_MECHANISM_POINTS      10000 /* most points, and most lines, of a picture */

/* A key of the config. */
typedef struct {
  const char *name;
  signed char dimension[4];      /* exponents of m, kg, s and angle: {1, 0, -2, 0} is an acceleration, {0, 0, 0, 1} an angle */
  const char *default_value;     /* default as a user would write it: "0.153 m"; NULL: the key is required */
  const char *minimum, *maximum; /* "0", or "0 <" where 0 itself is not allowed ("< 1" for a maximum); NULL: any */
  const char *help;              /* a phrase, no full stop */
} NsMechanismParameter;

typedef struct {
  const char *name;             /* of q_i, and of its initial value in the config: "theta1" */
  const char *rate;             /* of v_i: "omega1" */
  signed char dimension[4];     /* of q_i */
  const char *position, *speed; /* initial values unless the config says otherwise: "0", "150 rad/s" */
} NsMechanismCoordinate;

typedef struct {
  const char *name;
  int         tangents;  /* directions along the surface where there is friction: 0, 1 (planar) or 2 (spatial) */
  int         bilateral; /* 1: u = 0 always, a joint; tangents is then 0 */
} NsMechanismContact;

/* The parameter values and gravity of one system; an argument of every function. */
typedef struct {
  const double *p;          /* parameters, in the order of the list */
  double        gravity[3]; /* m/s^2, from the config's top level */
} NsMechanismCase;

typedef struct {
  int         version;       /* NS_MECHANISM_VERSION */
  const char *name;          /* the word after `type:`; letters, digits, _ */
  const char *title, *about; /* a line; a page for `percuss explain` */

  const NsMechanismParameter  *parameters;  /* ends with a NULL name, as all lists here; may be NULL for none */
  const NsMechanismCoordinate *coordinates; /* n */
  const NsMechanismContact    *contacts;    /* m; NULL for none */

  /* What is wrong with these parameters, a sentence without full stop; NULL: nothing. Optional. */
  const char *(*check)(const NsMechanismCase *c);
  /* The same for the initial coordinates q[n], such as a length that must be positive. Optional. */
  const char *(*check_start)(const NsMechanismCase *c, const double *q);
  /* How many of the listed coordinates and contacts this case has, the first ones of each list: a chain of as many links as a parameter says. At least one coordinate.
     Optional: all of them. */
  void (*sizes)(const NsMechanismCase *c, int *coordinates, int *contacts);
  /* A typical length, m: gaps below 1e-15 of it count as closed. */
  double (*length)(const NsMechanismCase *c);
  /* M[n * n]: symmetric, positive definite. constant_mass = 1 promises that it never changes. */
  void (*mass)(const NsMechanismCase *c, const double *q, double *M);
  int constant_mass;
  /* y[n] = (dM/dt along v) v, the sum over k of dM/dq_k v_k, times v. Optional: else differences of M, accurate to 1e-13. Used by the variational scheme. */
  void (*massrate)(const NsMechanismCase *c, const double *q, const double *v, double *y);
  /* h[n]: all forces except contact forces, with gyroscopic terms. */
  void (*force)(const NsMechanismCase *c, double t, const double *q, const double *v, double *h);
  /* J: elastic and potential energy (kinetic energy follows from M). */
  void (*energy)(const NsMechanismCase *c, const double *q, double *elastic, double *potential);
  /* Power at velocity w of the forces at (t, q, v): *damping dissipated by dampers, *load supplied by loads. Optional: no such forces. */
  void (*power)(const NsMechanismCase *c, double t, const double *q, const double *v, const double *w, double *damping, double *load);

  /* Gaps g[m] and rows W[rows * n] = W', each normal first: g'(t) = W_N' v. drive[rows]: what moving surfaces add to u
     (a belt at speed s against the tangent: -s). Optional where there are no contacts. */
  void (*contact)(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive);
  /* d[rows] = (dW'/dt) v + d(drive)/dt along the motion: contact accelerations are W' v' + d. Optional: needed by schemes on acceleration level. */
  void (*rowrate)(const NsMechanismCase *c, double t, const double *q, const double *v, double *d);

  /* A picture: x[points * 3] at q, and lines between points. All optional. */
  int                points, lines;
  const char *const *point_names; /* [points] names for probes: "slider"; each used once; NULL entries, or NULL: no names */
  const int (*line)[2];
  double (*radius)(const NsMechanismCase *c); /* of the lines as tubes, m */
  void (*draw)(const NsMechanismCase *c, const double *q, double *x);
  /* Where contact k is, and its normal: the direction in which its reaction pushes the mechanism. */
  void (*contact_point)(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double normal[3]);
} NsMechanism;

/* A plugin's shared object defines this one symbol:  const NsMechanism percuss_mechanism = {.version = NS_MECHANISM_VERSION, ...}; */
