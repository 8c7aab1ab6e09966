/*
  The matrices of a finite-element model as files that other programs, and bodies of `type: matrices`, read.
*/
#pragma once
#include <petscmat.h>
#include "percuss/model.h"
#include "percuss/output.h"

/* stiffness.mtx, mass.mtx, and where they are not zero damping.mtx, gyroscopic.mtx (the skew part of C) and circulatory.mtx (of K): Matrix Market, SI; unknowns.dof: node.direction of each row; nodes.inp: nodes and sets as *NODE and *NSET, lines of cells of the
   picture as *ELEMENT. Without writing: why[size] says what prevents it; "" after success. C may be NULL. */
PetscErrorCode NsExportMatrices(NsSink *sink, NsModel *model, Mat M, Mat C, Mat K, char *why, size_t size);
