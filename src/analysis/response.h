/*
  Synchronous response: the steady vibration caused by unbalance at constant speed Omega,

      (K - Omega^2 M + i Omega C) x = Omega^2 (re + i im),      u(t) = Re(x e^(i Omega t))

  about the static equilibrium. The real system of twice the size is solved by sparse LU, with the real and imaginary part of each unknown next to each other.
*/
#pragma once
#include <petscmat.h>

/* re, im: force per Omega^2; x_re, x_im: filled. *solved is false where the matrix is singular, as at a critical speed without damping. */
PetscErrorCode NsResponseSolve(Mat M, Mat C, Mat K, Vec re, Vec im, PetscReal speed, Vec x_re, Vec x_im, PetscBool *solved);

/* The ellipse Re(u e^(i Omega t)) as seen along the unit vector `axis`: semi-axes in m; minor > 0: forward, in the sense of positive spin. */
void NsOrbit(const PetscReal axis[3], const PetscComplex u[3], PetscReal *major, PetscReal *minor);
