/*
  Points of bodies, as names in the config find them.
*/
#pragma once
#include "contact/pair.h"
#include "fe/elements/element.h"
#include "fe/bodies/body.h"
#include "percuss/model.h"

/* A point of a body: a node, or a point within an element, and from there a rigid arm. */
typedef struct {
  PetscInt  body; /* -1: the ground */
  PetscInt  node; /* -1: within the element */
  PetscInt  element;
  PetscReal xi[3];  /* natural coordinates within it */
  PetscReal arm[3]; /* m */
} NsFePoint;

/* Twist of a rotor at a point: its angle is that of the prescribed spin, plus a sum over unknowns where the spin is free. */
typedef struct {
  const NsSpin *spin; /* NULL: the point does not spin */
  PetscInt      entries, unknown[NS_POINT_UNKNOWNS];
  PetscReal     weight[NS_POINT_UNKNOWNS];
} NsFeTwist;

/* src/fe/model/names.c: the body of this name, of `length` bytes; NULL after an error in diag at this place. */
const NsFeBody *NsFeFindBody(NsFe *fe, const char *name, size_t length, NsPlace place);
/* "bar.left" -> global nodes. NULL after an error in diag at this place. */
const PetscInt *NsFeFindNodes(NsFe *fe, const char *name, NsPlace place, PetscInt *count);
/* The sides of elements that "block.top" means, and their body; NULL after an error in diag. */
const NsMeshSideSet *NsFeFindSides(NsFe *fe, const char *name, NsPlace place, const NsFeBody **body);
/* What a name means: the nodes of a set, or (nodes NULL) one spot. */
typedef struct {
  const NsMeshSet *nodes;
  PetscInt         count, first_node; /* of all; number of the body's first node */
  NsFePoint        spot;              /* of a set: without the node */
} NsFePointSet;
/* As NsFeFindPoints, but takes no memory for each point. False after an error in diag. */
PetscBool NsFeFindSet(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, NsFePointSet *set);
/* The same of what touches: of sides of ten-node tetrahedra only the middles of edges, for under an even pressure the corners carry nothing. */
PetscBool NsFeFindContactSet(NsFe *fe, const char *name, const double arm[3], NsPlace place, NsFePointSet *set);
NsFePoint NsFePointOf(const NsFePointSet *set, PetscInt i);
/* "bar.left", "shaft@0.3" (of its length), "shaft@180 mm", and "ground" where allow_ground. NULL after an error in diag at this place. arm: NULL for none. */
const NsFePoint *NsFeFindPoints(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, PetscInt *count);
/* The same where exactly one is wanted; false after an error. */
PetscBool NsFeFindPoint(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, NsFePoint *spot);
/* The unit direction along the body at a point, pointing outwards at its ends; false if the body has none there. */
PetscBool      NsFeAxis(const NsFe *fe, const NsFePoint *spot, PetscReal axis[3]);
PetscErrorCode NsFeProbe(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size);
/* src/fe/model/gauge.c: operation of percuss/model.h. */
PetscErrorCode NsFeGauge(NsModel *model, const NsGaugeSettings *settings, NsProbe *probe, PetscBool *found, char *why, size_t size);
/* src/fe/model/reactions.c: whether a name means a support, spring or bearing, such as bearings.left; and its reaction. Not found: why; found: why where it leaves out a link. */
PetscBool      NsFeNamesReaction(const NsFe *fe, const char *name);
PetscErrorCode NsFeReaction(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size);
/* "body.set" for every named node set, NULL-terminated: what a probe, a load, a contact may name. */
const char *const *NsFePointNames(const NsFe *fe);
/* "body.node" of one node, or "body@0.5"; false: why says what is wrong with the name. */
PetscBool      NsFeLocate(NsFe *fe, const char *name, const double arm[3], NsFePoint *spot, char *why, size_t size);
PetscErrorCode NsFeNameUnknown(NsModel *model, PetscInt unknown, char *text, size_t size);

/* src/fe/model/inside.c: the point of a solid at x (m); false: it is outside. */
PetscBool NsFeFindInSolid(const NsFe *fe, const NsFeBody *body, const PetscReal x[3], NsFePoint *spot);

/* src/fe/model/point.c: coordinates of a point of an element. */
void NsFePosition(const NsFe *fe, const NsFeElement *element, const PetscReal xi[3], PetscReal x[3]);
/* Position of a point and its motion for unit unknowns; the ground has no unknowns. */
void NsFeExpand(const NsFe *fe, const NsFePoint *spot, NsPoint *point);
/* The same with unknowns that a support moves, whose numbers are negative (moving.h). */
void NsFeExpandMoved(const NsFe *fe, const NsFePoint *spot, NsPoint *point);
/* Twist of a rotor at a point. */
void      NsFeMakeTwist(const NsFe *fe, const NsFePoint *spot, NsFeTwist *twist);
PetscReal NsFeTwistAngle(const NsFeTwist *twist, PetscReal t, const PetscScalar *q);
PetscReal NsFeTwistRate(const NsFeTwist *twist, PetscReal t, const PetscScalar *v);
