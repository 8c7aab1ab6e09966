/*
  The systems of a branch as functions of the parameter: every number of a system by interpolation in Chebyshev points,

      f(p) = sum_j w_j f(p_j) / (p - p_j)  /  sum_j w_j / (p - p_j),        p_j = (a + b)/2 + (b - a)/2 cos(j pi / N),  w_j = +-1, halved at the ends

  of the least degree N = 1, 2, 4, 8, 16 that gives the numbers of the model at three other points to 1e-12. Most keys are in the system linearly or squared (forces, gaps, stiffness, friction,
  frequency), so that a branch needs half a dozen models instead of several for each point; most of the time of a branch went into reading configs. Where no degree suffices (a kink, modes
  that cross) there is no family, and every system is that of its own model. The frequency is interpolated, not the period.

  J.-P. Berrut, L. N. Trefethen, Barycentric Lagrange interpolation, SIAM Review 46 (2004).
*/
#include <math.h>
#include <string.h>
#include "orbit.h"

#define NS_DEGREE 16 /* the highest */
#define NS_PLACES 3  /* where it is compared with the model */
#define NS_CLOSE  1e-12

static const PetscReal place[NS_PLACES] = {-0.7364, 0.1307, 0.8261};

struct NsOrbitFamily {
  NsArena       *arena;
  PetscReal      from, to;
  PetscInt       degree, count; /* numbers of a system */
  NsOrbitSystem *pattern;
  PetscReal     *at[NS_DEGREE + 1 + NS_PLACES]; /* [count] numbers at the point j of NS_DEGREE, and at the places; NULL: not known */
};

/* Calls look(context, values, count) for all arrays of numbers of a system, in an order that depends on its shape only. */
static void visit(NsOrbitSystem *system, void (*look)(void *, PetscReal *, PetscInt), void *context)
{
  const PetscInt m         = system->m;
  PetscReal      frequency = system->period > 0 ? 1 / system->period : 0;

  look(context, &frequency, 1);
  system->period = frequency > 0 ? 1 / frequency : 0;
  look(context, &system->gap_tolerance, 1);
  look(context, &system->velocity_tolerance, 1);
  look(context, system->A, m * m);
  for (PetscInt i = 0; i < system->contacts; i++) {
    NsOrbitContact *contact = &system->contact[i];
    PetscReal      *row[]   = {contact->gap, contact->rate, contact->slip, contact->normal, contact->along};
    for (size_t k = 0; k < sizeof(row) / sizeof(*row); k++) look(context, row[k], m);
    look(context, &contact->law.restitution, 1);
    look(context, &contact->law.restitution_tangential, 1);
    look(context, &contact->law.friction, 1);
  }
  if (system->compliance) look(context, system->compliance, system->contacts * system->contacts);
  for (PetscInt i = 0; i < system->probes; i++) {
    look(context, system->probe[i].row, m);
    if (system->probe[i].rates) look(context, system->probe[i].rates, m);
    look(context, system->probe[i].forces, system->contacts);
  }
}

static PetscBool same_shape(const NsOrbitSystem *a, const NsOrbitSystem *b)
{
  if (a->states != b->states || a->harmonics != b->harmonics || a->contacts != b->contacts || a->probes != b->probes) return PETSC_FALSE;
  if (!a->compliance != !b->compliance || (a->period > 0) != (b->period > 0)) return PETSC_FALSE;
  for (PetscInt k = 0; k < a->harmonics; k++) {
    if (a->harmonic[k] != b->harmonic[k]) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < a->contacts; i++) {
    if (a->contact[i].tangent != b->contact[i].tangent) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < a->probes; i++) {
    if (!a->probe[i].rates != !b->probe[i].rates) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

typedef struct {
  PetscReal *flat;
  PetscInt   count;
} Flat;

static void count_numbers(void *context, PetscReal *values, PetscInt count)
{
  (void)values;
  ((Flat *)context)->count += count;
}

static void take(void *context, PetscReal *values, PetscInt count)
{
  Flat *flat = context;

  memcpy(flat->flat + flat->count, values, sizeof(*values) * (size_t)count);
  flat->count += count;
}

static void give(void *context, PetscReal *values, PetscInt count)
{
  Flat *flat = context;

  memcpy(values, flat->flat + flat->count, sizeof(*values) * (size_t)count);
  flat->count += count;
}

/* The numbers at the scaled parameter s in -1..1 by the points of a degree. */
static void evaluate(const NsOrbitFamily *family, PetscInt degree, PetscReal s, PetscReal *to)
{
  PetscReal weight[NS_DEGREE + 1], sum = 0;

  for (PetscInt j = 0; j <= degree; j++) {
    const PetscReal off = s - cos(PETSC_PI * (PetscReal)j / (PetscReal)degree);
    if (off == 0) {
      memcpy(to, family->at[j * NS_DEGREE / degree], sizeof(*to) * (size_t)family->count);
      return;
    }
    weight[j] = (j % 2 ? -1 : 1) * (j == 0 || j == degree ? 0.5 : 1) / off;
    sum += weight[j];
  }
  memset(to, 0, sizeof(*to) * (size_t)family->count);
  for (PetscInt j = 0; j <= degree; j++) {
    const PetscReal *from = family->at[j * NS_DEGREE / degree], w = weight[j] / sum;
    for (PetscInt i = 0; i < family->count; i++) to[i] += w * from[i];
  }
  for (PetscInt i = 0; i < family->count; i++) { /* what does not depend on p stays to the last bit */
    if (family->at[0][i] == family->at[NS_DEGREE][i] && family->at[0][i] == family->at[NS_DEGREE + 1][i]) to[i] = family->at[0][i];
  }
}

/* The numbers of the model at scaled parameter s into family->at[index]; *good: it has the shape of the others. */
static PetscErrorCode ask(NsOrbitFamily *family, const NsOrbitSource *source, PetscInt index, PetscReal s, PetscBool *good)
{
  NsOrbitSystem *system;
  const char    *why;

  PetscFunctionBegin;
  if (family->at[index]) PetscFunctionReturn(0);
  *good = PETSC_FALSE;
  PetscCall(source->make(source->context, (family->from + family->to) / 2 + s * (family->to - family->from) / 2, &system, &why));
  if (!system) PetscFunctionReturn(0);
  if (!family->pattern) {
    Flat flat       = {NULL, 0};
    family->pattern = system;
    visit(system, count_numbers, &flat);
    family->count = flat.count;
  }
  *good = same_shape(system, family->pattern);
  if (*good) {
    Flat flat         = {NsArenaAlloc(family->arena, sizeof(PetscReal) * (size_t)family->count), 0};
    family->at[index] = flat.flat;
    visit(system, take, &flat);
  }
  if (system != family->pattern) PetscCall(NsOrbitSystemDestroy(&system));
  PetscFunctionReturn(0);
}

/* Whether this degree gives the numbers at the places. Rounding of one array is that of its largest numbers. */
static PetscBool agrees(const NsOrbitFamily *family, PetscInt degree, PetscReal *work)
{
  for (PetscInt k = 0; k < NS_PLACES; k++) {
    const PetscReal *truth = family->at[NS_DEGREE + 1 + k];
    evaluate(family, degree, place[k], work);
    for (PetscInt i = 0; i < family->count; i++) {
      const PetscReal size = PetscMax(PetscAbsReal(family->at[0][i]), PetscMax(PetscAbsReal(family->at[NS_DEGREE][i]), PetscAbsReal(truth[i])));
      if (!(PetscAbsReal(work[i] - truth[i]) <= NS_CLOSE * size)) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode NsOrbitFamilyCreate(const NsOrbitSource *source, PetscReal from, PetscReal to, NsOrbitFamily **result)
{
  NsArena       *arena  = NsArenaCreate();
  NsOrbitFamily *family = NsArenaAlloc(arena, sizeof(*family));
  PetscBool      good   = PETSC_TRUE;

  PetscFunctionBegin;
  *family = (NsOrbitFamily){.arena = arena, .from = from, .to = to};
  *result = family;
  for (PetscInt k = 0; k < NS_PLACES && good; k++) PetscCall(ask(family, source, NS_DEGREE + 1 + k, place[k], &good));
  for (PetscInt degree = 1; degree <= NS_DEGREE && good && !family->degree; degree *= 2) {
    for (PetscInt j = 0; j <= degree && good; j++)
      PetscCall(ask(family, source, j * NS_DEGREE / degree, cos(PETSC_PI * (PetscReal)j / (PetscReal)degree), &good));
    if (good && agrees(family, degree, NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)family->count))) family->degree = degree;
  }
  if (!family->degree) PetscCall(NsOrbitFamilyDestroy(result));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitFamilyDestroy(NsOrbitFamily **family)
{
  NsArena *arena;

  PetscFunctionBegin;
  if (!*family) PetscFunctionReturn(0);
  arena = (*family)->arena;
  PetscCall(NsOrbitSystemDestroy(&(*family)->pattern));
  *family = NULL;
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static PetscReal *reserve(NsArena *arena, PetscInt count)
{
  return NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)PetscMax(count, 1));
}

/* A system of the pattern's shape, whose numbers are still zero. */
static NsOrbitSystem *blank(const NsOrbitSystem *pattern)
{
  NsArena       *arena  = NsArenaCreate();
  NsOrbitSystem *system = NsArenaAlloc(arena, sizeof(*system));
  const PetscInt m      = pattern->m;

  *system            = *pattern;
  system->arena      = arena;
  system->borrows    = PETSC_TRUE;
  system->start      = NULL;
  system->modes      = 0;
  system->mode       = NsArenaAlloc(arena, sizeof(*system->mode) * (size_t)system->room);
  system->A          = reserve(arena, m * m);
  system->compliance = pattern->compliance ? reserve(arena, pattern->contacts * pattern->contacts) : NULL;
  system->contact    = NsArenaAlloc(arena, sizeof(*system->contact) * (size_t)(pattern->contacts + 1));
  system->probe      = NsArenaAlloc(arena, sizeof(*system->probe) * (size_t)(pattern->probes + 1));
  for (PetscInt i = 0; i < pattern->contacts; i++) {
    NsOrbitContact *contact = &system->contact[i];
    *contact                = pattern->contact[i];
    contact->gap            = reserve(arena, m);
    contact->rate           = reserve(arena, m);
    contact->slip           = reserve(arena, m);
    contact->normal         = reserve(arena, m);
    contact->along          = reserve(arena, m);
  }
  for (PetscInt i = 0; i < pattern->probes; i++) {
    NsOrbitProbe *probe = &system->probe[i];
    *probe              = pattern->probe[i];
    probe->row          = reserve(arena, m);
    probe->rates        = probe->rates ? reserve(arena, m) : NULL;
    probe->forces       = reserve(arena, pattern->contacts);
  }
  return system;
}

PetscBool NsOrbitFamilyHas(const NsOrbitFamily *family, PetscReal p)
{
  return p >= PetscMin(family->from, family->to) && p <= PetscMax(family->from, family->to);
}

PetscErrorCode NsOrbitFamilySystem(const NsOrbitFamily *family, PetscReal p, NsOrbitSystem **system)
{
  Flat flat = {NULL, 0};

  PetscFunctionBegin;
  *system = blank(family->pattern);
  PetscCall(PetscMalloc1(family->count, &flat.flat));
  evaluate(family, family->degree, (2 * p - family->from - family->to) / (family->to - family->from), flat.flat);
  visit(*system, give, &flat);
  PetscCall(PetscFree(flat.flat));
  PetscFunctionReturn(0);
}
