/*
  What is attached to points of bodies: supports, inertias, loads, unbalances. Each file has the keys of its settings.

  To add one: a key table NsTable_Name, a function NsFeAttach_Name, which makes all of the list that the config has under its key, and a line in list.h. Points are found by NsFeFindPoint
  and expanded to unknowns by NsFeExpand (fe/model/point.h); what it brings is added to the lists of the model by the functions below. Errors go to fe->diag.
*/
#pragma once
#include "fe/model/outer.h"
#include "fe/model/point.h"
#include "percuss/settings.h"

/* A rigid inertia carried by a point: point masses, discs, rigid bodies. */
typedef struct {
  const char *name;
  NsFePoint   at;
  PetscReal   mass;
  PetscReal   frame[3][3], inertia[3]; /* kg m^2 about these axes */
  PetscBool   across;                  /* added mass of fluid: acts only along frame[1] and frame[2], without weight */
  PetscBool   gyroscopic;              /* of a rotor: frame[0] is its axis, inertia[0] the polar moment */
  NsFePoint   spin_at;                 /* whose spin determines the gyroscopic moments */
  PetscReal   radius;                  /* to draw, m */
  PetscBool   is_ball;                 /* drawn as such; else as a ring */
} NsFeInertia;

/* src/fe/attach/supports.c: numbers the unknowns. */
void NsFeSupports(NsFe *fe);
/* Displacements along and rotations about x, y, z that a word of `fix` means, added to fixed[6]; false: it means none. And an error for each of these. */
PetscBool NsFeAddFix(const char *word, PetscBool fixed[6]);
void      NsFeCheckFix(const NsStrings *fix, const NsNode *where, NsDiag *diag);
/* src/fe/attach/holds.c: a DOF of a node, by its number there, that a support holds until it stops acting; or a relative motion that a link prevents. */
typedef struct {
  const char      *name; /* of the support or link */
  const NsNode    *where;
  PetscInt         node, dof, number; /* number: 1, 2, ... where the support holds several nodes; else 0 */
  const NsMotion  *motion;            /* NULL: at rest */
  const PetscBool *off;
  PetscBool        is_link;
  NsFePoint        end[2];    /* of a link; the first with an arm to the second */
  int              direction; /* 0 .. 2: of displacements, 3 .. 5: of rotations */
} NsFeHold;
/* src/fe/attach/links.c: all of the config, once the unknowns have numbers; and the two points of one, which move along its direction alone. */
void NsFeLinks(NsFe *fe);
void NsFeLinkPoints(const NsFe *fe, const NsFeHold *hold, NsPoint point[2]);
void NsFeAddHold(NsFe *fe, const NsFeHold *hold);
/* Their initial values in q[unknowns], v[unknowns]. */
void NsFeHoldValues(const NsFe *fe, PetscReal *q, PetscReal *v);
/* The candidate of a contact with `held`, as NsFeExpandCandidates. */
PetscInt NsFeHoldCandidate(NsFe *fe, const NsContactSettings *settings, NsPair *pair, NsCandidate *candidate);
/* All of list.h, once the unknowns have numbers. */
void NsFeAttachments(NsFe *fe);
#define NS_ATTACHMENT(Name, key, help, example) void NsFeAttach_##Name(NsFe *fe, const NsList *list);
#include "fe/attach/list.h"
#undef NS_ATTACHMENT

/* One more, to be filled: valid until the next one is added. */
NsFeInertia *NsFeAddInertia(NsFe *fe);
/* The same, with room for so many entries. time NULL: constant; turns: with the shaft, it has `sine`. */
NsFeLoad *NsFeAddLoad(NsFe *fe, const NsTimeFunction *time, PetscBool turns, PetscInt entries);
/* Adds a force or moment on an unknown, which is -1 where a support holds it. */
void NsFeAddLoadEntry(NsFeLoad *load, PetscInt unknown, PetscReal value, PetscReal sine);

/* src/fe/attach/side_loads.c: pressure and traction on sides of a solid. */
void NsFeLoadSides(NsFe *fe, const NsLoadSettings *settings);
/* src/fe/attach/vector_loads.c: forces on all DOF of a body given by matrices, from a file. */
void NsFeLoadVector(NsFe *fe, const NsLoadSettings *settings);

/* G[unknowns, unknowns] of a disc for 1 rad/s. */
void NsFeDiscGyroscopic(const NsFeInertia *disc, const NsPoint *point, PetscReal *G);
/* M[unknowns, unknowns] of an inertia. */
void NsFeInertiaMass(const NsFeInertia *inertia, const NsPoint *point, PetscReal *M);
