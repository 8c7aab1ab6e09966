/*
  Stations: points along a rotor whose orbit is recorded, in space or relative to another body.
*/
#include <stdio.h>
#include <string.h>
#include "fe.h"

static void add_along(NsFe *fe, NsProbeColumn *column, const NsPoint *point, const PetscReal axis[3], PetscReal sign)
{
  for (PetscInt i = 0; i < point->unknowns; i++) {
    const PetscReal weight = sign * NsDot3(point->move[i], axis);
    if (weight == 0) continue;
    NsProbeAdd(column, fe->arena, point->unknown[i], weight);
  }
}

/* A name that has not been checked yet; why: a sentence about it. */
static PetscBool find_spot(NsFe *fe, const char *name, const double arm[3], const char *prefix, NsFePoint *spot, char *why, size_t size)
{
  char reason[200];

  if (NsFeLocate(fe, name, arm, spot, reason, sizeof(reason))) return PETSC_TRUE;
  (void)snprintf(why, size, "%s%s", prefix, reason);
  return PETSC_FALSE;
}

PetscErrorCode NsFeStation(NsModel *model, const NsStationSettings *settings, NsStation *station, PetscBool *found, char *why, size_t size)
{
  NsFe     *fe = model->data;
  NsFePoint spot, other;
  NsPoint   point, carrier;
  NsFeTwist twist;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscMemzero(station, sizeof(*station)));
  if (!find_spot(fe, settings->at, settings->offset, "", &spot, why, size)) PetscFunctionReturn(0);
  const NsFeBody *body = &fe->body[spot.body];
  if (!body->is_rotor) {
    (void)snprintf(why, size, "'%s' is not on a rotor: '%s' does not spin", settings->at, body->name);
    PetscFunctionReturn(0);
  }
  NsFeExpand(fe, &spot, &point);
  const PetscBool relative = settings->relative_to && strcmp(settings->relative_to, "ground");
  if (relative) {
    if (!find_spot(fe, settings->relative_to, NULL, "relative_to: ", &other, why, size)) PetscFunctionReturn(0);
    NsFeExpand(fe, &other, &carrier);
    for (int k = 0; k < 3; k++) other.arm[k] = point.x[k] - carrier.x[k]; /* its displacement at the station */
    NsFeExpand(fe, &other, &carrier);
  }
  for (int a = 0; a < 2; a++) {
    add_along(fe, &station->lateral[a], &point, body->frame[1 + a], 1);
    if (relative) add_along(fe, &station->lateral[a], &carrier, body->frame[1 + a], -1);
    station->lateral_rate[a]             = NsProbeCopy(&station->lateral[a], fe->arena);
    station->lateral_rate[a].of_velocity = PETSC_TRUE;
  }
  NsFeMakeTwist(fe, &spot, &twist);
  for (PetscInt i = 0; i < twist.entries; i++) NsProbeAdd(&station->angle, fe->arena, twist.unknown[i], twist.weight[i]);
  station->angle_rate             = NsProbeCopy(&station->angle, fe->arena);
  station->angle_rate.of_velocity = PETSC_TRUE;
  station->shaft                  = spot.body;
  *found                          = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeStationSpin(NsModel *model, PetscReal t, const NsStation *station, PetscReal *angle, PetscReal *rate)
{
  const NsFe *fe = model->data;

  PetscFunctionBegin;
  *angle = NsSpinAngle(fe->body[station->shaft].spin, t);
  *rate  = NsSpinRate(fe->body[station->shaft].spin, t);
  PetscFunctionReturn(0);
}
