/*
  Matrices of a straight two-node beam element in space, in its own frame: axis 1 from the first node to the second, 2 and 3 the principal axes of
  its section.

  Unknowns u[12] = (u1 u2 u3 r1 r2 r3) of the first node, then of the second: displacements (m) and small rotations about the axes (rad); a twist r1
  may be large. Shear angles g2, g3 make the difference between slope and rotation:

      w2' = r3 + g2      w3' = -r2 + g3

  u1 and r1 are linear in x = fraction of the length l. Bending has Hermite's cubics H and one shear angle g for the element, with which the rotations
  at the nodes stay what they are:

      w2 = H1 u2a + H2 r3a + H3 u2b + H4 r3b + g2 l x (1 - x)(1 - 2 x)      r3 = w2' - g2      (plane 1-3: w3, -r2, g3 of u3, -r2)

  g is the one of least elastic energy (P left out), the integrals running over the element, b = (12 x - 6)/l, u the four unknowns of the plane:

      g = -int E I b H''u / (int E I b^2 + int kappa G A)      phi = int E I b^2 / int kappa G A

  Of a uniform element g = phi/(1 + phi) ((u2b - u2a)/l - (r3a + r3b)/2), phi = 12 E I/(kappa G A l^2): these are the interdependent functions of the
  literature, exact for loads at the ends (phi = 0: Euler-Bernoulli):

      w2 = N1 u2a + N2 r3a + N3 u2b + N4 r3b
      N1 = (1 - 3 x^2 + 2 x^3 + phi (1 - x))/(1 + phi)         N2 = l (x - 2 x^2 + x^3 + phi (x - x^2)/2)/(1 + phi)
      N3 = (3 x^2 - 2 x^3 + phi x)/(1 + phi)                   N4 = l (-x^2 + x^3 - phi (x - x^2)/2)/(1 + phi)

  All matrices are integrals with these functions, so that one formula serves uniform and tapered elements. (N1 to N4 with phi of a taper's middle
  would be less to compute, but their shear neglects the change of E I: a cone of eight elements, 5 to 3 thick, missed 11 % of its shear
  deflection, now 0.2 %.)

      M = int rho A (u1 u1 + w2 w2 + w3 w3) + rho (I2 + I3) r1 r1 + [rotary] rho (I2 r2 r2 + I3 r3 r3)
      K = int E A u1' u1' + G J r1' r1' + E I2 r2' r2' + E I3 r3' r3' + kappa G A (g2 g2 + g3 g3) + P (w2' w2' + w3' w3')
      G = int rho (I2 + I3) (r2 r3 - r3 r2)

  The gyroscopic force at spin Omega about axis 1 is h = -Omega G v: M2 = -Jp Omega r3', M3 = +Jp Omega r2'.

  Lumped: M is diagonal; each node takes the mass and inertias next to it (weights 1 - x and x: of a uniform element half), and about 2 and 3 also
  l^2/12 of its mass. G then couples the tilts of each node alone.

  Przemieniecki, Theory of matrix structural analysis, McGraw-Hill (1968), ch. 5 and 11.
  Friswell, Penny, Garvey, Lees, Dynamics of rotating machines, Cambridge (2010), sec. 5.4.
*/
#pragma once
#include "section.h"

enum { NS_BEAM_UNKNOWNS = 12 };

typedef struct {
  PetscBool shear;       /* Timoshenko; else Euler-Bernoulli */
  PetscBool rotary;      /* inertia of the sections against tilting */
  PetscBool gyroscopic;  /* else G is zero */
  PetscReal axial_force; /* P, N, tension positive */
  PetscBool lumped;      /* mass */
} NsBeamTheory;

typedef struct {
  PetscReal length;                                    /* m */
  PetscReal phi_2, phi_3;                              /* of the planes 1-2 and 1-3; 0 without shear */
  PetscReal shear_2[4], shear_3[4];                    /* g2, g3 per unknown of their planes, in the order of w2 above */
  PetscReal axial_force;                               /* N */
  PetscReal mass[NS_BEAM_UNKNOWNS * NS_BEAM_UNKNOWNS]; /* [12, 12] */
  PetscReal stiffness[NS_BEAM_UNKNOWNS * NS_BEAM_UNKNOWNS];
  PetscReal gyroscopic[NS_BEAM_UNKNOWNS * NS_BEAM_UNKNOWNS]; /* skew, times rad/s */
} NsBeamMatrices;

/* The sections at both ends, of which the inner ones are made by NsPropertyBetween. They must be able to bend. */
void NsBeamMatricesMake(const NsProperty *start, const NsProperty *end, PetscReal length, NsBeamTheory theory, NsBeamMatrices *beam);

/* Displacement (rows 0 to 2) and rotation (rows 3 to 5) at this fraction of the length, per unknown. */
void NsBeamShape(const NsBeamMatrices *beam, PetscReal fraction, PetscReal N[6][NS_BEAM_UNKNOWNS]);

/* Section forces at a point, which the part beyond it exerts on the part before it, along and about the axes of the element: normal force (tension positive, with P), shear
   forces 2 and 3 (N), torque, bending moments about 2 and 3 (N m). From the forces K u at the ends: forces and torque are those at the second node,
   the moments run linearly between the nodes, as in an element without load of its own (what loads add: beam_loads.c). r3' > 0 makes a positive moment about 3, with tension at
   x2 < 0; r2' > 0 one about 2, with tension at x3 > 0. */
void NsBeamForces(const NsBeamMatrices *beam, const PetscReal u[NS_BEAM_UNKNOWNS], PetscReal fraction, PetscReal force[6]);

/* u'Ku/2 in J, evaluated without the rigid part of u, so that small strains keep their digits after large displacements or many revolutions. */
PetscReal NsBeamEnergy(const NsBeamMatrices *beam, const PetscReal u[NS_BEAM_UNKNOWNS]);
