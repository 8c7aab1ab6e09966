/*
  The passes of src/fe/lumped.h over vectors and elements.

  Four operations share them: what they take the motion w from (fill, value_at), and what becomes of the forces f (finish), are loops over tiles, places of one run within one
  block of coefficients, short enough to stay in the nearest cache.
*/
#include "lumped.h"

typedef enum { FORCE, ACCEL, FLIGHT, DAMPING } Kind;

typedef struct {
  Kind             kind;
  PetscReal        dt;
  const PetscReal *q0, *v0, *a0; /* of a flight */
  const PetscReal *q, *v;        /* of a flight: q1 and va, of ghosts alone */
  const PetscReal *h;            /* NULL: zero */
  PetscReal       *q1, *v1;
  PetscReal       *result; /* force: h; damping: y */
} Work;

typedef struct {
  PetscInt         place, n;
  const PetscReal *inverse, *drag; /* drag: NULL where there is none */
} Tile;

static const PetscReal *block_at(const NsBlocks *blocks, PetscInt place)
{
  if (!blocks->block) return NULL;
  return blocks->distinct.row + (size_t)blocks->block[place / NS_LUMPED_BLOCK] * (size_t)blocks->distinct.width + place % NS_LUMPED_BLOCK;
}

static PetscBool is_even(const NsBlocks *blocks, PetscInt place)
{
  return blocks->even[blocks->block[place / NS_LUMPED_BLOCK]];
}

static Tile tile_at(const NsLumped *self, PetscInt place, PetscInt end)
{
  const PetscInt next = (place / NS_LUMPED_BLOCK + 1) * NS_LUMPED_BLOCK;

  return (Tile){place, PetscMin(end, next) - place, block_at(&self->inverse, place), block_at(&self->drag, place)};
}

/* ------------------------------------------------------------------ motions */

/* q1 = q0 + dt v0 + dt^2/2 a0 */
static void predict(
  PetscInt n, PetscReal dt, const PetscReal *restrict q0, const PetscReal *restrict v0, const PetscReal *restrict a0, PetscReal *restrict q1)
{
  const PetscReal c = dt * dt / 2;

  for (PetscInt i = 0; i < n; i++) q1[i] = q0[i] + dt * v0[i] + c * a0[i];
}

static void predict_at(const Work *work, PetscInt place, PetscInt n)
{
  predict(n, work->dt, work->q0 + place, work->v0 + place, work->a0 + place, work->q1 + place);
}

/* y = x + s z */
static void combine(PetscInt n, const PetscReal *restrict x, PetscReal s, const PetscReal *restrict z, PetscReal *restrict y)
{
  for (PetscInt i = 0; i < n; i++) y[i] = x[i] + s * z[i];
}

/* The velocities that damping sees, v or va, at places of this process. */
static const PetscReal *velocities(const Work *work, PetscInt place, PetscInt n, PetscReal *room)
{
  if (work->kind != FLIGHT) return work->v + place;
  combine(n, work->v0 + place, work->dt, work->a0 + place, room);
  return room;
}

/* w = q + b v at n places of this process, at most two more than a block; of a flight q1 and va, and q1 is written. */
static void fill(const Work *work, PetscInt place, PetscInt n, PetscReal b, PetscReal *restrict w)
{
  PetscReal room[NS_LUMPED_BLOCK + 2];

  if (work->kind == FLIGHT) predict_at(work, place, n);
  if (work->kind == DAMPING)
    (void)PetscArrayzero(w, n);
  else
    (void)PetscArraycpy(w, (work->kind == FLIGHT ? work->q1 : work->q) + place, n);
  if (b == 0) return;
  const PetscReal *restrict v = velocities(work, place, n, room);
  for (PetscInt i = 0; i < n; i++) w[i] += b * v[i];
}

/* The same of one that belongs to another process, or of a support. */
static PetscReal value_at(const Work *work, PetscInt place, PetscReal b)
{
  if (place < 0) return 0;
  const PetscReal q = work->kind == DAMPING ? 0 : work->q[place];
  return b == 0 ? q : q + b * work->v[place];
}

/* ------------------------------------------------------------------ what becomes of forces */

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

/* f -= drag v, then what the operation makes of it. */
static void finish(const Work *work, const Tile *tile, PetscReal *restrict f)
{
  static const PetscReal zero[NS_LUMPED_BLOCK];
  const PetscInt         p = tile->place, n = tile->n;
  const PetscReal       *h = work->h ? work->h + p : zero;
  PetscReal             *y = work->result + p;

  if (tile->drag) {
    PetscReal room[NS_LUMPED_BLOCK];
    const PetscReal *restrict v    = velocities(work, p, n, room);
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
static void pull_chain(PetscInt n, const PetscReal *restrict k, const PetscReal *restrict w, PetscReal *restrict f)
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
    pull_chain(tile.n, k, w, f);
    finish(work, &tile, f);
    p = next;
  }
}

/* A flight of n places without damping, q1 predicted there and beside them. stride 0: all k are one number, and all inverses; h: NULL for zero. */
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

/* The same of one place, whose neighbours may be elsewhere. */
static void fly_end(const NsLumped *self, const Work *work, const NsChainRun *run, PetscInt p, PetscReal before, PetscReal after)
{
  const PetscBool first = p == run->first ? PETSC_TRUE : PETSC_FALSE, last = p == run->end - 1 ? PETSC_TRUE : PETSC_FALSE;
  const PetscReal w[3] = {first ? before : work->q1[p - 1], work->q1[p], last ? after : work->q1[p + 1]};
  const PetscReal k[2] = {first ? run->k_before : *block_at(&self->coupling, p), last ? run->k_after : *block_at(&self->coupling, p + 1)};

  fly(1, 1, work->dt / 2, k, block_at(&self->inverse, p), w + 1, work->v0 + p, work->a0 + p, work->h ? work->h + p : NULL, work->v1 + p,
    work->result + p);
}

/* The same of the places of a tile that have both neighbours in the run. */
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

/* q1 is predicted one place ahead of the tile. */
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

/* Elements that begin at the same node follow each other more often than not: what is summed there waits in registers. */
static inline void pull_axial(const PetscInt d, const NsGroup *group, const PetscReal *restrict motion, PetscReal *restrict pull)
{
  PetscReal here[3] = {0}, sum[3] = {0};
  int       slot = -1;

  for (PetscInt m = 0; m < group->members; m++) {
    const NsMember member           = group->member[m];
    const PetscReal *restrict g     = group->kinds.row + d * member.kind;
    const PetscReal *restrict there = motion + member.slot[1];
    PetscReal force                 = 0;
    if (member.slot[0] != slot) {
      for (PetscInt i = 0; i < d && slot >= 0; i++) pull[slot + i] = sum[i];
      slot = member.slot[0];
      for (PetscInt i = 0; i < d; i++) here[i] = motion[slot + i];
      for (PetscInt i = 0; i < d; i++) sum[i] = pull[slot + i];
    }
    for (PetscInt i = 0; i < d; i++) force += g[i] * (there[i] - here[i]);
    for (PetscInt i = 0; i < d; i++) sum[i] += force * g[i];
    for (PetscInt i = 0; i < d; i++) pull[member.slot[1] + i] -= force * g[i];
  }
  for (PetscInt i = 0; i < d && slot >= 0; i++) pull[slot + i] = sum[i];
}

/* Two numbers that the processor multiplies and adds at once. */
typedef PetscReal Pair __attribute__((vector_size(2 * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));

/* f += X (x of both nodes), X[2 d, 2 d] column by column. All of f stays in registers while the columns, not unrolled for that, go by. */
static inline void add_product(const PetscInt d, const PetscReal *X, const PetscReal *x, const int slot[2], Pair *f)
{
#pragma GCC unroll 1
  for (PetscInt j = 0; j < 2 * d; j++, X += 2 * d) {
    const PetscReal xj = x[j < d ? slot[0] + j : slot[1] + j - d];
    for (PetscInt i = 0; i < d; i++) f[i] += ((const Pair *)X)[i] * xj;
  }
}

/* rate: NULL where there are no C and dampers; which of them: 1, 2. */
static inline void pull_dense(
  const PetscInt d, const NsGroup *group, int which, const PetscReal *restrict motion, const PetscReal *restrict rate, PetscReal *restrict pull)
{
  for (PetscInt m = 0; m < group->members; m++) {
    const NsMember   member = group->member[m];
    const PetscReal *X      = group->kinds.row + (size_t)group->kinds.width * (size_t)member.kind;
    Pair             f[NS_NODE_UNKNOWNS];
    for (PetscInt i = 0; i < d; i++) f[i] = (Pair){0, 0};
    add_product(d, X, motion, member.slot, f);
    if (rate) add_product(d, X + which * 4 * d * d, rate, member.slot, f);
    for (PetscInt i = 0; i < d; i++) pull[member.slot[0] + i] -= f[i / 2][i % 2];
    for (PetscInt i = 0; i < d; i++) pull[member.slot[1] + i] -= f[(d + i) / 2][(d + i) % 2];
  }
}

/* The compiler makes each of these loops of its own. */
static void pull_group(const NsLumped *self, const NsGroup *group, int which)
{
  const PetscReal *rate = group->rates ? self->rate : NULL;

  switch (group->axial ? -group->node_unknowns : group->node_unknowns) {
  case -2: pull_axial(2, group, self->motion, self->pull); break;
  case -3: pull_axial(3, group, self->motion, self->pull); break;
  case 3: pull_dense(3, group, which, self->motion, rate, self->pull); break;
  case 4: pull_dense(4, group, which, self->motion, rate, self->pull); break;
  case 5: pull_dense(5, group, which, self->motion, rate, self->pull); break;
  default: pull_dense(6, group, which, self->motion, rate, self->pull);
  }
}

/* Motions of the slots of this process. */
static void fill_slots(NsLumped *self, const Work *work)
{
  PetscReal room[NS_LUMPED_BLOCK];

  for (PetscInt r = 0; r < self->own_slot_runs; r++) {
    const NsSlotRun *run = &self->slot_run[r];
    for (PetscInt i = 0; i < run->count; i += NS_LUMPED_BLOCK) {
      const PetscInt n = PetscMin(NS_LUMPED_BLOCK, run->count - i);
      fill(work, run->place + i, n, run->damping_stiffness, self->motion + run->slot + i);
      if (self->rate) (void)PetscArraycpy(self->rate + run->slot + i, velocities(work, run->place + i, n, room), n);
    }
  }
}

static void fill_ghost_slots(NsLumped *self, const Work *work)
{
  for (PetscInt r = self->own_slot_runs; r < self->slot_runs; r++) {
    const NsSlotRun *run = &self->slot_run[r];
    for (PetscInt i = 0; i < run->count; i++) {
      self->motion[run->slot + i] = value_at(work, run->place + i, run->damping_stiffness);
      if (self->rate) self->rate[run->slot + i] = work->v[run->place + i];
    }
  }
}

static void do_slots(NsLumped *self, const Work *work)
{
  (void)PetscArrayzero(self->pull, self->slots);
  for (PetscInt g = 0; g < self->groups; g++) pull_group(self, &self->group[g], work->kind == DAMPING ? 2 : 1);
  for (PetscInt r = 0; r < self->own_slot_runs; r++) {
    const NsSlotRun *run = &self->slot_run[r];
    const PetscInt   end = run->place + run->count;
    for (PetscInt p = run->place; p < end;) {
      const Tile tile = tile_at(self, p, end);
      finish(work, &tile, self->pull + run->slot + p - run->place);
      p += tile.n;
    }
  }
}

/* ------------------------------------------------------------------ springs and discs */

/* X x at the unknowns of a joint, taken from the forces of those that are summed here. */
static void pull_joint(const NsJoint *joint, const PetscReal *X, const PetscReal *x, PetscReal *item_force)
{
  for (PetscInt i = 0; X && i < joint->n; i++) {
    PetscReal sum = 0;
    if (joint->item[i] < 0) continue;
    for (PetscInt j = 0; j < joint->n; j++) sum += X[i * joint->n + j] * x[j];
    item_force[joint->item[i]] -= sum;
  }
}

/* After everything else: q1 is known, and what is done with forces is done again for these. */
static void do_joints(NsLumped *self, const Work *work)
{
  (void)PetscArrayzero(self->item_force, self->items);
  for (PetscInt k = 0; k < self->joints; k++) {
    const NsJoint   *joint = &self->joint[k];
    const PetscReal *C     = work->kind == DAMPING ? joint->dampers : joint->C;
    PetscReal        x[NS_SPRING_ENTRIES], room;
    if (work->kind != DAMPING) {
      for (PetscInt i = 0; i < joint->n; i++) x[i] = work->q[joint->place[i]];
      pull_joint(joint, joint->K, x, self->item_force);
    }
    if (!C) continue;
    for (PetscInt i = 0; i < joint->n; i++) x[i] = joint->item[i] < 0 ? work->v[joint->place[i]] : *velocities(work, joint->place[i], 1, &room);
    pull_joint(joint, C, x, self->item_force);
  }
  for (PetscInt i = 0; i < self->items; i++) {
    const PetscInt  p     = self->item_place[i];
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
  if (work->kind != FLIGHT) fill_slots(self, work); /* of a flight NsLumpedPredict did */
  fill_ghost_slots(self, work);
  do_slots(self, work);
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
  const Work work = {.kind = FLIGHT, .dt = dt, .q0 = q0, .v0 = v0, .a0 = a0, .q1 = q1};

  fill_slots(self, &work);
  for (PetscInt i = 0; i < self->borders; i++) {
    predict_at(&work, self->border[i], 1);
    if (self->damped) combine(1, v0 + self->border[i], dt, a0 + self->border[i], v1 + self->border[i]);
  }
  for (PetscInt r = 0; self->damped && self->natural && r < self->own_slot_runs; r++) {
    const NsSlotRun *run = &self->slot_run[r];
    combine(run->count, v0 + run->place, dt, a0 + run->place, v1 + run->place);
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
