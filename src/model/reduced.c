#include <stdlib.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "core/cache.h"
#include "model/reduced.h"

#define NS_EQUAL           1e-6  /* frequencies that differ by less, relative to themselves, */
#define NS_STILL           1e-9  /* or to the highest one computed, count as equal */
#define NS_APART           1e-11 /* of the largest number of C: modes that are coupled by less are not */
#define NS_SHIFT           1e-3  /* sigma in units of omega_next^2 */
#define NS_MOST_ITERATIONS 8

/* Number of modes: from the requested one to the end of its group. All of them: the group may continue beyond. */
static PetscInt cut(const NsModelModes *modes, PetscInt wanted)
{
  const PetscReal *omega = modes->omega;
  PetscInt         r     = PetscMin(wanted, modes->count);

  while (r < modes->count && !(omega[r] > 0 && omega[r] - omega[r - 1] > NS_EQUAL * omega[r] + NS_STILL * omega[modes->count - 1])) r++;
  return r;
}

/* Computes enough modes for the choice, and one more if there is one. */
static PetscErrorCode find_modes(NsModel *model, PetscInt wanted, PetscReal highest, NsModelModes *modes, PetscInt *chosen)
{
  PetscFunctionBegin;
  for (PetscInt ask = wanted ? wanted + 8 : 32;; ask *= 2) {
    PetscCall(model->analysis.modes(model, ask, modes));
    PetscInt count = wanted;
    for (PetscInt j = 0; j < modes->count && !wanted; j++) count += modes->omega[j] <= highest;
    if (!wanted && count == 0) count = 1;
    *chosen = cut(modes, count);
    if (*chosen < modes->count || modes->count < ask) PetscFunctionReturn(0);
    PetscCall(NsModelModesDestroy(modes));
  }
}

static PetscInt root_of(const PetscInt *parent, PetscInt i)
{
  while (parent[i] != i) i = parent[i];
  return i;
}

/* order[r]: modes that are coupled with no other first, then the groups; self->block, blocks, alone. */
static PetscErrorCode group(NsReduced *self, const NsModelModes *modes, PetscInt *order)
{
  const PetscInt r = self->modes, all = modes->count;
  PetscInt      *parent, *size, at = 0;
  PetscReal      largest = 0, turning = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(r, &parent, r, &size));
  for (PetscInt i = 0; i < r; i++) {
    parent[i] = i;
    for (PetscInt j = 0; j < r; j++) {
      largest = PetscMax(largest, PetscAbsReal(modes->damping[i * all + j]));
      turning = PetscMax(turning, PetscAbsReal(modes->circulation[i * all + j]));
    }
  }
  for (PetscInt i = 0; i < r; i++) {
    for (PetscInt j = 0; j < r; j++) {
      if (i == j ||
          (PetscAbsReal(modes->damping[i * all + j]) <= NS_APART * largest && PetscAbsReal(modes->circulation[i * all + j]) <= NS_APART * turning))
        continue;
      const PetscInt a = root_of(parent, i), b = root_of(parent, j);
      parent[PetscMax(a, b)] = PetscMin(a, b);
    }
  }
  for (PetscInt i = 0; i < r; i++) size[root_of(parent, i)]++;
  self->block[0] = 0;
  for (int coupled = 0; coupled < 2; coupled++) {
    for (PetscInt i = 0; i < r; i++) {
      if (parent[i] != i || (size[i] > 1) != coupled) continue;
      for (PetscInt j = i; j < r; j++) {
        if (root_of(parent, j) == i) order[at++] = j;
      }
      self->block[++self->blocks] = at;
      self->alone += !coupled;
    }
  }
  PetscCall(PetscFree2(parent, size));
  PetscFunctionReturn(0);
}

/* The chosen modes in their order. */
static PetscErrorCode take_modes(NsReduced *self, const NsModelModes *modes)
{
  const NsModel  *model = self->model;
  const PetscInt  r = self->modes, n = self->unknowns, all = modes->count;
  const PetscInt *index = model->watch ? model->watch->index : model->touch;
  PetscInt       *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r, &order));
  PetscCall(group(self, modes, order));
  for (PetscInt i = 0; i < r; i++) {
    const PetscScalar *value;
    self->omega[i] = modes->omega[order[i]];
    value          = NsVecRead(modes->shape[order[i]]);
    PetscCall(PetscArraycpy(self->shape + (size_t)i * (size_t)n, value, n));
    for (PetscInt k = 0; k < self->touches; k++) self->at_touch[k * r + i] = value[index[k]];
    for (PetscInt j = 0; j < r; j++) {
      self->damping[i * r + j]     = modes->damping[order[i] * all + order[j]];
      self->circulation[i * r + j] = modes->circulation[order[i] * all + order[j]];
    }
  }
  PetscCall(PetscFree(order));
  PetscFunctionReturn(0);
}

static PetscReal dot(PetscInt n, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* x = R b: solve, remove the modes, until converged. K + sigma M is in slot 1; mx is scratch. */
static PetscErrorCode static_response(const NsReduced *self, PetscReal sigma, Vec b, Vec load, Vec mx, Vec x)
{
  PetscReal size, last = 0;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(x));
  for (int iteration = 0; iteration < NS_MOST_ITERATIONS; iteration++) {
    PetscScalar *value;
    PetscCall(NsModelMult(self->model, 0, x, x, mx));
    PetscCall(VecWAXPY(load, sigma, mx, b));
    PetscCall(NsModelSolve(self->model, 1, load, x));
    for (int again = 0; again < 2; again++) { /* the second pass removes the rounding errors of the first */
      const PetscScalar *momentum;
      PetscCall(NsModelMult(self->model, 0, x, x, mx));
      momentum = NsVecRead(mx);
      value    = NsVecArray(x);
      for (PetscInt j = 0; j < self->modes; j++) {
        const PetscReal *shape = self->shape + (size_t)j * (size_t)self->unknowns, part = dot(self->unknowns, shape, momentum);
        for (PetscInt i = 0; i < self->unknowns; i++) value[i] -= part * shape[i];
      }
    }
    PetscCall(VecNorm(x, NORM_2, &size));
    if (PetscAbsReal(size - last) <= 1e-14 * size) break;
    last = size;
  }
  PetscFunctionReturn(0);
}

/* Residual flexibility for forces on the touch list and for the loads. */
static PetscErrorCode find_flexibilities(NsReduced *self, const Vec *force)
{
  const NsModel  *model = self->model;
  const PetscInt  n = self->unknowns, touches = self->touches;
  const PetscReal sigma = NS_SHIFT * PetscSqr(self->next), one = 1;
  Vec             b, load, mx, x;

  PetscFunctionBegin;
  if (self->next == 0) PetscFunctionReturn(0);
  PetscCall(NsVecsCreate(model, &b, &load, &mx, &x, NULL));
  PetscCall(NsModelFactor(self->model, 1, 0, x, mx, (NsOperator){sigma, 0, 1}));
  for (PetscInt k = 0; k < touches + self->loads; k++) {
    PetscReal         *to = k < touches ? self->flexibility + (size_t)k * (size_t)n : self->load_flexibility + (size_t)(k - touches) * (size_t)n;
    const PetscScalar *value;
    PetscReal          size;
    PetscCall(VecZeroEntries(b));
    if (k < touches)
      PetscCall(NsModelTouchAdd(model, 1, &k, &one, b));
    else
      PetscCall(VecCopy(force[k - touches], b));
    PetscCall(VecNorm(b, NORM_INFINITY, &size));
    if (size == 0) continue;
    PetscCall(static_response(self, sigma, b, load, mx, x));
    value = NsVecRead(x);
    PetscCall(PetscArraycpy(to, value, n));
  }
  PetscCall(NsVecsDestroy(&b, &load, &mx, &x, NULL));
  PetscFunctionReturn(0);
}

/* What the touch list itself has of them. */
static void take_touches(NsReduced *self)
{
  const NsModel *model = self->model;
  const PetscInt n = self->unknowns, touches = self->touches, *index = model->watch ? model->watch->index : model->touch;

  for (PetscInt i = 0; i < touches; i++) {
    for (PetscInt j = 0; j < touches; j++)
      self->flexibility_touch[i * touches + j] = (self->flexibility[i * n + index[j]] + self->flexibility[j * n + index[i]]) / 2;
    for (PetscInt l = 0; l < self->loads; l++) self->load_touch[l * touches + i] = self->load_flexibility[l * n + index[i]];
  }
}

const char *const NsFadeWords[] = {"2", "balanced", "2.7", "off", NULL};
const char *const NsFadeTexts[] = {"for contact forces; the motion after many impacts lags behind", "for motion and contact forces over many impacts",
  "for the motion after some impacts", "for the motion after many impacts; contact forces oscillate strongly"};

/* Weights s^2 and their slopes over x, cubic between them: found by minimising the errors of motion and force of the bouncing bar over ten periods, with 15 to 60 modes. */
static PetscReal balanced(PetscReal x)
{
  static const PetscReal at[][3] = {{0, 1, 0}, {0.15, 0.99322, -0.07846}, {0.3, 0.948674, -0.42694}, {0.45, 0.834795, -1.131},
    {0.6, 0.502321, -1.15628}, {0.72, 0.406242, -0.89939}, {0.82, 0.304495, -0.77693}, {0.9, 0.253529, -0.80957}, {0.96, 0.189094, -0.18143},
    {1, 0.184893, 0}};
  int                    k       = 0;

  while (k < 8 && x > at[k + 1][0]) k++;
  const PetscReal h = at[k + 1][0] - at[k][0], s = PetscMin(1, (x - at[k][0]) / h), r = 1 - s;
  return r * r * ((1 + 2 * s) * at[k][1] + s * h * at[k][2]) + s * s * ((1 + 2 * r) * at[k + 1][1] - r * h * at[k + 1][2]);
}

/* s^2 of a mode, and the stiffness omega^2/(1 - s^2) of what is then flexibility of the contact. */
static PetscReal weight(NsFade fade, PetscReal square, PetscReal end, PetscReal *stiffness)
{
  const PetscReal ratio = square / PetscSqr(end), x = PetscSqrtReal(ratio);
  PetscReal       share = 1;

  if (fade == NS_FADE_2) share = 1 - ratio;
  if (fade == NS_FADE_27) share = 1 - PetscPowReal(x, 2.7);
  if (fade == NS_FADE_BALANCED) share = balanced(x);
  *stiffness = fade == NS_FADE_2 ? PetscSqr(end) : share < 1 ? square / (1 - share) : PETSC_INFINITY;
  return share;
}

/* Weights of the modes at contacts. If no mode is omitted, the next frequency is extrapolated. */
static void fade_modes(NsReduced *self, NsFade fade)
{
  const PetscInt touches = self->touches, r = self->modes;
  PetscReal      highest = 0;

  for (PetscInt j = 0; j < r; j++) highest = PetscMax(highest, self->omega[j]);
  self->end = self->next > 0 ? self->next : highest * (1 + 1. / r);
  for (PetscInt k = 0; k < touches * touches; k++) self->flexibility_contact[k] = self->flexibility_touch[k];
  for (PetscInt k = 0; k < self->loads * touches; k++) self->load_contact[k] = self->load_touch[k];
  for (PetscInt j = 0; j < r; j++) {
    PetscReal       stiffness = PETSC_INFINITY;
    const PetscReal square = PetscSqr(self->omega[j]), share = square > 0 ? PetscSqrtReal(weight(fade, square, self->end, &stiffness)) : 1;
    for (PetscInt i = 0; i < touches; i++) self->at_contact[i * r + j] = share * self->at_touch[i * r + j];
    if (square == 0) continue;
    for (PetscInt i = 0; i < touches; i++) {
      const PetscReal shape = self->at_touch[i * r + j];
      for (PetscInt k = 0; k < touches; k++) self->flexibility_contact[i * touches + k] += shape * self->at_touch[k * r + j] / stiffness;
      for (PetscInt l = 0; l < self->loads; l++) self->load_contact[l * touches + i] += (1 - share) / square * shape * self->load[l * r + j];
    }
  }
}

static PetscErrorCode take_loads(NsReduced *self, const Vec *force)
{
  const PetscInt n = self->unknowns, loads = self->loads;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < loads; l++) {
    const PetscReal *value = NsVecRead(force[l]);
    for (PetscInt j = 0; j < self->modes; j++) self->load[l * self->modes + j] = dot(n, self->shape + (size_t)j * (size_t)n, value);
    for (PetscInt k = 0; k < loads; k++) self->load_load[l * loads + k] = dot(n, self->load_flexibility + (size_t)k * (size_t)n, value);
  }
  PetscFunctionReturn(0);
}

/* ---- kept between runs -------------------------------------------------------------------------------------------------------------------------- */

#define NS_KEPT_RATE 2e-5 /* s: about what each DOF and mode takes */

/* Under which modes and flexibilities are kept; "": they are not. */
static PetscErrorCode find_key(NsModel *model, PetscInt wanted, PetscReal highest, PetscInt loads, const Vec *force, char key[NS_SHA256_TEXT])
{
  const PetscInt  n       = model->layout->local;
  const PetscReal seconds = NS_KEPT_RATE * (PetscReal)n * (PetscReal)((wanted ? wanted : 32) + model->touches);
  NsSha256        sha;

  PetscFunctionBegin;
  *key = '\0';
  if (!model->analysis.fingerprint || !NsCacheKeeps(seconds)) PetscFunctionReturn(0);
  NsCacheKeyBegin(&sha);
  NsSha256Add(&sha, &wanted, sizeof(wanted));
  NsSha256Add(&sha, &highest, sizeof(highest));
  PetscCall(model->analysis.fingerprint(model, &sha));
  for (PetscInt l = 0; l < loads; l++) NsSha256Add(&sha, NsVecRead(force[l]), sizeof(PetscReal) * (size_t)n);
  NsSha256End(&sha, key);
  PetscFunctionReturn(0);
}

/* The numbers in their order: chosen and all modes; omega, damping, circulation, shapes of all; flexibilities of touch list and loads. */
static PetscErrorCode keep(const char *key, PetscInt chosen, const NsModelModes *modes, const NsReduced *self)
{
  const size_t  n = (size_t)self->unknowns, count = (size_t)modes->count;
  const double  sizes[2] = {(double)chosen, (double)modes->count};
  NsCacheBlock *block;
  int           blocks = 0;

  PetscFunctionBegin;
  if (!*key) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(count + 8, &block));
  block[blocks++] = (NsCacheBlock){sizes, 2};
  block[blocks++] = (NsCacheBlock){modes->omega, count};
  block[blocks++] = (NsCacheBlock){modes->damping, count * count};
  block[blocks++] = (NsCacheBlock){modes->circulation, count * count};
  for (PetscInt j = 0; j < modes->count; j++) block[blocks++] = (NsCacheBlock){NsVecRead(modes->shape[j]), n};
  block[blocks++] = (NsCacheBlock){self->flexibility, (size_t)self->touches * n};
  block[blocks++] = (NsCacheBlock){self->load_flexibility, (size_t)self->loads * n};
  NsCacheWrite(key, blocks, block);
  PetscCall(PetscFree(block));
  PetscFunctionReturn(0);
}

/* What `keep` has written, to be freed; NULL: nothing. *flexibility: the part of them. */
static PetscErrorCode take_kept(NsModel *model, const char *key, PetscInt loads, PetscInt *chosen, NsModelModes *modes, const double **flexibility,
  const char **path, double **kept)
{
  const size_t n = (size_t)model->layout->local;
  size_t       numbers;
  char         name[4200];
  Vec          like;

  PetscFunctionBegin;
  *kept = *key ? NsCacheRead(key, &numbers, name, sizeof(name)) : NULL;
  if (!*kept) PetscFunctionReturn(0);
  const size_t count = numbers > 2 && (*kept)[1] >= 1 && (*kept)[1] < 1e6 ? (size_t)(*kept)[1] : 0;
  if (!count || numbers != 2 + count * (1 + 2 * count + n) + (size_t)(model->touches + loads) * n) {
    free(*kept);
    *kept = NULL;
    PetscFunctionReturn(0);
  }
  const double *at = *kept + 2;
  *chosen          = (PetscInt)(*kept)[0];
  *path            = NsArenaCopy(model->arena, name, strlen(name));
  *modes           = (NsModelModes){.count = (PetscInt)count};
  PetscCall(PetscMalloc3(count, &modes->omega, count * count, &modes->damping, count * count, &modes->circulation));
  PetscCall(PetscArraycpy(modes->omega, at, count));
  PetscCall(PetscArraycpy(modes->damping, at + count, count * count));
  PetscCall(PetscArraycpy(modes->circulation, at + count + count * count, count * count));
  at += count + 2 * count * count;
  PetscCall(NsVecsCreate(model, &like, NULL));
  PetscCall(VecDuplicateVecs(like, modes->count, &modes->shape));
  PetscCall(NsVecsDestroy(&like, NULL));
  for (size_t j = 0; j < count; j++, at += n) PetscCall(PetscArraycpy(NsVecArray(modes->shape[j]), at, n));
  *flexibility = at;
  PetscFunctionReturn(0);
}

static PetscReal *reals(const NsModel *model, PetscInt64 count)
{
  return NsArenaAlloc(model->arena, sizeof(PetscReal) * (size_t)(count + 1));
}

PetscErrorCode NsReducedMake(NsModel *model, PetscInt wanted, PetscReal highest, NsFade fade, PetscInt *found, NsReduced *self)
{
  NsModelModes  modes;
  Vec          *force;
  PetscInt      chosen = 0, shapes;
  char          key[NS_SHA256_TEXT];
  double       *kept;
  const double *flexibility;

  PetscFunctionBegin;
  PetscCall(model->analysis.load_shapes(model, &shapes, &force));
  PetscCall(find_key(model, wanted, highest, shapes, force, key));
  PetscCall(take_kept(model, key, shapes, &chosen, &modes, &flexibility, &self->kept, &kept));
  if (!kept) PetscCall(find_modes(model, wanted, highest, &modes, &chosen));
  *found = modes.count;
  if (!modes.count) {
    PetscCall(VecDestroyVecs(shapes, &force));
    PetscCall(NsModelModesDestroy(&modes));
    PetscFunctionReturn(0);
  }
  self->model        = model;
  self->unknowns     = model->layout->local;
  self->touches      = model->touches;
  self->modes        = chosen;
  self->next         = chosen < modes.count ? modes.omega[chosen] : 0;
  self->loads        = shapes;
  const PetscInt64 n = self->unknowns, r = self->modes, touches = self->touches, loads = self->loads;
  self->block               = NsArenaAlloc(model->arena, sizeof(*self->block) * (size_t)(r + 1));
  self->omega               = reals(model, r);
  self->damping             = reals(model, r * r);
  self->circulation         = reals(model, r * r);
  self->shape               = reals(model, r * n);
  self->at_touch            = reals(model, touches * r);
  self->at_contact          = reals(model, touches * r);
  self->flexibility         = reals(model, touches * n);
  self->flexibility_touch   = reals(model, touches * touches);
  self->flexibility_contact = reals(model, touches * touches);
  self->load                = reals(model, loads * r);
  self->load_flexibility    = reals(model, loads * n);
  self->load_load           = reals(model, loads * loads);
  self->load_touch          = reals(model, loads * touches);
  self->load_contact        = reals(model, loads * touches);
  PetscCall(take_modes(self, &modes));
  if (kept) {
    PetscCall(PetscArraycpy(self->flexibility, flexibility, touches * n));
    PetscCall(PetscArraycpy(self->load_flexibility, flexibility + touches * n, loads * n));
    free(kept);
  } else {
    PetscCall(find_flexibilities(self, force));
    PetscCall(keep(key, chosen, &modes, self));
  }
  if (self->next > 0) take_touches(self);
  PetscCall(take_loads(self, force));
  fade_modes(self, fade);
  PetscCall(VecDestroyVecs(self->loads, &force));
  PetscCall(NsModelModesDestroy(&modes));
  PetscFunctionReturn(0);
}

PetscErrorCode NsReducedProject(const NsReduced *self, PetscReal t, Vec x, PetscReal *eta)
{
  Vec                momentum;
  const PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(self->model, &momentum, NULL));
  PetscCall(NsModelMult(self->model, t, x, x, momentum));
  value = NsVecRead(momentum);
  for (PetscInt j = 0; j < self->modes; j++) eta[j] = dot(self->unknowns, self->shape + (size_t)j * (size_t)self->unknowns, value);
  PetscCall(NsVecsDestroy(&momentum, NULL));
  PetscFunctionReturn(0);
}
