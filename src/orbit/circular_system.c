/*
  The system of circular orbits (circular.c) of a model: the axis, S with q' = S q of a rotation about it, matrices, the sense in which loads turn, probes.
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "circular.h"
#include "fe/fe.h"

#define NS_MOST_DOF 400

static PetscReal *zeros(NsOrbitSystem *system, PetscInt count)
{
  return NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)PetscMax(count, 1));
}

/* ---- the axis ---------------------------------------------------------------------------------------------------------------------------------------------- */

/* S: u' = e x u of displacements and small rotations alike. False: the rotation moves a DOF that a support holds. */
static bool fill_turn(NsOrbitCircle *circle, const NsFeDof *dof, const PetscReal axis[3])
{
  PetscBool moves = PETSC_FALSE;

  circle->entries = 0;
  for (PetscInt j = 0; j < circle->n; j++) {
    const int d    = (dof[j].direction - 1) % 3;
    PetscReal u[3] = {0, 0, 0}, rest = 0;
    u[(d + 1) % 3]   = dof[j].sign * axis[(d + 2) % 3]; /* e x u */
    u[(d + 2) % 3]   = -dof[j].sign * axis[(d + 1) % 3];
    circle->turns[j] = dof[j].direction > 3;
    for (int k = 0; k < 3; k++) rest += PetscSqr(u[k]);
    for (PetscInt i = PetscMax(0, j - 6); i < PetscMin(circle->n, j + 7); i++) {
      if (dof[i].node != dof[j].node || (dof[i].direction > 3) != (dof[j].direction > 3)) continue;
      const PetscReal value = dof[i].sign * u[(dof[i].direction - 1) % 3];
      if (value == 0) continue;
      circle->to[circle->entries]      = i;
      circle->from[circle->entries]    = j;
      circle->value[circle->entries++] = value;
      rest -= value * value;
      moves = PETSC_TRUE;
    }
    if (rest > 1e-12) return false;
  }
  return moves;
}

/* The axis of the first rotor; without rotors that of x, y, z about which the supports let it turn. */
static PetscErrorCode find_turn(NsOrbitSystem *system, NsOrbitCircle *circle, const char **why)
{
  const PetscReal  along[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const NsFeRotor *rotor;
  const PetscInt   rotors = NsFeRotors(circle->model, &rotor);
  NsFeDof         *dof    = NsArenaAlloc(system->arena, sizeof(*dof) * (size_t)(circle->n + 1));
  const char      *body   = "";
  bool             found  = false;

  PetscFunctionBegin;
  circle->to    = NsArenaAlloc(system->arena, sizeof(PetscInt) * (size_t)(12 * circle->n + 1));
  circle->from  = NsArenaAlloc(system->arena, sizeof(PetscInt) * (size_t)(12 * circle->n + 1));
  circle->value = zeros(system, 12 * circle->n);
  circle->turns = NsArenaAlloc(system->arena, sizeof(PetscBool) * (size_t)(circle->n + 1));
  if (!NsFeListDofs(circle->model, dof, &body)) {
    *why = NsArenaPrint(system->arena, "degrees of freedom of '%s' are not along x, y and z, and circular orbits need them there", body);
    PetscFunctionReturn(0);
  }
  if (rotors)
    found = fill_turn(circle, dof, rotor[0].axis);
  else
    for (int k = 0; k < 3 && !found; k++) found = fill_turn(circle, dof, along[k]);
  if (!found) *why = "supports hold some points in only one of the two lateral directions, so that there is no circular whirl";
  PetscFunctionReturn(0);
}

/* ---- creation ------------------------------------------------------------------------------------------------------------------------------------------------- */

const char *NsOrbitCircleRefusal(NsRun *run, NsArena *arena)
{
  const NsModel *model = NsRunModel(run);
  char           name[NS_CANDIDATE_NAME];

  if (!NsModelIsFe(model) || NsModelIsReduced(model))
    return "circular orbits need finite elements or rigid bodies; mechanisms, multibody systems and reduced models are not supported";
  if (model->switches.count)
    return NsArenaPrint(arena, "the %s '%s' begins or stops acting at a given time (`from`, `until`), which does not repeat",
      model->switches.item[0].kind, model->switches.item[0].name);
  if (model->massless || model->dynamics.move) return "it has degrees of freedom without mass";
  if (model->unknowns > NS_MOST_DOF)
    return NsArenaPrint(arena, "it has %d degrees of freedom, and dense matrices allow %d", (int)model->unknowns, NS_MOST_DOF);
  if (model->candidates && (!model->contact.rowrate || model->slots)) return "its contacts find their partners during the motion";
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (model->candidate[i].bilateral) return "it has joints, links or ties";
    if (model->candidate[i].law.kinds & (NS_LAW_ANISOTROPIC | NS_LAW_JOINT))
      return NsArenaPrint(arena, "friction of contact '%s' depends on the direction", NsCandidateName(&model->candidate[i], name));
  }
  return NULL;
}

/* M factored, M^-1 K and M^-1 C at rest, by columns. */
static PetscErrorCode fill_matrices(NsOrbitCircle *circle)
{
  const PetscInt     n     = circle->n;
  const PetscBLASInt size  = (PetscBLASInt)n;
  NsModel           *model = circle->model;
  PetscBLASInt       info;
  PetscReal         *zero;

  PetscFunctionBegin;
  const PetscReal d = model->linear ? 1 : NS_APART * 1e-3 * model->length_scale;
  PetscCall(PetscMalloc1(n, &zero));
  PetscCall(VecZeroEntries(circle->q));
  PetscCall(VecZeroEntries(circle->v));
  PetscCall(NsModelForce(model, 0, circle->q, circle->v, circle->h));
  PetscCall(PetscArraycpy(zero, NsVecRead(circle->h), n));
  for (PetscInt j = 0; j < n; j++) {
    for (int what = 0; what < 3; what++) {
      Vec        at     = what == 2 ? circle->v : circle->q;
      PetscReal *to     = (what == 0 ? circle->M : what == 1 ? circle->K : circle->C) + j * n;
      NsVecArray(at)[j] = what ? d : 1;
      if (what == 0)
        PetscCall(NsModelMult(model, 0, circle->q, circle->q, circle->h));
      else
        PetscCall(NsModelForce(model, 0, circle->q, circle->v, circle->h));
      NsVecArray(at)[j]  = 0;
      const PetscReal *h = NsVecRead(circle->h);
      for (PetscInt i = 0; i < n; i++) to[i] = what ? (zero[i] - h[i]) / d : h[i];
    }
  }
  PetscCall(PetscFree(zero));
  LAPACKgetrf_(&size, &size, circle->M, &size, circle->pivot, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "the mass matrix is singular (getrf: %d)", (int)info);
  LAPACKgetrs_("N", &size, &size, circle->M, &size, circle->pivot, circle->K, &size, &info);
  LAPACKgetrs_("N", &size, &size, circle->M, &size, circle->pivot, circle->C, &size, &info);
  PetscFunctionReturn(0);
}

/* The sense in which loads turn; 0: neither. */
static PetscErrorCode find_sense(NsOrbitSystem *system, NsOrbitCircle *circle)
{
  const PetscInt n = circle->n;
  PetscReal     *f, *g, *work;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3((size_t)(2 * n), &f, (size_t)(2 * n), &g, (size_t)(2 * n), &work));
  PetscCall(VecZeroEntries(circle->q));
  PetscCall(VecZeroEntries(circle->v));
  PetscCall(NsModelForce(circle->model, 0, circle->q, circle->v, circle->h));
  PetscCall(PetscArraycpy(f, NsVecRead(circle->h), n));
  for (PetscInt sense = -1; sense <= 1; sense += 2) {
    PetscReal error = 0, largest = 0;
    PetscCall(NsModelForce(circle->model, system->period / 5, circle->q, circle->v, circle->h));
    NsOrbitRotate(circle, (PetscReal)sense * 2 * PETSC_PI / 5, f, g, work);
    for (PetscInt i = 0; i < n; i++) {
      error   = PetscMax(error, PetscAbsReal(NsVecRead(circle->h)[i] - g[i]));
      largest = PetscMax(largest, PetscAbsReal(g[i]));
    }
    if (error <= NS_ROUND * largest) system->sense = (int)sense;
  }
  PetscCall(PetscFree3(f, g, work));
  PetscFunctionReturn(0);
}

/* Probes, and the normal force of each contact, which stands behind the states. */
static PetscErrorCode fill_views(NsOrbitSystem *system, NsRun *run)
{
  char name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  PetscCall(NsOrbitStateProbes(system, run, system->contacts));
  system->contact = NsArenaAlloc(system->arena, sizeof(*system->contact) * (size_t)(system->contacts + 1));
  for (PetscInt i = 0; i < system->contacts; i++) {
    const NsCandidate *candidate       = &NsRunModel(run)->candidate[i];
    const char        *text            = NsCandidateName(candidate, name);
    NsOrbitProbe      *probe           = &system->probe[system->probes++];
    system->contact[i].name            = NsArenaCopy(system->arena, text, strlen(text));
    system->contact[i].law             = candidate->law;
    probe->name                        = NsArenaPrint(system->arena, "%s.force", text);
    probe->row                         = zeros(system, system->m);
    probe->forces                      = zeros(system, system->contacts);
    probe->row[system->states + 1 + i] = 1;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleSystem(NsRun *run, PetscReal forcing_period, NsArena *to, NsOrbitSystem **result, const char **why)
{
  NsArena       *arena  = NsArenaCreate();
  NsOrbitSystem *system = NsArenaAlloc(arena, sizeof(*system));
  NsOrbitCircle *circle = NsArenaAlloc(arena, sizeof(*circle));
  NsModel       *model  = NsRunModel(run);
  const PetscInt n = model->unknowns, contacts = model->candidates;
  NsTimes        times;

  PetscFunctionBegin;
  PetscCall(NsModelTimes(model, 0, NsRunState(run)->v, &times));
  system->arena    = arena;
  system->run      = run;
  system->circle   = circle;
  system->states   = 2 * n;
  system->contacts = contacts;
  system->m        = 2 * n + 1 + contacts;
  system->period   = forcing_period > 0 ? forcing_period : times.period < PETSC_MAX_REAL ? times.period : 0;
  system->start    = zeros(system, 2 * n);
  PetscCall(PetscArraycpy(system->start, NsVecRead(NsRunState(run)->q), n));
  PetscCall(PetscArraycpy(system->start + n, NsVecRead(NsRunState(run)->v), n));
  *circle = (NsOrbitCircle){.model = model,
    .n                             = n,
    .M                             = zeros(system, n * n),
    .K                             = zeros(system, n * n),
    .C                             = zeros(system, n * n),
    .D                             = zeros(system, n * n),
    .A                             = zeros(system, 4 * n * n),
    .force                         = zeros(system, contacts),
    .gap                           = zeros(system, contacts),
    .b                             = zeros(system, contacts * n),
    .G                             = zeros(system, contacts * contacts),
    .rate                          = zeros(system, 3 * contacts),
    .up                            = zeros(system, 2 * n),
    .down                          = zeros(system, 2 * n),
    .pivot                         = NsArenaAlloc(arena, sizeof(*circle->pivot) * (size_t)(n + 1)),
    .pivot_D                       = NsArenaAlloc(arena, sizeof(*circle->pivot) * (size_t)(n + 1))};
  PetscCall(NsVecsCreate(model, &circle->q, &circle->v, &circle->h, NULL));
  if (contacts) PetscCall(NsRowsCreate(model, &circle->rows));
  PetscInt          turns = 0;
  const NsFreeSpin *spins;
  if (model->analysis.free_spins) PetscCall(model->analysis.free_spins(model, NsRunState(run)->v, &turns, &spins));
  if (turns) *why = "a rotor turns freely, and its angle does not repeat";
  if (!*why) PetscCall(find_turn(system, circle, why));
  if (!*why) PetscCall(fill_matrices(circle));
  if (!*why && system->period > 0) {
    PetscCall(find_sense(system, circle));
    if (system->sense == 0)
      *why =
        "its loads do not turn about the axis (circular): only unbalances and loads that turn at one speed cause circular orbits; weight does not";
  }
  PetscCall(fill_views(system, run));
  *result = system;
  if (!*why) PetscFunctionReturn(0);
  *why        = NsArenaPrint(to, "%s", *why);
  system->run = NULL; /* stays with the caller */
  PetscCall(NsOrbitSystemDestroy(result));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleDestroy(NsOrbitCircle *circle)
{
  PetscFunctionBegin;
  if (circle->model->candidates) PetscCall(NsRowsDestroy(&circle->rows));
  PetscCall(NsVecsDestroy(&circle->q, &circle->v, &circle->h, NULL));
  PetscFunctionReturn(0);
}
