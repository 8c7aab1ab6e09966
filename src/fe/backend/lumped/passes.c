/*
  The passes of src/fe/backend/lumped/lumped.h over vectors and elements.

  Four operations share them; they differ in what gives the motion w (fill, value_at) and in what is done with the forces f (finish). Both are loops over tiles: indices of one run
  within one block of coefficients, short enough to stay in the first-level cache.
*/
#include "lumped.h"

typedef enum { FORCE, ACCEL, FLIGHT, DAMPING } Kind;

typedef struct {
  Kind             kind;
  PetscReal        dt;
  const PetscReal *q0, *v0, *a0; /* flight only */
  const PetscReal *q, *v;        /* flight: q1 and va, valid for ghosts only */
  const PetscReal *h;            /* NULL: zero */
  PetscReal       *q1, *v1;
  PetscReal       *result; /* force: h; damping: y */
} Work;

typedef struct {
  PetscInt         index, n;
  const PetscReal *inverse, *drag; /* drag: NULL without damping of the masses */
} Tile;

static const PetscReal *block_at(const NsBlocks *blocks, PetscInt index)
{
  if (!blocks->block) return NULL;
  return blocks->distinct.row + (size_t)blocks->block[index / NS_LUMPED_BLOCK] * (size_t)blocks->distinct.width + index % NS_LUMPED_BLOCK;
}

static PetscBool is_even(const NsBlocks *blocks, PetscInt index)
{
  return blocks->even[blocks->block[index / NS_LUMPED_BLOCK]];
}

static Tile tile_at(const NsLumped *self, PetscInt index, PetscInt end)
{
  const PetscInt next = (index / NS_LUMPED_BLOCK + 1) * NS_LUMPED_BLOCK;

  return (Tile){index, PetscMin(end, next) - index, block_at(&self->inverse, index), block_at(&self->drag, index)};
}

/* ------------------------------------------------------------------ motions */

/* q1 = q0 + dt v0 + dt^2/2 a0 */
static void predict(
  PetscInt n, PetscReal dt, const PetscReal *restrict q0, const PetscReal *restrict v0, const PetscReal *restrict a0, PetscReal *restrict q1)
{
  const PetscReal c = dt * dt / 2;

  for (PetscInt i = 0; i < n; i++) q1[i] = q0[i] + dt * v0[i] + c * a0[i];
}

static void predict_at(const Work *work, PetscInt index, PetscInt n)
{
  predict(n, work->dt, work->q0 + index, work->v0 + index, work->a0 + index, work->q1 + index);
}

/* y = x + s z */
static void combine(PetscInt n, const PetscReal *restrict x, PetscReal s, const PetscReal *restrict z, PetscReal *restrict y)
{
  for (PetscInt i = 0; i < n; i++) y[i] = x[i] + s * z[i];
}

/* The velocities that dampers act on, v or va, at indices owned here. */
static const PetscReal *velocities(const Work *work, PetscInt index, PetscInt n, PetscReal *buffer)
{
  if (work->kind != FLIGHT) return work->v + index;
  combine(n, work->v0 + index, work->dt, work->a0 + index, buffer);
  return buffer;
}

/* w = q + b v at n indices owned here, at most two more than a block; in a flight q1 + b va, and q1 is written. */
static void fill(const Work *work, PetscInt index, PetscInt n, PetscReal b, PetscReal *restrict w)
{
  PetscReal buffer[NS_LUMPED_BLOCK + 2];

  if (work->kind == FLIGHT) predict_at(work, index, n);
  if (work->kind == DAMPING)
    (void)PetscArrayzero(w, n);
  else
    (void)PetscArraycpy(w, (work->kind == FLIGHT ? work->q1 : work->q) + index, n);
  if (b == 0) return;
  const PetscReal *restrict v = velocities(work, index, n, buffer);
  for (PetscInt i = 0; i < n; i++) w[i] += b * v[i];
}

/* The same at one index of another process, or at a support. */
static PetscReal value_at(const Work *work, PetscInt index, PetscReal b)
{
  if (index < 0) return 0;
  const PetscReal q = work->kind == DAMPING ? 0 : work->q[index];
  return b == 0 ? q : q + b * work->v[index];
}

/* ------------------------------------------------------------------ from forces to results */

static void accelerations(
  PetscInt n, const PetscReal *restrict inverse, const PetscReal *restrict h, const PetscReal *restrict f, PetscReal *restrict a)
{
  for (PetscInt i = 0; i < n; i++) a[i] = inverse[i] * (h[i] + f[i]);
}

static void advance(
  PetscInt n, PetscReal half, const PetscReal *restrict v0, const PetscReal *restrict a0, const PetscReal *restrict a1, PetscReal *restrict v1)
{
  for (PetscInt i = 0; i < n; i++) v1[i] = v0[i] + half * (a0[i] + a1[i]);
}

/* f -= drag v, then the result of the operation. */
static void finish(const Work *work, const Tile *tile, PetscReal *restrict f)
{
  static const PetscReal zero[NS_LUMPED_BLOCK];
  const PetscInt         p = tile->index, n = tile->n;
  const PetscReal       *h = work->h ? work->h + p : zero;
  PetscReal             *y = work->result + p;

  if (tile->drag) {
    PetscReal buffer[NS_LUMPED_BLOCK];
    const PetscReal *restrict v    = velocities(work, p, n, buffer);
    const PetscReal *restrict drag = tile->drag;
    for (PetscInt i = 0; i < n; i++) f[i] -= drag[i] * v[i];
  }
  switch (work->kind) {
  case FORCE:
    for (PetscInt i = 0; i < n; i++) y[i] += f[i];
    break;
  case DAMPING:
    for (PetscInt i = 0; i < n; i++) y[i] = -f[i];
    break;
  case ACCEL: accelerations(n, tile->inverse, h, f, y); break;
  case FLIGHT: accelerations(n, tile->inverse, h, f, y); advance(n, work->dt / 2, work->v0 + p, work->a0 + p, y, work->v1 + p);
  }
}

/* ------------------------------------------------------------------ chains */

/* f_i = k_(i+1) (w_(i+1) - w_i) - k_i (w_i - w_(i-1)), k and w beginning before the first */
static void chain_forces(PetscInt n, const PetscReal *restrict k, const PetscReal *restrict w, PetscReal *restrict f)
{
  for (PetscInt i = 0; i < n; i++) f[i] = k[i + 1] * (w[i + 2] - w[i + 1]) - k[i] * (w[i + 1] - w[i]);
}

static void do_chain(const NsLumped *self, const Work *work, const NsChainRun *run)
{
  const PetscReal b = run->damping_stiffness, before = value_at(work, run->before, b), after = value_at(work, run->after, b);
  PetscReal       k_room[NS_LUMPED_BLOCK + 1], w[NS_LUMPED_BLOCK + 2], f[NS_LUMPED_BLOCK];

  for (PetscInt p = run->first; p < run->end;) {
    const Tile       tile = tile_at(self, p, run->end);
    const PetscInt   next = p + tile.n, low = PetscMax(run->first, p - 1), high = PetscMin(run->end, next + 1);
    const PetscReal *k = block_at(&self->coupling, p);
    fill(work, low, high - low, b, w + 1 + low - p);
    if (low == p || high == next) {
      (void)PetscArraycpy(k_room, k, tile.n + 1);
      k = k_room;
    }
    if (low == p) {
      k_room[0] = run->k_before;
      w[0]      = before;
    }
    if (high == next) {
      k_room[tile.n] = run->k_after;
      w[tile.n + 1]  = after;
    }
    chain_forces(tile.n, k, w, f);
    finish(work, &tile, f);
    p = next;
  }
}

/* A flight of n unknowns without damping; q1 is predicted there and at both neighbours. stride 0: all k are equal, and all inverses; h: NULL for zero. */
static inline void fly(const PetscInt stride, PetscInt n, PetscReal half, const PetscReal *restrict k, const PetscReal *restrict inverse,
  const PetscReal *restrict q1, const PetscReal *restrict v0, const PetscReal *restrict a0, const PetscReal *restrict h, PetscReal *restrict v1,
  PetscReal *restrict a1)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal f = k[stride * (i + 1)] * (q1[i + 1] - q1[i]) - k[stride * i] * (q1[i] - q1[i - 1]);
    const PetscReal a = inverse[stride * i] * (h ? h[i] + f : f);
    a1[i]             = a;
    v1[i]             = v0[i] + half * (a0[i] + a);
  }
}

/* The same of one unknown at an end of the run. */
static void fly_end(const NsLumped *self, const Work *work, const NsChainRun *run, PetscInt p, PetscReal before, PetscReal after)
{
  const PetscBool first = p == run->first, last = p == run->end - 1 ? PETSC_TRUE : PETSC_FALSE;
  const PetscReal w[3] = {first ? before : work->q1[p - 1], work->q1[p], last ? after : work->q1[p + 1]};
  const PetscReal k[2] = {first ? run->k_before : *block_at(&self->coupling, p), last ? run->k_after : *block_at(&self->coupling, p + 1)};

  fly(1, 1, work->dt / 2, k, block_at(&self->inverse, p), w + 1, work->v0 + p, work->a0 + p, work->h ? work->h + p : NULL, work->v1 + p,
    work->result + p);
}

/* The same of the unknowns of a tile that have both neighbours in the run. */
static void fly_inside(const NsLumped *self, const Work *work, PetscInt p, PetscInt n)
{
  const PetscReal *q1 = work->q1 + p, *v0 = work->v0 + p, *a0 = work->a0 + p, *h = work->h ? work->h + p : NULL;
  const PetscReal *k = block_at(&self->coupling, p), *inverse = block_at(&self->inverse, p);
  const PetscReal  half = work->dt / 2;
  PetscReal       *v1 = work->v1 + p, *a1 = work->result + p;

  if (!is_even(&self->coupling, p) || !is_even(&self->inverse, p))
    fly(1, n, half, k, inverse, q1, v0, a0, h, v1, a1);
  else if (h)
    fly(0, n, half, k, inverse, q1, v0, a0, h, v1, a1);
  else
    fly(0, n, half, k, inverse, q1, v0, a0, NULL, v1, a1);
}

/* q1 is predicted one index ahead of the tile. */
static void fly_chain(const NsLumped *self, const Work *work, const NsChainRun *run)
{
  const PetscReal before = value_at(work, run->before, 0), after = value_at(work, run->after, 0);
  const PetscInt  last = run->end - 1;

  predict_at(work, run->first, 1);
  for (PetscInt p = run->first; p < run->end;) {
    const PetscInt next = p + tile_at(self, p, run->end).n, low = PetscMax(p, run->first + 1), high = PetscMin(next, last);
    predict_at(work, p + 1, PetscMin(run->end, next + 1) - p - 1);
    if (p == run->first) fly_end(self, work, run, p, before, after);
    if (high > low) fly_inside(self, work, low, high - low);
    if (next > last && last > run->first) fly_end(self, work, run, last, before, after);
    p = next;
  }
}

/* ------------------------------------------------------------------ trusses, beams */

/* Consecutive elements mostly begin at the same node: its sum is kept in registers. */
static inline void add_axial_forces(const PetscInt d, const NsGroup *group, const PetscReal *restrict motion, PetscReal *restrict force)
{
  PetscReal here[3] = {0}, sum[3] = {0};
  int       entry = -1;

  for (PetscInt m = 0; m < group->members; m++) {
    const int *restrict member      = group->member + 3 * m;
    const PetscReal *restrict g     = group->kinds.row + d * member[2];
    const PetscReal *restrict there = motion + member[1];
    PetscReal tension               = 0;
    if (member[0] != entry) {
      for (PetscInt i = 0; i < d && entry >= 0; i++) force[entry + i] = sum[i];
      entry = member[0];
      for (PetscInt i = 0; i < d; i++) here[i] = motion[entry + i];
      for (PetscInt i = 0; i < d; i++) sum[i] = force[entry + i];
    }
    for (PetscInt i = 0; i < d; i++) tension += g[i] * (there[i] - here[i]);
    for (PetscInt i = 0; i < d; i++) sum[i] += tension * g[i];
    for (PetscInt i = 0; i < d; i++) force[member[1] + i] -= tension * g[i];
  }
  for (PetscInt i = 0; i < d && entry >= 0; i++) force[entry + i] = sum[i];
}

/* Two numbers in one vector register. */
typedef PetscReal Pair __attribute__((vector_size(2 * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));

/* f += X (x of both nodes), X[2 d, 2 d] column by column. All of f stays in registers; the loop over columns is not unrolled for that. */
static inline void add_product(const PetscInt d, const PetscReal *X, const PetscReal *x, const int entry[2], Pair *f)
{
#pragma GCC unroll 1
  for (PetscInt j = 0; j < 2 * d; j++, X += 2 * d) {
    const PetscReal xj = x[j < d ? entry[0] + j : entry[1] + j - d];
    for (PetscInt i = 0; i < d; i++) f[i] += ((const Pair *)X)[i] * xj;
  }
}

/* rate: NULL without C and dampers; which: 1 for C, 2 for dampers. */
static inline void add_dense_forces(
  const PetscInt d, const NsGroup *group, int which, const PetscReal *restrict motion, const PetscReal *restrict rate, PetscReal *restrict force)
{
  for (PetscInt m = 0; m < group->members; m++) {
    const int       *member = group->member + 3 * m;
    const PetscReal *X      = group->kinds.row + (size_t)group->kinds.width * (size_t)member[2];
    Pair             f[NS_NODE_UNKNOWNS];
    for (PetscInt i = 0; i < d; i++) f[i] = (Pair){0, 0};
    add_product(d, X, motion, member, f);
    if (rate) add_product(d, X + which * 4 * d * d, rate, member, f);
    for (PetscInt i = 0; i < d; i++) force[member[0] + i] -= f[i / 2][i % 2];
    for (PetscInt i = 0; i < d; i++) force[member[1] + i] -= f[(d + i) / 2][(d + i) % 2];
  }
}

/* With a constant d the compiler unrolls the loops. */
static void add_group_forces(const NsLumped *self, const NsGroup *group, int which)
{
  const PetscReal *rate = group->rates ? self->rate : NULL;

  if (group->tets) NsTetsAdd(group->tets, self->motion, self->force);
  if (group->pairs) NsPairsAdd(group->pairs, self->motion, self->force);
  if (group->nodes != 2) {
    NsLumpedAddWide(group, which, self->motion, rate, self->force);
    return;
  }
  switch (group->axial ? -group->node_unknowns : group->node_unknowns) {
  case -2: add_axial_forces(2, group, self->motion, self->force); break;
  case -3: add_axial_forces(3, group, self->motion, self->force); break;
  case 1: add_dense_forces(1, group, which, self->motion, rate, self->force); break;
  case 2: add_dense_forces(2, group, which, self->motion, rate, self->force); break;
  case 3: add_dense_forces(3, group, which, self->motion, rate, self->force); break;
  case 4: add_dense_forces(4, group, which, self->motion, rate, self->force); break;
  case 5: add_dense_forces(5, group, which, self->motion, rate, self->force); break;
  default: add_dense_forces(6, group, which, self->motion, rate, self->force);
  }
}

/* Motions of the entries of this process. */
static void fill_nodes(NsLumped *self, const Work *work)
{
  PetscReal buffer[NS_LUMPED_BLOCK];

  for (PetscInt r = 0; r < self->own_node_runs; r++) {
    const NsNodeRun *run = &self->node_run[r];
    for (PetscInt i = 0; i < run->count; i += NS_LUMPED_BLOCK) {
      const PetscInt n = PetscMin(NS_LUMPED_BLOCK, run->count - i);
      fill(work, run->index + i, n, run->damping_stiffness, self->motion + run->entry + i);
      if (self->rate) (void)PetscArraycpy(self->rate + run->entry + i, velocities(work, run->index + i, n, buffer), n);
    }
  }
}

static void fill_ghost_nodes(NsLumped *self, const Work *work)
{
  for (PetscInt r = self->own_node_runs; r < self->node_runs; r++) {
    const NsNodeRun *run = &self->node_run[r];
    for (PetscInt i = 0; i < run->count; i++) {
      self->motion[run->entry + i] = value_at(work, run->index + i, run->damping_stiffness);
      if (self->rate) self->rate[run->entry + i] = work->v[run->index + i];
    }
  }
}

static void do_nodes(NsLumped *self, const Work *work)
{
  (void)PetscArrayzero(self->force, self->entries);
  for (PetscInt g = 0; g < self->groups; g++) add_group_forces(self, &self->group[g], work->kind == DAMPING ? 2 : 1);
  for (PetscInt r = 0; r < self->own_node_runs; r++) {
    const NsNodeRun *run = &self->node_run[r];
    const PetscInt   end = run->index + run->count;
    for (PetscInt p = run->index; p < end;) {
      const Tile tile = tile_at(self, p, end);
      finish(work, &tile, self->force + run->entry + p - run->index);
      p += tile.n;
    }
  }
}

/* ------------------------------------------------------------------ springs and discs */

/* Subtracts X x from the forces of a joint's unknowns that are summed here. */
static void add_joint_forces(const NsJoint *joint, const PetscReal *X, const PetscReal *x, PetscReal *item_force)
{
  for (PetscInt i = 0; X && i < joint->n; i++) {
    PetscReal sum = 0;
    if (joint->item[i] < 0) continue;
    for (PetscInt j = 0; j < joint->n; j++) sum += X[i * joint->n + j] * x[j];
    item_force[joint->item[i]] -= sum;
  }
}

/* After everything else: q1 is known, and the results at the unknowns of joints are corrected. */
static void do_joints(NsLumped *self, const Work *work)
{
  (void)PetscArrayzero(self->item_force, self->items);
  for (PetscInt k = 0; k < self->joints; k++) {
    const NsJoint   *joint = &self->joint[k];
    const PetscReal *C     = work->kind == DAMPING ? joint->dampers : joint->C;
    PetscReal        x[NS_FORCE_UNKNOWNS], buffer;
    if (work->kind != DAMPING) {
      for (PetscInt i = 0; i < joint->n; i++) x[i] = work->q[joint->index[i]];
      add_joint_forces(joint, joint->K, x, self->item_force);
    }
    if (!C) continue;
    for (PetscInt i = 0; i < joint->n; i++) x[i] = joint->item[i] < 0 ? work->v[joint->index[i]] : *velocities(work, joint->index[i], 1, &buffer);
    add_joint_forces(joint, C, x, self->item_force);
  }
  for (PetscInt i = 0; i < self->items; i++) {
    const PetscInt  p     = self->item_index[i];
    const PetscReal force = self->item_force[i];
    if (work->kind == FORCE)
      work->result[p] += force;
    else if (work->kind == DAMPING)
      work->result[p] -= force;
    else
      work->result[p] += *block_at(&self->inverse, p) * force;
    if (work->kind == FLIGHT) advance(1, work->dt / 2, work->v0 + p, work->a0 + p, work->result + p, work->v1 + p);
  }
}

/* ------------------------------------------------------------------ operations */

static void run_work(NsLumped *self, const Work *work)
{
  for (PetscInt r = 0; r < self->runs; r++) {
    if (work->kind == FLIGHT && !self->run[r].damped)
      fly_chain(self, work, &self->run[r]);
    else
      do_chain(self, work, &self->run[r]);
  }
  if (work->kind != FLIGHT) fill_nodes(self, work); /* in a flight NsLumpedPredict has done it */
  fill_ghost_nodes(self, work);
  do_nodes(self, work);
  do_joints(self, work);
}

void NsLumpedForce(NsLumped *self, const PetscReal *q, const PetscReal *v, PetscReal *h)
{
  run_work(self, &(Work){.kind = FORCE, .q = q, .v = v, .result = h});
}

void NsLumpedAccel(NsLumped *self, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a)
{
  run_work(self, &(Work){.kind = ACCEL, .q = q, .v = v, .h = h, .result = a});
}

void NsLumpedDamping(NsLumped *self, const PetscReal *v, PetscReal *y)
{
  run_work(self, &(Work){.kind = DAMPING, .v = v, .result = y});
}

void NsLumpedPredict(NsLumped *self, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, PetscReal *q1, PetscReal *v1)
{
  const Work work = {
    FLIGHT, dt, q0, v0, a0, q1, v1, NULL, q1, v1, NULL}; /* every field: compilers clear the others by an instruction that takes long to begin */

  fill_nodes(self, &work);
  for (PetscInt i = 0; i < self->borders; i++) {
    predict_at(&work, self->border[i], 1);
    if (self->damped) combine(1, v0 + self->border[i], dt, a0 + self->border[i], v1 + self->border[i]);
  }
  for (PetscInt r = 0; self->damped && self->natural && r < self->own_node_runs; r++) {
    const NsNodeRun *run = &self->node_run[r];
    combine(run->count, v0 + run->index, dt, a0 + run->index, v1 + run->index);
  }
}

void NsLumpedFlight(NsLumped *self, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, const PetscReal *h, PetscReal *q1,
  PetscReal *v1, PetscReal *a1)
{
  run_work(self, &(Work){.kind = FLIGHT, .dt = dt, .q0 = q0, .v0 = v0, .a0 = a0, .q = q1, .v = v1, .h = h, .q1 = q1, .v1 = v1, .result = a1});
}

void NsLumpedMult(const NsLumped *self, PetscInt first, PetscInt count, const PetscReal *x, PetscReal *y)
{
  for (PetscInt p = first; p < first + count;) {
    const Tile       tile = tile_at(self, p, first + count);
    const PetscReal *mass = block_at(&self->mass, p);
    for (PetscInt i = 0; i < tile.n; i++) y[p - first + i] = mass[i] * x[p - first + i];
    p += tile.n;
  }
}

void NsLumpedSolve(const NsLumped *self, PetscReal scale, const PetscReal *b, PetscReal *x)
{
  for (PetscInt p = 0; p < self->owned;) {
    const Tile tile = tile_at(self, p, self->owned);
    for (PetscInt i = p; i < p + tile.n; i++)
      x[i] = tile.inverse[i - p] * b[i] / scale; /* NOLINT(clang-analyzer-core.NullDereference): all unknowns have a mass */
    p += tile.n;
  }
}
