/*
  What elements between two nodes have in common: their data begins with an NsLineElement.
*/
#pragma once
#include "element.h"
#include "section.h"

typedef struct {
  PetscReal         length;      /* m */
  PetscReal         axis[3];     /* unit vector from the first node to the second */
  const NsProperty *property[2]; /* at its ends; the same pointer unless tapered */
} NsLineElement;

static inline NsLineElement *NsLine(const NsFeElement *e)
{
  return e->data;
}
/* Length and axis from the coordinates x[3 * node] of the nodes. */
void NsLineMeasure(const PetscReal *x, NsFeElement *e);
/* Section and material at a point. */
NsProperty NsLineProperty(const NsFeElement *e, PetscReal fraction);
/* Stress along the axis of the largest magnitude over the section there, for section forces f[6] as NsBeamForces has them. */
PetscReal NsLineStress(const NsFeElement *e, PetscReal fraction, const PetscReal f[6]);
/* Entries of NsElementType. */
extern const PetscReal        NsLineNodes[2][3];
extern const PetscInt         NsLineEdges[1][2];
extern const NsElementPicture NsLinePicture, NsBentPicture; /* one straight line; four lines, which bend by the shape functions */
void                          NsLineWeights(const PetscReal xi[3], PetscReal *weight);
PetscReal                     NsLineAxis(const NsFeElement *e, PetscReal axis[3]);
PetscReal                     NsLineRadius(const NsFeElement *e, const PetscReal xi[3]);
PetscBool                     NsLineAlike(const NsFeElement *a, const NsFeElement *b, PetscReal tolerance);
