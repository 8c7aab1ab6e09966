/*
  The start of a system with joints: positions and velocities that fulfil all of its rows, its degrees of freedom, rows that depend on others.

      positions    q <- move(q, -1, M^-1 W (W' M^-1 W)^+ g)  until g = 0                     who has to move farther than `assembly: tolerance`: error
      velocities   v <- v - D W (W' D W)^+ (W' v + drive)    D = M^-1, 0 for velocities that the config gives

  W' M^-1 W is dense here, with rows scaled to a diagonal of 1, and factored by Cholesky's method with full pivoting: a pivot below 1e-10 is a row that depends on the others.
  Cost: rows^2 plus the fill, which is small for chains; at most rows^3/3. Only at set-up.
*/
#include <string.h>
#include "joints.h"

#define NS_DEPENDENT 1e-10

typedef struct {
  PetscInt        rows, rank;
  const PetscInt *list;      /* [rows] numbers of rows of the model */
  PetscReal      *W;         /* [rows, unknowns] */
  PetscReal      *L;         /* [rows, rows] */
  PetscReal      *scale;     /* [rows] */
  PetscInt       *order;     /* [rows] */
  PetscInt       *entry;     /* [rows or unknowns, the larger number] scratch: nonzero entries of rows and columns */
  PetscReal      *g, *u, *x; /* [rows] gaps, drives, scratch */
} Assembly;

static PetscErrorCode create(const NsMultibody *self, const PetscInt *list, PetscInt rows, Assembly *a)
{
  const size_t m = (size_t)rows, n = (size_t)self->unknowns;

  PetscFunctionBegin;
  *a = (Assembly){.rows = rows, .list = list};
  PetscCall(PetscMalloc1(PetscMax(m, n), &a->entry));
  PetscCall(PetscCalloc7(m * n, &a->W, m * m, &a->L, m, &a->scale, m, &a->order, m, &a->g, m, &a->u, m, &a->x));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(Assembly *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(a->entry));
  PetscCall(PetscFree7(a->W, a->L, a->scale, a->order, a->g, a->u, a->x));
  PetscFunctionReturn(0);
}

/* Gaps, drives and rows at q. */
static void evaluate(NsMultibody *self, const PetscReal *q, Assembly *a)
{
  NsMbWrench w;

  NsMbFrames(self, q, NULL);
  memset(a->W, 0, sizeof(*a->W) * (size_t)a->rows * (size_t)self->unknowns);
  for (PetscInt i = 0; i < a->rows; i++) {
    NsMbRowAt(self, &self->row[a->list[i]], 0, q, NS_WANT_ROW, &w);
    a->g[i] = w.g;
    a->u[i] = w.drive;
    NsMbApply(self, &w, 1, a->W + (PetscInt64)i * self->unknowns);
  }
}

/* Indices at which x is not zero; returns their number. */
static PetscInt list_entries(const PetscReal *x, PetscInt64 n, PetscInt *entry)
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < n; k++) {
    if (x[k] != 0) entry[count++] = k;
  }
  return count;
}

/* L of W D W', scaled, pivoted; a->rank. */
static void factor(const NsMultibody *self, const PetscReal *D, Assembly *a)
{
  const PetscInt64 m = a->rows, n = self->unknowns; /* products exceed 32 bits */

  for (PetscInt i = 0; i < m; i++) {
    const PetscInt count = list_entries(a->W + i * n, n, a->entry);
    for (PetscInt j = 0; j <= i; j++) {
      PetscReal sum = 0;
      for (PetscInt k = 0; k < count; k++) sum += a->W[i * n + a->entry[k]] * D[a->entry[k]] * a->W[j * n + a->entry[k]];
      a->L[i * m + j] = a->L[j * m + i] = sum;
    }
    a->order[i] = i;
  }
  for (PetscInt i = 0; i < m; i++) a->scale[i] = a->L[i * m + i] > 0 ? 1 / PetscSqrtReal(a->L[i * m + i]) : 0;
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j < m; j++) a->L[i * m + j] *= a->scale[i] * a->scale[j];
  }
  for (a->rank = 0; a->rank < m; a->rank++) {
    const PetscInt k = a->rank;
    PetscInt       p = k;
    for (PetscInt i = k + 1; i < m; i++) p = a->L[i * m + i] > a->L[p * m + p] * (1 + 1e-9) ? i : p;
    if (a->L[p * m + p] <= NS_DEPENDENT) break;
    for (PetscInt j = 0; j < m && p != k; j++) {
      const PetscReal t = a->L[k * m + j];
      a->L[k * m + j]   = a->L[p * m + j];
      a->L[p * m + j]   = t;
    }
    for (PetscInt j = 0; j < m && p != k; j++) {
      const PetscReal t = a->L[j * m + k];
      a->L[j * m + k]   = a->L[j * m + p];
      a->L[j * m + p]   = t;
    }
    const PetscInt t      = a->order[k];
    a->order[k]           = a->order[p];
    a->order[p]           = t;
    const PetscReal pivot = a->L[k * m + k] = PetscSqrtReal(a->L[k * m + k]);
    PetscInt        count                   = 0;
    for (PetscInt i = k + 1; i < m; i++) {
      a->L[i * m + k] /= pivot;
      if (a->L[i * m + k] != 0) a->entry[count++] = i;
    }
    for (PetscInt r = 0; r < count; r++) {
      const PetscInt i = a->entry[r];
      for (PetscInt c = 0; c <= r; c++) {
        const PetscInt j = a->entry[c];
        a->L[j * m + i]  = a->L[i * m + j] -= a->L[i * m + k] * a->L[j * m + k];
      }
    }
  }
}

/* d = -D W (W' D W)^+ b: of dependent rows the first ones. */
static void correct(const NsMultibody *self, const PetscReal *D, Assembly *a, const PetscReal *b, PetscReal *d)
{
  const PetscInt64 m = a->rows, n = self->unknowns; /* products exceed 32 bits */

  for (PetscInt i = 0; i < a->rank; i++) {
    a->x[i] = b[a->order[i]] * a->scale[a->order[i]];
    for (PetscInt j = 0; j < i; j++) a->x[i] -= a->L[i * m + j] * a->x[j];
    a->x[i] /= a->L[i * m + i];
  }
  for (PetscInt i = a->rank - 1; i >= 0; i--) {
    for (PetscInt j = i + 1; j < a->rank; j++) a->x[i] -= a->L[j * m + i] * a->x[j];
    a->x[i] /= a->L[i * m + i];
  }
  memset(d, 0, sizeof(*d) * (size_t)n);
  for (PetscInt i = 0; i < a->rank; i++) {
    const PetscInt  row = a->order[i];
    const PetscReal P   = a->x[i] * a->scale[row];
    for (PetscInt k = 0; k < n; k++) d[k] -= D[k] * a->W[row * n + k] * P;
  }
}

static PetscInt worst(const PetscReal *g, PetscInt rows)
{
  PetscInt at = 0;

  for (PetscInt i = 1; i < rows; i++) at = PetscAbsReal(g[i]) > PetscAbsReal(g[at]) ? i : at;
  return at;
}

static NsPlace place_of(const NsMbRow *row)
{
  return row->joint->settings->where->key_place;
}

#define NS_MOST_ITERATIONS 60

/* Positions; false after an error. */
static PetscErrorCode close_gaps(NsMultibody *self, Assembly *a, PetscReal *q, PetscReal *d, PetscBool *closed)
{
  const PetscReal length = self->length;
  PetscReal       open, last = PETSC_MAX_REAL, first = 0;
  PetscInt        at = 0;

  PetscFunctionBegin;
  for (int iteration = 0; iteration < NS_MOST_ITERATIONS; iteration++, last = open) {
    evaluate(self, q, a);
    open = PetscAbsReal(a->g[worst(a->g, a->rows)]);
    if (iteration == 0) {
      at    = worst(a->g, a->rows);
      first = open;
    }
    if (open <= 1e-15 * length || (open <= 1e-11 * length && open >= last / 2)) break;
    if (!(open < 1e6 * length)) break;
    factor(self, self->inverse_mass, a);
    correct(self, self->inverse_mass, a, a->g, d);
    NsMbMove(self, q, 1, d, q);
  }
  open    = PetscAbsReal(a->g[worst(a->g, a->rows)]);
  *closed = open <= 1e-9 * length;
  if (*closed) PetscFunctionReturn(0);
  const NsMbRow *row = &self->row[a->list[first > 1e-9 * length ? at : worst(a->g, a->rows)]];
  NsDiagError(
    self->diag, place_of(row), "joint '%s' is open by %.4g m at the start, and no motion of the bodies closes all joints", row->joint->name, first);
  NsDiagNote(self->diag, "check the points of its bodies and their initial positions; a closed loop of parallel hinges must fit exactly");
  PetscFunctionReturn(0);
}

/* Bodies that had to move farther than is allowed. */
static void check_moves(NsMultibody *self, const Assembly *a, const PetscReal *q, const PetscReal *given, PetscReal *d)
{
  const NsAssemblySettings *assembly = self->config->assembly;
  const NsMbBody           *far      = NULL;
  PetscReal                 most     = assembly->tolerance;

  NsMbWay(self, given, q, d);
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody  *body = &self->body[b];
    const PetscReal *db   = d + body->first;
    const PetscReal  turn = body->planar ? PetscAbsReal(db[2]) : NsLength(db + 4), x[3] = {db[0], db[1], body->planar ? 0 : db[2]};
    const PetscReal  way = NsLength(x) + turn * body->extent;
    if (way <= most) continue;
    far  = body;
    most = way;
  }
  if (!far) return;
  NsMbWrench w;
  PetscInt   at   = 0;
  PetscReal  open = -1;
  NsMbFrames(self, given, NULL);
  for (PetscInt i = 0; i < a->rows; i++) {
    NsMbRowAt(self, &self->row[a->list[i]], 0, given, NS_WANT_ROW, &w);
    if (PetscAbsReal(w.g) <= open) continue;
    open = PetscAbsReal(w.g);
    at   = i;
  }
  NsDiagError(self->diag, place_of(&self->row[a->list[at]]),
    "joint '%s' is open by %.4g m at the start: body '%s' would have to move by %.4g m to close it", self->row[a->list[at]].joint->name, open,
    far->name, most);
  NsDiagNote(self->diag, "move the bodies closer, or raise the limit: assembly: {tolerance: %.2g m}", 1.1 * most);
}

static void free_velocities(const NsMultibody *self, PetscReal *D)
{
  memcpy(D, self->inverse_mass, sizeof(*D) * (size_t)self->unknowns);
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    for (PetscInt i = 0; i < body->unknowns; i++) {
      const PetscBool turn = i >= (body->planar ? 2 : 3);
      if (turn ? body->given_w : body->given_v) D[body->first + i] = 0;
    }
  }
}

/* Velocities; *stopped false: those that are given contradict a joint, which is an error if `strict`. */
static PetscErrorCode stop_gaps(
  NsMultibody *self, Assembly *a, const PetscReal *q, PetscReal *v, PetscReal *D, PetscReal *d, PetscBool strict, PetscBool *stopped)
{
  const PetscInt64 n       = self->unknowns;
  PetscReal        fastest = 0;

  PetscFunctionBegin;
  evaluate(self, q, a);
  free_velocities(self, D);
  factor(self, D, a);
  for (int iteration = 0; iteration < 2; iteration++) { /* the second one takes rounding away */
    for (PetscInt i = 0; i < a->rows; i++) {
      a->g[i] = a->u[i];
      fastest = PetscMax(fastest, PetscAbsReal(a->u[i]));
      for (PetscInt k = 0; k < n; k++) {
        a->g[i] += a->W[i * n + k] * v[k];
        fastest = PetscMax(fastest, PetscAbsReal(a->W[i * n + k] * v[k]));
      }
    }
    correct(self, D, a, a->g, d);
    for (PetscInt k = 0; k < n; k++) v[k] += d[k];
  }
  for (PetscInt i = 0; i < a->rows; i++) {
    a->g[i] = a->u[i];
    for (PetscInt k = 0; k < n; k++) a->g[i] += a->W[i * n + k] * v[k];
  }
  const PetscInt at = worst(a->g, a->rows);
  *stopped          = PetscAbsReal(a->g[at]) <= 1e-9 * fastest;
  if (*stopped || !strict) PetscFunctionReturn(0);
  const NsMbRow *row = &self->row[a->list[at]];
  NsDiagError(self->diag, place_of(row), "the initial velocities contradict joint '%s': it would open with %.4g m/s", row->joint->name, a->g[at]);
  NsDiagNote(self->diag, "remove velocities from `initial`: those that are not given follow from the joints");
  PetscFunctionReturn(0);
}

/*
  Rows of joints that depend on the others wherever the bodies are. At the start more can depend on each other than elsewhere, in a stretched chain or a flat loop: what counts is the rank at a
  place nearby, moved there along a motion that the rows allow, and closed again.
*/
static PetscErrorCode move_nearby(NsMultibody *self, Assembly *a, const PetscReal *q, PetscReal *nearby, PetscReal *d, PetscBool *closed)
{
  const PetscInt64 n = self->unknowns;
  PetscReal       *v = d + n, fastest = 0, open = PETSC_MAX_REAL;
  unsigned         seed = 1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    seed = seed * 1103515245u + 12345u;
    v[i] = ((PetscReal)(seed >> 16 & 0x7fff) / 0x4000 - 1) * self->length;
  }
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    for (PetscInt i = 0; i < body->unknowns; i++) {
      if (i >= (body->planar ? 2 : 3)) v[body->first + i] /= self->length;
    }
    if (!body->planar) v[body->first + 3] = 0;
  }
  for (PetscInt i = self->body_unknowns; i < n; i++) v[i] = 0;
  for (PetscInt i = 0; i < a->rows; i++) {
    a->g[i] = 0;
    for (PetscInt k = 0; k < n; k++) a->g[i] += a->W[i * n + k] * v[k];
  }
  correct(self, self->inverse_mass, a, a->g, d);
  for (PetscInt k = 0; k < n; k++) fastest = PetscMax(fastest, PetscAbsReal(v[k] += d[k]));
  NsMbMove(self, q, 0.02 / PetscMax(1, fastest), v, nearby);
  for (int iteration = 0; iteration < NS_MOST_ITERATIONS && open > 1e-11 * self->length; iteration++) {
    evaluate(self, nearby, a);
    open = PetscAbsReal(a->g[worst(a->g, a->rows)]);
    factor(self, self->inverse_mass, a);
    correct(self, self->inverse_mass, a, a->g, d);
    NsMbMove(self, nearby, 1, d, nearby);
  }
  *closed = open <= 1e-9 * self->length;
  PetscFunctionReturn(0);
}

/* Friction needs loads that are unique: no row that carries one may take part in a dependent combination, row_i = sum c_j row_j with c L_11 = L_i. */
static void check_friction(NsMultibody *self, Assembly *a)
{
  const PetscInt64 m = a->rows;

  for (PetscInt i = a->rank; i < m; i++) {
    const NsMbRow *found = self->row[a->list[a->order[i]]].carries ? &self->row[a->list[a->order[i]]] : NULL;
    for (PetscInt j = a->rank - 1; j >= 0; j--) {
      a->x[j] = a->L[i * m + j];
      for (PetscInt k = j + 1; k < a->rank; k++) a->x[j] -= a->x[k] * a->L[k * m + j];
      a->x[j] /= a->L[j * m + j];
      const NsMbRow *row = &self->row[a->list[a->order[j]]];
      if (row->carries && PetscAbsReal(a->x[j]) > 1e-6) found = row;
    }
    if (!found) continue;
    NsDiagError(self->diag, NsKeysPlace(found->joint->settings->where, "friction"),
      "the forces of joint '%s' are not unique, and neither is its friction: constraint '%s' is redundant", found->joint->name,
      self->row[a->list[a->order[i]]].name);
    NsDiagNote(self->diag, "make a joint of the loop spherical or cylindrical, or use bodies of `dimension: 2`");
    return;
  }
}

/* Degrees of freedom; rows of joints that the others imply are left out of the model. list[joints]: the rows of joints without drives. */
static PetscErrorCode count_freedom(NsMultibody *self, const PetscReal *q, const PetscInt *list, PetscInt joints)
{
  const size_t n = (size_t)self->unknowns;
  PetscReal   *nearby, *d;
  PetscBool    closed;
  PetscInt     most;
  Assembly     a;

  PetscFunctionBegin;
  PetscCall(create(self, list, joints, &a));
  PetscCall(PetscMalloc2(n, &nearby, 2 * n, &d));
  evaluate(self, q, &a);
  factor(self, self->inverse_mass, &a);
  self->rank = a.rank;
  if (a.rank < joints) {
    PetscCall(move_nearby(self, &a, q, nearby, d, &closed));
    most = a.rank;
    if (!closed || most <= self->rank) { /* no further row is independent there: the start itself is sufficient */
      evaluate(self, q, &a);
      factor(self, self->inverse_mass, &a);
    }
    self->rank = a.rank;
  }
  check_friction(self, &a);
  for (PetscInt i = a.rank; i < joints; i++) {
    NsMbRow *row    = &self->row[list[a.order[i]]];
    row->implied    = PETSC_TRUE;
    self->redundant = NsArenaPrint(self->arena, "%s%s%s", self->redundant, *self->redundant ? ", " : "", row->name);
  }
  PetscCall(PetscFree2(nearby, d));
  PetscCall(destroy(&a));
  if (self->rank == self->degrees) {
    NsDiagError(self->diag, NsTreeChild(self->config->where, "joints")->key_place, "the joints leave no degree of freedom: nothing can move");
    NsDiagNote(self->diag, "make a joint spherical or cylindrical, or remove one");
  } else if (*self->redundant) {
    NsDiagWarning(self->diag, NsTreeChild(self->config->where, "joints")->key_place,
      "redundant constraints of joints: %s; the motion is unique, the reactions are not: the reactions of these constraints are set to zero",
      self->redundant);
  }
  self->degrees -= self->rank;
  PetscFunctionReturn(0);
}

/* Every drive has a degree of freedom of its own: list[all] are the rows of joints, and then of drives from `joints` on. */
static PetscErrorCode check_drives(NsMultibody *self, const PetscReal *q, const PetscInt *list, PetscInt joints, PetscInt all)
{
  PetscInt before = 0;
  Assembly a;

  PetscFunctionBegin;
  if (joints == all) PetscFunctionReturn(0);
  for (PetscInt rows = joints; rows <= all; rows++) { /* one drive after the other */
    PetscCall(create(self, list, rows, &a));
    evaluate(self, q, &a);
    factor(self, self->inverse_mass, &a);
    const NsMbRow *row = rows > joints ? &self->row[list[rows - 1]] : NULL;
    if (row && a.rank == before)
      NsDiagError(self->diag, NsTreeChild(NsTreeChild(self->config->where, "drives"), row->name)->key_place,
        "drive '%s' has no effect: other joints and drives already determine the motion of joint '%s'", row->name, row->joint->name);
    self->degrees -= row && a.rank > before;
    before = a.rank;
    PetscCall(destroy(&a));
  }
  PetscFunctionReturn(0);
}

/* Rows that others imply, those of joints with clearance, and those of elastic rods have no candidates. */
static void leave_out_implied(NsMultibody *self)
{
  PetscInt kept = 0;

  for (PetscInt i = 0; i < self->rows; i++) {
    if (!self->row[i].implied && !self->row[i].loose && !self->row[i].rigid) self->row[kept++] = self->row[i];
  }
  self->rows = kept;
}

/*
  Velocities of the start. Joints with clearance (rows behind `hard`) begin like those without, unless the velocities that the config gives do not allow that: then they begin with
  impacts or in flight.
*/
static PetscErrorCode set_velocities(
  NsMultibody *self, const PetscReal *q, const PetscInt *list, PetscInt hard, PetscInt all, PetscReal *v, PetscReal *D, PetscReal *d)
{
  const size_t n = (size_t)self->unknowns;
  PetscBool    stopped;
  Assembly     a;

  PetscFunctionBegin;
  for (PetscInt rows = all; rows > 0; rows = hard) {
    PetscCall(create(self, list, rows, &a));
    PetscCall(PetscArraycpy(v, self->start_v, n));
    PetscCall(stop_gaps(self, &a, q, v, D, d, rows == hard, &stopped));
    PetscCall(destroy(&a));
    if (stopped) PetscCall(PetscArraycpy(self->start_v, v, n));
    if (stopped || rows == hard) break;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsMbAssemble(NsMultibody *self)
{
  const size_t n = (size_t)self->unknowns;
  PetscInt    *list, joints = 0, all = 0, hard, loose;
  PetscReal   *q, *d, *D, *v;
  PetscBool    closed;
  Assembly     a;

  PetscFunctionBegin;
  self->redundant = "";
  for (PetscInt b = 0; b < self->bodies; b++) self->degrees += self->body[b].planar ? 3 : 6;
  PetscCall(PetscMalloc5((size_t)self->rows + 1, &list, n, &q, n, &d, n, &D, n, &v));
  for (int drive = 0; drive < 2; drive++) {
    for (PetscInt i = 0; i < self->rows; i++) {
      const NsMbRow *row = &self->row[i];
      if (row->bilateral && !row->loose && !row->rigid && (row->speed || row->motion) == (drive == 1)) list[all++] = i;
    }
    if (!drive) joints = all;
  }
  hard = all; /* and elastic rods as if they were rigid: they start without strain */
  for (PetscInt i = 0; i < self->rows; i++) {
    if (self->row[i].rigid) list[hard++] = i;
  }
  loose = hard;
  for (PetscInt i = 0; i < self->rows; i++) {
    if (self->row[i].loose) list[loose++] = i;
  }
  if (all) {
    PetscCall(create(self, list, hard, &a));
    PetscCall(PetscArraycpy(q, self->start_q, n));
    PetscCall(close_gaps(self, &a, q, d, &closed));
    if (closed) check_moves(self, &a, q, self->start_q, d);
    if (closed && !NsDiagErrors(self->diag)) {
      PetscCall(PetscArraycpy(self->start_q, q, n));
      PetscCall(count_freedom(self, q, list, joints));
      PetscCall(check_drives(self, q, list, joints, all));
    }
    PetscCall(destroy(&a));
  } else {
    PetscCall(PetscArraycpy(q, self->start_q, n));
  }
  if (loose && !NsDiagErrors(self->diag)) PetscCall(set_velocities(self, q, list, hard, loose, v, D, d));
  leave_out_implied(self);
  PetscCall(PetscFree5(list, q, d, D, v));
  PetscFunctionReturn(0);
}
