/*
  What a stopped computation of branches needs to continue as if it had not been stopped: all points with their orbits, the bifurcations, the length of the next step, scales and names. Systems, modes and families
  are left out: they are functions of the config and of the parameter.
*/
#include <string.h>
#include "orbit.h"

#define NS_MOST 10000000

/* The archive, and the sizes of the system of the orbits. */
typedef struct {
  NsArchive    *archive;
  NsArena      *arena;
  NsOrbitSystem system; /* only its counts are set */
} Keep;

static void count(Keep *keep, const char *name, PetscInt *value)
{
  NsArchiveCount(keep->archive, name, value, NS_MOST);
  if (keep->archive->problem[0]) *value = 0;
}

/* An array, which may be missing. */
static void reals(Keep *keep, const char *name, PetscInt size, PetscReal **value)
{
  PetscBool there = *value != NULL;

  NsArchiveFlags(keep->archive, name, 1, &there);
  if (keep->archive->reading) *value = there ? NsArenaAlloc(keep->arena, sizeof(PetscReal) * (size_t)PetscMax(size, 1)) : NULL;
  if (there && size) NsArchiveReals(keep->archive, name, size, *value);
}

static void bytes(Keep *keep, const char *name, PetscInt size, unsigned char **value)
{
  if (keep->archive->reading) *value = NsArenaAlloc(keep->arena, (size_t)size + 1);
  if (size) NsArchiveBytes(keep->archive, name, (size_t)size, *value);
}

static void word(Keep *keep, const char *name, const char **value)
{
  PetscInt       size  = *value ? (PetscInt)strlen(*value) : 0;
  PetscBool      there = *value != NULL;
  unsigned char *text  = (unsigned char *)(uintptr_t)*value;

  NsArchiveFlags(keep->archive, name, 1, &there);
  count(keep, name, &size);
  bytes(keep, name, size, &text);
  if (keep->archive->reading) *value = there ? (const char *)text : NULL;
}

static void step(Keep *keep, NsOrbitStep *one)
{
  const PetscInt contacts = keep->system.contacts;
  PetscInt       kind     = (PetscInt)one->kind;

  NsArchiveCount(keep->archive, "kind", &kind, NS_ORBIT_KINDS);
  one->kind = (NsOrbitKind)kind;
  NsArchiveIndices(keep->archive, "contact", 1, &one->contact, PetscMax(contacts, 1));
  bytes(keep, "before", contacts, &one->before);
  bytes(keep, "after", contacts, &one->after);
  bytes(keep, "impact", contacts, &one->impact);
  if (keep->archive->reading) one->restores = NsArenaAlloc(keep->arena, sizeof(PetscBool) * (size_t)(contacts + 1));
  NsArchiveFlags(keep->archive, "jumps", 1, &one->jumps);
  if (contacts && one->jumps) NsArchiveFlags(keep->archive, "restores", contacts, one->restores);
}

static void orbit_of(Keep *keep, NsOrbit **orbit)
{
  NsOrbit *one   = keep->archive->reading ? NsArenaAlloc(keep->arena, sizeof(*one)) : *orbit;
  PetscInt sense = one->sense + 1;

  *orbit = one;
  count(keep, "events", &one->count);
  count(keep, "times", &one->times);
  NsArchiveCount(keep->archive, "sense", &sense, 2);
  one->sense = (int)sense - 1;
  NsArchiveReals(keep->archive, "phase", 1, &one->phase);
  NsArchiveReals(keep->archive, "period", 1, &one->T);
  reals(keep, "x0", keep->system.states, &one->x0);
  reals(keep, "theta", one->count, &one->theta);
  bytes(keep, "first", keep->system.contacts, &one->first);
  if (keep->archive->reading) one->step = NsArenaAlloc(keep->arena, sizeof(*one->step) * (size_t)(one->count + 1));
  for (PetscInt i = 0; i < one->count; i++) step(keep, &one->step[i]);
}

static void margin(Keep *keep, NsOrbitMargin *one)
{
  PetscInt kind = (PetscInt)one->kind;

  NsArchiveCount(keep->archive, "kind", &kind, NS_ORBIT_KINDS);
  one->kind = (NsOrbitKind)kind;
  NsArchiveIndices(keep->archive, "contact", 1, &one->contact, PetscMax(keep->system.contacts, 1));
  NsArchiveFlags(keep->archive, "own", 1, &one->own);
  NsArchiveReals(keep->archive, "value", 1, &one->value);
}

static void point(Keep *keep, NsOrbitPoint *one)
{
  const PetscInt n        = keep->system.states;
  PetscReal     *number[] = {&one->p, &one->s, &one->residual, &one->flip, &one->fold, &one->branching, &one->share, &one->slowest};

  orbit_of(keep, &one->orbit);
  for (size_t k = 0; k < sizeof(number) / sizeof(*number); k++) NsArchiveReals(keep->archive, "number", 1, number[k]);
  count(keep, "pairs", &one->pairs);
  count(keep, "impacts", &one->impacts);
  reals(keep, "tangent", NsOrbitUnknowns(&keep->system, one->orbit) + 1, &one->tangent);
  reals(keep, "M", n * n, &one->M);
  reals(keep, "re", n, &one->re);
  reals(keep, "im", n, &one->im);
  reals(keep, "low", keep->system.probes, &one->low);
  reals(keep, "high", keep->system.probes, &one->high);
  reals(keep, "seen", keep->system.candidates * NS_ORBIT_KINDS, &one->seen);
  count(keep, "margins", &one->margins);
  if (keep->archive->reading) one->margin = NsArenaAlloc(keep->arena, sizeof(*one->margin) * (size_t)(one->margins + 1));
  for (PetscInt i = 0; i < one->margins; i++) margin(keep, &one->margin[i]);
  NsArchiveFlags(keep->archive, "stable", 1, &one->stable);
  NsArchiveFlags(keep->archive, "confirmed", 1, &one->confirmed);
  NsArchiveFlags(keep->archive, "astray", 1, &one->astray);
  word(keep, "mark", &one->mark);
}

static void curve(Keep *keep, NsOrbitCurve *one)
{
  count(keep, "points", &one->points);
  if (keep->archive->reading) {
    one->room  = one->points;
    one->point = NsArenaAlloc(keep->arena, sizeof(*one->point) * (size_t)(one->room + 1));
  }
  for (PetscInt i = 0; i < one->points; i++) point(keep, &one->point[i]);
  NsArchiveReals(keep->archive, "step", 1, &one->step);
  NsArchiveFlags(keep->archive, "stopped", 1, &one->stopped);
  word(keep, "end", &one->end);
}

static void bifurcation(Keep *keep, NsBifurcation *one)
{
  PetscInt kind = (PetscInt)one->kind;

  NsArchiveCount(keep->archive, "kind", &kind, NS_BIFURCATIONS - 1);
  one->kind = (NsBifurcationKind)kind;
  if (keep->archive->reading) one->point = NsArenaAlloc(keep->arena, sizeof(*one->point));
  point(keep, one->point);
  one->name = one->point->mark;
  count(keep, "branch", &one->branch);
  NsArchiveReals(keep->archive, "angle", 1, &one->angle);
  word(keep, "contact", &one->contact);
}

void NsOrbitBranchSerialize(NsOrbitBranch *branch, const NsOrbitSystem *system, PetscInt *found, NsOrbitPoint ***first, NsArchive *archive)
{
  Keep     keep     = {archive, branch->arena,
            {.states = system->states, .contacts = system->contacts, .candidates = system->candidates, .probes = system->probes, .period = system->period}};
  PetscInt shape[4] = {system->states, system->contacts, system->probes, system->candidates}, same[4] = {0, 0, 0, 0};

  for (int k = 0; k < 4; k++) {
    same[k] = shape[k];
    count(&keep, "shape", &same[k]);
    if (same[k] != shape[k]) NsArchiveDeny(archive, "shape");
  }
  reals(&keep, "size", system->states, &branch->size);
  NsArchiveReals(archive, "duration", 1, &branch->duration);
  count(&keep, "found", found);
  if (archive->reading) *first = NsArenaAlloc(branch->arena, sizeof(**first) * (size_t)(*found + 1));
  for (PetscInt k = 0; k < *found; k++) {
    if (archive->reading) (*first)[k] = NsArenaAlloc(branch->arena, sizeof(NsOrbitPoint));
    point(&keep, (*first)[k]);
  }
  count(&keep, "curves", &branch->curves);
  if (archive->reading) branch->curve = NsArenaAlloc(branch->arena, sizeof(*branch->curve) * (size_t)(branch->curves + 1));
  for (PetscInt c = 0; c < branch->curves; c++) curve(&keep, &branch->curve[c]);
  count(&keep, "bifurcations", &branch->bifurcations);
  if (archive->reading) {
    branch->bifurcation_room = branch->bifurcations;
    branch->bifurcation      = NsArenaAlloc(branch->arena, sizeof(*branch->bifurcation) * (size_t)(branch->bifurcations + 1));
  }
  for (PetscInt b = 0; b < branch->bifurcations; b++) bifurcation(&keep, &branch->bifurcation[b]);
  for (int kind = 0; kind < NS_BIFURCATIONS; kind++) count(&keep, "named", &branch->named[kind]);
}
