/*
  What limits the step of explicit schemes: the highest eigenvalues of (K, M), omega^2, and of (C, M), the damping rate.

  Bound: the matrices are sums over *cells*, an element or a rigid body each, so no eigenvalue is above the largest of one cell alone (Irons and Treharne).
  Unknowns without mass (redistribution.c) count as held, which they are while contacts stick; while contacts are open they are free, which only lowers the eigenvalues.

  Springs, bearings and dashpots have no mass of their own: each is assigned to a cell at its point; one between two points counts as two of twice the size to ground,
  since (a - b)' K (a - b) <= 2 a'K a + 2 b'K b. Inertias are assigned to one cell at their point. The bound is rigorous, and exact for a uniform bar.

  Gyroscopic terms raise frequencies: a mode of frequency w with the gyroscopic rate g = |Omega| max eigenvalue of (iG, M) is at most g/2 + sqrt(g^2/4 + w^2);
  of a spin that is free only the speed at the start is known. The skew part of a bearing's damping acts alike. Bearings over speed count at every row of their
  table. The skew part of an unsymmetric stiffness is left out: it acts like a damping rate and hardly changes frequencies.
*/
#include <stdio.h>
#include <string.h>
#include "bounds.h"
#include "components.h"
#include <petscblaslapack.h>

#define NS_CELL_SIZE (NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS)

/* An element (the first fe->elements cells) or a body without elements (the rest), with its attachments. */
typedef struct {
  PetscInt  n, unknown[NS_ELEMENT_UNKNOWNS];
  PetscReal M[NS_CELL_SIZE], C[NS_CELL_SIZE], K[NS_CELL_SIZE], G[NS_CELL_SIZE];
} Cell;

/* What is attached to which cell: chains through `next`, spring s is 2 s + end, inertia i is 2 springs + i. */
typedef struct {
  PetscInt *first; /* [cells] */
  PetscInt *next;  /* [2 springs + inertias] */
} Attached;

/* Largest eigenvalue of (X, M), n x n, both overwritten. */
static PetscErrorCode largest_eigenvalue(PetscInt n, PetscReal *X, PetscReal *M, PetscReal *largest)
{
  PetscBLASInt type = 1, size, work_size = 64 * NS_ELEMENT_UNKNOWNS, info;
  PetscReal    values[NS_ELEMENT_UNKNOWNS], work[64 * NS_ELEMENT_UNKNOWNS];

  PetscFunctionBegin;
  *largest = 0;
  if (n == 0) PetscFunctionReturn(0);
  PetscCall(PetscBLASIntCast(n, &size));
  LAPACKsygv_(&type, "N", "U", &size, X, &size, M, &size, values, work, &work_size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "the matrices of an element are singular or not finite (dsygv returned %d)", (int)info);
  *largest = PetscMax(values[n - 1], 0);
  PetscFunctionReturn(0);
}

/* The body of a cell. */
static PetscInt body_of(const NsFe *fe, PetscInt index)
{
  return index < fe->elements ? fe->element[index].body : fe->node_body[fe->rigid[index - fe->elements]];
}

/* Of each node: an element that has it, or the cell of its body. */
static PetscErrorCode cells_of_nodes(const NsFe *fe, PetscInt **result)
{
  PetscInt *cell, next = fe->elements;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->nodes, &cell));
  for (PetscInt r = 0; r < fe->rigids; r++) cell[fe->rigid[r]] = next++;
  for (PetscInt i = fe->elements - 1; i >= 0; i--) {
    for (PetscInt k = 0; k < fe->body[fe->element[i].body].element->nodes; k++) cell[fe->element[i].node[k]] = i;
  }
  *result = cell;
  PetscFunctionReturn(0);
}

static PetscErrorCode attach(const NsFe *fe, PetscInt cells, Attached *attached)
{
  const PetscInt links = 2 * fe->force_elements + fe->inertias;
  PetscInt      *of_node;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(cells, &attached->first, links, &attached->next));
  PetscCall(cells_of_nodes(fe, &of_node));
  for (PetscInt i = 0; i < cells; i++) attached->first[i] = -1;
  for (PetscInt k = 0; k < links; k++) {
    const NsFePoint *spot = k < 2 * fe->force_elements ? &fe->force[k / 2].end[k % 2] : &fe->inertia[k - 2 * fe->force_elements].at;
    if (spot->body < 0) continue;
    const PetscInt cell   = spot->node >= 0 ? of_node[spot->node] : spot->element;
    attached->next[k]     = attached->first[cell];
    attached->first[cell] = k;
  }
  PetscCall(PetscFree(of_node));
  PetscFunctionReturn(0);
}

static PetscInt find(const Cell *cell, PetscInt unknown)
{
  for (PetscInt i = 0; i < cell->n; i++) {
    if (cell->unknown[i] == unknown) return i;
  }
  return -1;
}

/* X of a point into a matrix of the cell, which has all its unknowns but those without mass. */
static void add(const Cell *cell, const NsPoint *point, const PetscReal *X, PetscReal scale, PetscReal *matrix)
{
  for (PetscInt i = 0; i < point->unknowns; i++) {
    const PetscInt row = find(cell, point->unknown[i]);
    for (PetscInt j = 0; j < point->unknowns && row >= 0; j++) {
      const PetscInt column = find(cell, point->unknown[j]);
      if (column >= 0) matrix[row * cell->n + column] += scale * X[i * point->unknowns + j];
    }
  }
}

static void add_spring(const NsFe *fe, const NsForceElement *spring, int end, const PetscReal *speeds, Cell *cell)
{
  const PetscReal factor = spring->end[1].body < 0 ? 1 : 2;
  PetscReal       k[36], c[36], row[NS_POINT_UNKNOWNS][6], X[NS_POINT_UNKNOWNS * NS_POINT_UNKNOWNS];
  NsPoint         point;

  NsFeExpand(fe, &spring->end[end], &point);
  NsFeForceSteepest(fe, spring, speeds, k, c);
  for (PetscInt i = 0; i < point.unknowns; i++) {
    for (int a = 0; a < 6; a++) row[i][a] = a < 3 ? point.move[i][a] : point.turn[i][a - 3];
  }
  NsFeForceBlock(point.unknowns, row, k, NS_FE_SYMMETRIC, X);
  add(cell, &point, X, factor, cell->K);
  NsFeForceBlock(point.unknowns, row, c, NS_FE_SYMMETRIC, X);
  add(cell, &point, X, factor, cell->C);
  NsFeForceBlock(point.unknowns, row, c, NS_FE_SKEW, X); /* acts like gyroscopic terms */
  add(cell, &point, X, factor, cell->G);
}

static void add_inertia(const NsFe *fe, const NsFeInertia *inertia, Cell *cell)
{
  PetscReal X[NS_POINT_UNKNOWNS * NS_POINT_UNKNOWNS];
  NsPoint   point;

  NsFeExpand(fe, &inertia->at, &point);
  NsFeInertiaMass(inertia, &point, X);
  add(cell, &point, X, 1, cell->M);
  if (!inertia->gyroscopic || !fe->body[inertia->at.body].is_rotor) return;
  NsFeDiscGyroscopic(inertia, &point, X);
  add(cell, &point, X, NsSpinHighest(fe->body[inertia->at.body].spin), cell->G);
}

/* Rows and columns of unknowns that are not supported; in place, since a target is never behind its source. */
static PetscInt drop_supported(PetscInt n, const PetscInt *unknown, PetscReal *X)
{
  PetscInt kept[NS_ELEMENT_UNKNOWNS], free = 0;

  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] >= 0) kept[free++] = i;
  }
  for (PetscInt i = 0; i < free; i++) {
    for (PetscInt j = 0; j < free; j++) X[i * free + j] = X[kept[i] * n + kept[j]];
  }
  return free;
}

/* The matrices of a cell with what it carries (NULL: nothing), over its free unknowns; speeds[bodies] for bearings over speed, NULL as in NsFeForceTangents. */
static void make_cell(const NsFe *fe, PetscInt index, const Attached *attached, const PetscReal *speeds, Cell *cell)
{
  memset(cell, 0, sizeof(*cell));
  if (index < fe->elements) {
    const NsFeElement *e    = &fe->element[index];
    const NsFeBody    *body = &fe->body[e->body];
    const PetscInt     n = NsFeElementUnknowns(fe, e, cell->unknown), d = body->node_unknowns;
    PetscReal          row[NS_ELEMENT_UNKNOWNS];
    for (PetscInt i = 0; i < n; i++) {
      if (NsFeIsMassless(fe, e->node[i / d]) && !body->turns[i % d]) cell->unknown[i] = -1;
    }
    if (body->element->cell) {
      body->element->cell(body, e, cell->M, cell->C, cell->K);
    } else {
      NsFeElementMass(fe, e, cell->M);
      body->element->stiffness(body, e, cell->K);
    }
    for (PetscInt i = 0; i < n * n; i++) cell->C[i] += body->damping_mass * cell->M[i] + body->damping_stiffness * cell->K[i];
    if (body->damping_torsion > 0) { /* (a - b)^2 <= 2 a^2 + 2 b^2, and |a . axis| <= |a| */
      body->element->twist(body, e, row);
      for (PetscInt i = 0; i < n; i++) cell->C[i * n + i] += 2 * body->damping_torsion * (PetscAbsReal(row[i]) > 1e-12 ? 1 : 0);
    }
    if (body->is_rotor && body->gyroscopic) {
      body->element->gyroscopic(body, e, cell->G);
      for (PetscInt i = 0; i < n * n; i++) cell->G[i] *= NsSpinHighest(body->spin);
    }
    drop_supported(n, cell->unknown, cell->M);
    drop_supported(n, cell->unknown, cell->K);
    drop_supported(n, cell->unknown, cell->G);
    cell->n       = drop_supported(n, cell->unknown, cell->C);
    PetscInt free = 0;
    for (PetscInt i = 0; i < n; i++) {
      if (cell->unknown[i] >= 0) cell->unknown[free++] = cell->unknown[i];
    }
  } else {
    const PetscInt  body    = body_of(fe, index);
    const PetscInt *unknown = NsFeNodeUnknowns(fe, fe->rigid[index - fe->elements]);
    for (PetscInt a = 0; a < fe->body[body].node_unknowns; a++) {
      if (unknown[a] >= 0) cell->unknown[cell->n++] = unknown[a];
    }
  }
  for (PetscInt k = attached ? attached->first[index] : -1; k >= 0; k = attached->next[k]) {
    if (k < 2 * fe->force_elements)
      add_spring(fe, &fe->force[k / 2], k % 2, speeds, cell);
    else
      add_inertia(fe, &fe->inertia[k - 2 * fe->force_elements], cell);
  }
}

/* Largest |eigenvalue| of (iG, M), G skew: the square root of the largest of (G' M^-1 G, M). Both overwritten. */
static PetscErrorCode largest_gyroscopic(PetscInt n, PetscReal *G, PetscReal *M, PetscReal *largest)
{
  PetscReal    L[NS_CELL_SIZE], Y[NS_CELL_SIZE], X[NS_CELL_SIZE], size = 0;
  PetscBLASInt order, info;

  PetscFunctionBegin;
  *largest = 0;
  for (PetscInt i = 0; i < n * n; i++) size = PetscMax(size, PetscAbsReal(G[i]));
  if (size == 0) PetscFunctionReturn(0);
  PetscCall(PetscBLASIntCast(n, &order));
  PetscCall(PetscArraycpy(L, M, n * n));
  PetscCall(PetscArraycpy(Y, G, n * n)); /* row-major G is column-major G' = -G: the sign does not matter */
  LAPACKpotrf_("U", &order, L, &order, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "the mass matrix of an element is singular or not finite (dpotrf returned %d)", (int)info);
  LAPACKpotrs_("U", &order, &order, L, &order, Y, &order, &info);
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      X[i * n + j] = 0;
      for (PetscInt k = 0; k < n; k++) X[i * n + j] += G[i * n + k] * Y[j * n + k]; /* G M^-1 G' */
    }
  }
  PetscCall(largest_eigenvalue(n, X, M, largest));
  *largest = PetscSqrtReal(*largest);
  PetscFunctionReturn(0);
}

/* Frequency and damping rate of a cell alone. */
static PetscErrorCode cell_bounds(const Cell *cell, PetscReal *omega, PetscReal *rate, PetscReal *gyroscopic)
{
  const PetscInt n = cell->n;
  PetscReal      M[NS_CELL_SIZE], X[NS_CELL_SIZE];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(M, cell->M, n * n));
  PetscCall(PetscArraycpy(X, cell->K, n * n));
  PetscCall(largest_eigenvalue(n, X, M, omega));
  PetscCall(PetscArraycpy(M, cell->M, n * n));
  PetscCall(PetscArraycpy(X, cell->C, n * n));
  PetscCall(largest_eigenvalue(n, X, M, rate));
  PetscCall(PetscArraycpy(M, cell->M, n * n));
  PetscCall(PetscArraycpy(X, cell->G, n * n));
  PetscCall(largest_gyroscopic(n, X, M, gyroscopic));
  *omega = PetscSqrtReal(*omega);
  PetscFunctionReturn(0);
}

/* "bearing 'drive' at the element of 'shaft' from ... to ...": what sets a bound. */
static void name_cell(const NsFe *fe, PetscInt index, const Attached *attached, PetscBool by_spring, char *text, size_t size)
{
  const NsForceElement *spring = NULL;

  for (PetscInt k = attached->first[index]; by_spring && k >= 0; k = attached->next[k]) {
    if (k < 2 * fe->force_elements) spring = &fe->force[k / 2];
  }
  const int used =
    snprintf(text, size, "%s%s%s%s", spring ? spring->type->kind : "", spring ? " '" : "", spring ? spring->name : "", spring ? "' at the " : "");
  if (used < 0 || (size_t)used >= size) return;
  if (index < fe->elements) {
    const NsFeElement *e = &fe->element[index];
    if (fe->body[e->body].bounds) {
      (void)snprintf(text + used, size - (size_t)used, "matrices of '%s'", fe->body[e->body].name);
      return;
    }
    const PetscReal *a = fe->x + 3 * e->node[0], *b = fe->x + 3 * e->node[fe->body[e->body].element->nodes - 1];
    (void)snprintf(text + used, size - (size_t)used, "element of '%s' from (%g, %g, %g) to (%g, %g, %g) m", fe->body[e->body].name, a[0], a[1], a[2],
      b[0], b[1], b[2]);
  } else {
    (void)snprintf(text + used, size - (size_t)used, "rigid body '%s'", fe->body[body_of(fe, index)].name);
  }
}

/* Frequency and damping rate of a cell: with what it carries, or alone (NULL). */
static PetscErrorCode bounds_of(
  const NsFe *fe, PetscInt index, const Attached *attached, const PetscReal *speeds, PetscReal *omega, PetscReal *rate, PetscReal *gyroscopic)
{
  Cell cell;

  PetscFunctionBegin;
  *omega = *rate = *gyroscopic = 0;
  if (!attached && index >= fe->elements) PetscFunctionReturn(0); /* a rigid body is nothing but what it carries */
  if (!attached && !fe->body[fe->element[index].body].redistributed && fe->body[fe->element[index].body].element->frequency) {
    const NsFeElement *e    = &fe->element[index];
    const NsFeBody    *body = &fe->body[e->body];
    *omega                  = body->element->frequency(body, e);
    *rate                   = body->damping_mass + body->damping_stiffness * PetscSqr(*omega);
    PetscFunctionReturn(0);
  }
  make_cell(fe, index, attached, speeds, &cell);
  PetscCall(cell_bounds(&cell, omega, rate, gyroscopic));
  PetscFunctionReturn(0);
}

/* The largest with what it carries, bearings at any speed: matrices are linear between the rows of a table, and bounds convex in them, so rows suffice. */
static PetscErrorCode bounds_at_any_speed(
  const NsFe *fe, PetscInt index, const Attached *attached, PetscReal *omega, PetscReal *rate, PetscReal *gyroscopic)
{
  PetscReal *speeds, speed;

  PetscFunctionBegin;
  PetscCall(bounds_of(fe, index, attached, NULL, omega, rate, gyroscopic));
  PetscCall(PetscMalloc1(fe->bodies, &speeds));
  for (PetscInt k = attached->first[index]; k >= 0; k = attached->next[k]) {
    const NsForceElement *spring = k < 2 * fe->force_elements ? &fe->force[k / 2] : NULL;
    for (PetscInt i = 0; spring && spring->type->speed && spring->type->speed(spring, i, &speed); i++) {
      PetscReal own, own_rate, own_gyroscopic;
      for (PetscInt b = 0; b < fe->bodies; b++) speeds[b] = speed;
      PetscCall(bounds_of(fe, index, attached, speeds, &own, &own_rate, &own_gyroscopic));
      *omega = PetscMax(*omega, own);
      *rate  = PetscMax(*rate, own_rate);
    }
  }
  PetscCall(PetscFree(speeds));
  PetscFunctionReturn(0);
}

/* Bounds of elements met before, none of them supported: the last few kinds, of which lattices have several that take turns. */
#define NS_KNOWN 16
typedef struct {
  PetscInt           count;
  const NsFeElement *element[NS_KNOWN];
  PetscReal          omega[NS_KNOWN], rate[NS_KNOWN], gyroscopic[NS_KNOWN];
} Known;

static PetscBool is_supported(const NsFe *fe, const NsFeElement *e)
{
  PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt n = NsFeElementUnknowns(fe, e, unknown);

  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] < 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Frequency and damping rate of a cell alone. */
static PetscErrorCode bounds_alone(const NsFe *fe, PetscInt index, Known *known, PetscReal *omega, PetscReal *rate, PetscReal *gyroscopic)
{
  const NsFeElement *e     = index < fe->elements ? &fe->element[index] : NULL;
  const PetscBool    plain = e && !fe->body[e->body].element->frequency && !fe->body[e->body].redistributed && !is_supported(fe, e);

  PetscFunctionBegin;
  for (PetscInt k = 0; plain && k < PetscMin(known->count, NS_KNOWN); k++) {
    if (known->element[k]->body != e->body || (!fe->body[e->body].bounds && !NsFeAlike(&fe->body[e->body], known->element[k], e, NS_SAME_AXIS)))
      continue;
    *omega      = known->omega[k];
    *rate       = known->rate[k];
    *gyroscopic = known->gyroscopic[k];
    PetscFunctionReturn(0);
  }
  PetscCall(bounds_of(fe, index, NULL, NULL, omega, rate, gyroscopic));
  if (plain) {
    const PetscInt k     = known->count++ % NS_KNOWN; /* in the place of the oldest */
    known->element[k]    = e;
    known->omega[k]      = *omega;
    known->rate[k]       = *rate;
    known->gyroscopic[k] = *gyroscopic;
  }
  PetscFunctionReturn(0);
}

PetscInt NsFeParts(NsFe *fe)
{
  PetscInt parts = 0;

  fe->rigid = NsArenaAlloc(fe->arena, sizeof(*fe->rigid) * (size_t)fe->nodes);
  for (PetscInt i = 0; i < fe->nodes; i++) {
    if (fe->body[fe->node_body[i]].mesh->elements == 0) fe->rigid[fe->rigids++] = i;
  }
  for (PetscInt b = 0; b < fe->bodies; b++) fe->body[b].part = b;
  for (PetscInt s = 0; s < fe->force_elements; s++) {
    const PetscInt a = fe->force[s].end[0].body, b = fe->force[s].end[1].body;
    if (b < 0) continue;
    const PetscInt from = PetscMax(fe->body[a].part, fe->body[b].part), to = PetscMin(fe->body[a].part, fe->body[b].part);
    for (PetscInt i = 0; i < fe->bodies; i++) {
      if (fe->body[i].part == from) fe->body[i].part = to;
    }
  }
  for (PetscInt b = 0; b < fe->bodies; b++) { /* numbers without holes: the first body of a part has its own number */
    if (fe->body[b].part != b) continue;
    for (PetscInt i = b; i < fe->bodies; i++) {
      if (fe->body[i].part == b) fe->body[i].part = parts;
    }
    parts++;
  }
  return parts;
}

/* Of all cells of a part: the largest of each; *gyroscopic in rad/s. */
PetscErrorCode NsFeBounds(NsFe *fe, PetscInt part, NsBound *omega, NsBound *damping_rate, PetscReal *gyroscopic)
{
  Attached  attached;
  PetscInt  stiffest = 0, most_damped = 0, cells = fe->elements;
  PetscBool by_spring[2] = {PETSC_FALSE, PETSC_FALSE};
  PetscReal alone, alone_rate, alone_gyroscopic;
  Known     known = {.count = 0};

  PetscFunctionBegin;
  omega->value = damping_rate->value = *gyroscopic = 0;
  cells += fe->rigids;
  PetscCall(attach(fe, cells, &attached));
  for (PetscInt i = 0; i < cells; i++) {
    PetscReal own, rate, spin;
    if (fe->body[body_of(fe, i)].part != part) continue;
    PetscCall(bounds_alone(fe, i, &known, &alone, &alone_rate, &alone_gyroscopic));
    own  = alone;
    rate = alone_rate;
    spin = alone_gyroscopic;
    if (attached.first[i] >= 0) PetscCall(bounds_at_any_speed(fe, i, &attached, &own, &rate, &spin));
    *gyroscopic = PetscMax(*gyroscopic, spin);
    if (own > omega->value * (1 + 1e-9)) { /* of equal ones the first */
      omega->value = own;
      stiffest     = i;
      by_spring[0] = own > alone * (1 + 1e-3);
    }
    if (rate > damping_rate->value * (1 + 1e-9)) {
      damping_rate->value = rate;
      most_damped         = i;
      by_spring[1]        = rate > alone_rate * (1 + 1e-3);
    }
  }
  for (PetscInt b = 0; b < fe->bodies; b++) { /* of all its elements together */
    if (fe->body[b].part == part && fe->body[b].bounds) *gyroscopic += fe->body[b].bounds->gyroscopic_rate;
  }
  name_cell(fe, stiffest, &attached, by_spring[0], omega->where, sizeof(omega->where));
  name_cell(fe, most_damped, &attached, by_spring[1], damping_rate->where, sizeof(damping_rate->where));
  PetscCall(PetscFree2(attached.first, attached.next));
  PetscFunctionReturn(0);
}

/* The frequency that gyroscopic terms can raise omega to. */
PetscReal NsFeRaised(PetscReal omega, PetscReal gyroscopic)
{
  return gyroscopic / 2 + PetscSqrtReal(PetscSqr(gyroscopic) / 4 + omega * omega);
}

PetscErrorCode NsFeFrequencyBound(NsModel *model, PetscInt part, NsBound *omega, NsBound *damping_rate)
{
  PetscReal gyroscopic;

  PetscFunctionBegin;
  PetscCall(NsFeBounds(model->data, part, omega, damping_rate, &gyroscopic));
  omega->value = NsFeRaised(omega->value, gyroscopic);
  PetscFunctionReturn(0);
}
