/*
  Bodies of line elements that touch along their length, as round rods about the curves of their elements (curve.h): beams, shafts, bars and trusses.

  The first partner is a set of nodes, with or without a radius (balls that roll along a beam, nodes of a beam beside another), or the elements of another line (rods that cross). Each node or element is
  a candidate, against the nearest point of the second line at the time. With the nearest points x1, x2 at s and t

      g = |x1 - x2| - r1 - r2 (+ offset),    n = (x1 - x2)/|x1 - x2|,    row n . (sum_j B_j(s) dP1_j - sum_k B_k(t) dP2_k)

  The row is the gradient of the gap: at nearest points inside of elements its derivatives by s and t are zero, at ends s and t stay. Lines end in half balls. Friction acts at the arms -r1 n and r2 n,
  with the rotations of the sections. Where the axes meet (|x1 - x2| = 0) n is that of the start: rods that pass through each other's axes in one step are a passage (NsContactPassage).

  Neighbouring elements of a line share a node. If it is the nearest point of both, both candidates act there, with the same row. The nearest points of rods that lie side by side are not unique: a warning
  advises contacts of the nodes of one rod with the line of the other.

  Cost: for each candidate that is not far away two passes over the boxes of the second line, and Newton's method for each box that is nearer than the best point so far: one or two.
*/
#pragma once
#include "contact/settings.h"
#include "curve.h"
#include "fe/model/fe.h"

/* Whether a partner of the contact is a line. */
static inline PetscBool NsFeHasLine(const NsContactSettings *settings)
{
  const NsPartnerSettings *side = settings->between.items;

  return settings->between.count == 2 && (side[0].line || side[1].line);
}
/* The candidates of such a contact, as `expand` of contacts.c: how many (0 after an error); filled in unless pair is NULL. */
PetscInt NsFeLineCandidates(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate);
/* All lines where the unknowns of contacts have these values. */
void NsFeLinesAt(NsFeLine *lines, const PetscReal *touch_q);
/* Whether no line has corners: only then do the rates of rows exist everywhere. */
PetscBool NsFeLinesAreSmooth(const NsFeLine *lines);
