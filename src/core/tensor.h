/*
  Symmetric tensors of stress and strain, as (xx, yy, zz, xy, yz, zx).
*/
#pragma once

enum { NS_TENSOR = 6 };

/* s_v^2 = ((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2)/2 + 3 (xy^2 + yz^2 + zx^2) */
double NsTensorMises(const double s[NS_TENSOR]);
/* Eigenvalues, the largest first; axis[k]: the unit eigenvector of value[k], of arbitrary sign; NULL: not wanted. */
void NsTensorPrincipal(const double s[NS_TENSOR], double value[3], double (*axis)[3]);
/* The same with a right-handed frame; of the first two the largest component (the first of equal ones) is positive. Eigenvectors of equal eigenvalues are arbitrary within their plane. */
void NsTensorDirections(const double s[NS_TENSOR], double value[3], double direction[3][3]);
