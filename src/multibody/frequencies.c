/*
  Frequencies of elastic rods, which set the critical time step of explicit schemes: of each rod alone, free, straight and without stress; joints only lower the highest ones. Springs, bushings and
  the rotation of the rods are not included.
*/
#include "beams.h"
#include <petscblaslapack.h>

/* Stiffness between two nodes with (u, w, angle) each, scaled by the mass: K += k b b'/(M M)^1/2. */
static void add_term(PetscReal k, const PetscReal b[6], const PetscReal scale[6], PetscInt first, PetscInt n, PetscReal *K)
{
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) K[(first + i) * n + first + j] += k * b[i] * scale[i] * b[j] * scale[j];
  }
}

/* The highest frequency of a rod in a plane. Torsion has the modes of extension, which are the higher ones but for Poisson's ratios below -1/2. */
static PetscErrorCode highest_of(const NsMultibody *self, const NsMbBeam *beam, PetscReal *omega)
{
  const PetscInt  n = 3 * (beam->elements + 1);
  const PetscReal h = beam->length, torsion = beam->stiffness[1][0] * self->body[beam->first].mass / self->body[beam->first].inertia[0];
  PetscReal      *K, *eigenvalue, *work, scale[6];
  PetscBLASInt    size = (PetscBLASInt)n, room = 3 * size, info;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3((size_t)(n * n), &K, (size_t)n, &eigenvalue, (size_t)room, &work));
  for (PetscInt e = 0; e < beam->elements; e++) {
    for (int i = 0; i < 2; i++) {
      const NsMbBody *node = &self->body[beam->first + e + i];
      scale[3 * i] = scale[3 * i + 1] = 1 / PetscSqrtReal(node->mass);
      scale[3 * i + 2]                = 1 / PetscSqrtReal(node->inertia[2]);
    }
    add_term(PetscMax(beam->stiffness[0][0], torsion), (PetscReal[6]){-1, 0, 0, 1, 0, 0}, scale, 3 * e, n, K);
    add_term(beam->stiffness[0][1], (PetscReal[6]){0, -1, -h / 2, 0, 1, -h / 2}, scale, 3 * e, n, K);
    add_term(beam->stiffness[1][2], (PetscReal[6]){0, 0, -1, 0, 0, 1}, scale, 3 * e, n, K);
  }
  LAPACKsyev_("N", "U", &size, K, &size, eigenvalue, work, &room, &info);
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "dsyev: %d", (int)info);
  *omega = PetscSqrtReal(eigenvalue[n - 1]);
  PetscCall(PetscFree3(K, eigenvalue, work));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsModelHighestMode_Multibody(NsModel *model, PetscInt part, PetscReal *omega, PetscReal *damping_rate)
{
  const NsMultibody *self = model->data;
  PetscReal          own;

  PetscFunctionBegin;
  (void)part;
  *omega = *damping_rate = 0;
  for (PetscInt i = 0; i < self->beams; i++) {
    PetscCall(highest_of(self, &self->beam[i], &own));
    *omega        = PetscMax(*omega, own);
    *damping_rate = PetscMax(*damping_rate, self->beam[i].damping * own * own);
  }
  PetscFunctionReturn(0);
}

/* Models have few rods: the frequencies themselves are computed, no bound. */
static PetscErrorCode NsModelFrequencyBound_Multibody(NsModel *model, PetscInt part, NsBound *omega, NsBound *damping_rate)
{
  const NsMultibody *self = model->data;
  PetscReal          own;

  PetscFunctionBegin;
  (void)part;
  omega->value = damping_rate->value = 0;
  for (PetscInt i = 0; i < self->beams; i++) {
    const NsMbBeam *beam = &self->beam[i];
    PetscCall(highest_of(self, beam, &own));
    if (own > omega->value) {
      omega->value = own;
      (void)snprintf(omega->where, sizeof(omega->where), "elastic rod '%s' (elements of %g m)", beam->name, beam->length);
    }
    if (beam->damping * own * own < damping_rate->value) continue;
    damping_rate->value = beam->damping * own * own;
    (void)snprintf(damping_rate->where, sizeof(damping_rate->where), "damping of elastic rod '%s'", beam->name);
  }
  PetscFunctionReturn(0);
}

void NsMbFrequencies(const NsMultibody *self, NsModel *model)
{
  if (!self->beams) return;
  model->parts                    = 1;
  model->analysis.frequency_bound = NsModelFrequencyBound_Multibody;
  model->analysis.highest_mode    = NsModelHighestMode_Multibody;
}
