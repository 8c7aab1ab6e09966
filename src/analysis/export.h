/*
  The matrices of a finite-element model as files that other programs, and bodies of `type: matrices`, read.
*/
#pragma once
#include <petscmat.h>
#include "percuss/model.h"
#include "percuss/output.h"

typedef enum { NS_EXPORT_MARKET, NS_EXPORT_CALCULIX, NS_EXPORT_ABAQUS, NS_EXPORT_ANSYS } NsExportFormat;
extern const char *const NsExportWords[]; /* NULL-terminated */

/*
  Stiffness and mass, and where they are not zero damping, gyroscopic (the skew part of C) and circulatory matrix (of K); the DOF of their rows; nodes and sets of nodes. In SI:

      matrix_market   stiffness.mtx, mass.mtx, ...; unknowns.dof: node.direction of each row; nodes.inp: *NODE, *NSET, and lines of cells of the picture as *ELEMENT
      calculix        stiffness.sti, mass.mas, damping.dam, gyroscopic.gyr, circulatory.cir: row, column, value of the upper triangle; unknowns.dof; nodes.inp
      abaqus          stiffness.inp, mass.inp, ...: *MATRIX INPUT with node, DOF, node, DOF, value; unknowns.dof; nodes.inp
      ansys           stiffness.matrix, mass.matrix, ...: Harwell-Boeing; unknowns.mapping; nodes.cdb: NBLOCK, CMBLOCK

  Without writing: why[size] says what prevents it; "" after success. C may be NULL.
*/
PetscErrorCode NsExportMatrices(NsSink *sink, NsModel *model, NsExportFormat format, Mat M, Mat C, Mat K, char *why, size_t size);
