/* Keys of shapes and rotations, and what body.c makes of them. */
#pragma once
#include "system.h"

typedef struct {
  const NsNode *where;
  double        radius, length;
} NsRoundSettings;

typedef struct {
  const NsNode             *where;
  const NsRoundSettings    *round[NS_SHAPES]; /* sphere, cylinder, capsule: one of them */
  double                    box[3], ellipsoid[3];
  NsNumbers                 points;
  double                    at[3];
  const NsRotationSettings *rotation;
  bool                      inside;
} NsShapeSettings;

extern const NsTable NsTable_Rotation, NsTable_Shape;

/* R of a rotation; NULL: none. False after an error. */
PetscBool NsRotationRead(const NsRotationSettings *settings, NsDiag *diag, PetscReal R[9]);
/* In the frame of the config; NsShapeMove takes it from there to one with its origin in `center` and the columns of P as axes. */
void NsShapeRead(const NsShapeSettings *settings, const char *name, NsArena *arena, NsDiag *diag, NsShape *shape);
void NsShapeMove(NsShape *shape, const PetscReal center[3], const PetscReal P[9]);
