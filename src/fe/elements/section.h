/*
  Cross-sections and materials of line elements: their key tables, and what elements need of them.

  Axis 1 of an element runs along it; 2 and 3 are the principal axes of its section. Second moments of area are named by the axis they are taken
  about: inertia_2 = int x3^2 dA resists bending in the plane 1-3, inertia_3 = int x2^2 dA bending in the plane 1-2. A rectangle's height runs along
  axis 2, its width along axis 3.

  Shear factors kappa (shear force = kappa G A gamma; nu Poisson's ratio, m = inner/outer radius):

      circle 6 (1 + nu)/(7 + 6 nu)        rectangle 10 (1 + nu)/(12 + 11 nu)
      tube   6 (1 + nu)(1 + m^2)^2/((7 + 6 nu)(1 + m^2)^2 + (20 + 12 nu) m^2)

  Torsion constant of a rectangle with sides a >= b (de Saint-Venant):

      J = a b^3 (1/3 - 64 b/(pi^5 a) sum_{n odd} tanh(n pi a/(2 b))/n^5)

  Cowper, The shear coefficient in Timoshenko's beam theory, J. Appl. Mech. 33 (1966), 335-340.
  Timoshenko and Goodier, Theory of elasticity, 3rd ed., McGraw-Hill (1970), art. 109.
*/
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"

typedef struct {
  const NsNode *where;
  double        radius; /* m */
} NsCircle;

typedef struct {
  const NsNode *where;
  double        outer_radius, inner_radius; /* m */
} NsTube;

typedef struct {
  const NsNode *where;
  double        width, height; /* m */
} NsRectangle;

/* What is 0 was not given. */
typedef struct {
  const NsNode *where;
  double        area;                                   /* m^2 */
  double        inertia, inertia_2, inertia_3, torsion; /* m^4; either inertia or the other two */
  double        radius;                                 /* m */
} NsSectionConstants;

typedef struct {
  const NsNode             *where;
  const NsCircle           *circle;
  const NsTube             *tube;
  const NsRectangle        *rectangle;
  const NsSectionConstants *constants;
  double                    area;         /* m^2; 0: one of the shapes is given */
  double                    shear_factor; /* 0: that of the shape */
} NsSection;

typedef struct {
  const NsNode *where;
  double        density;       /* kg/m^3 */
  double        young;         /* Pa */
  double        shear_modulus; /* Pa; 0: from poisson */
  double        poisson;
} NsMaterial;

extern const NsTable NsTable_Section, NsTable_Material;

/* The key that gives it: "circle", "tube", "rectangle", "constants", "area". */
const char *NsSectionShape(const NsSection *section);
/* m^2 */
PetscReal NsSectionArea(const NsSection *section);
/* Radius of the circle to draw, m: the outer one, or that of equal area. */
PetscReal NsSectionRadius(const NsSection *section);

/* Pa: what was given, or young/(2 (1 + poisson)). */
PetscReal NsMaterialShearModulus(const NsMaterial *material);
/* What was given, or young/(2 shear_modulus) - 1, which is above 0.5 or below 0 for materials that are not isotropic. */
PetscReal NsMaterialPoisson(const NsMaterial *material);

/* What an element needs at one point of its axis. A section that is only an area has no second moments: it cannot bend. */
typedef struct {
  PetscReal         area;                          /* m^2 */
  PetscReal         inertia_2, inertia_3, torsion; /* m^4; 0: bending and torsion are unknown */
  PetscReal         shear_factor;
  PetscBool         shear_factor_given;            /* not that of the shape */
  PetscReal         radius;                        /* of the circle to draw, m */
  PetscReal         edge_2, edge_3;                /* largest distance of the edge from the axis along 2 and 3, m; 0: unknown */
  PetscReal         density, young, shear_modulus; /* kg/m^3, Pa, Pa */
  PetscReal         size[2];                       /* m: radius, 0; outer, inner radius; height, width; 0, 0: given by its constants */
  const NsSection  *section;                       /* not owned */
  const NsMaterial *material;                      /* not owned */
} NsProperty;

void NsPropertyMake(const NsSection *section, const NsMaterial *material, NsProperty *property);
/* The same section of another material. */
void NsPropertyTakeMaterial(const NsMaterial *material, NsProperty *property);
/* A linear taper, fraction 0 at a and 1 at b: of equal shapes the sizes vary linearly, of all others each constant; so does a shear factor that was
   given to one of them. The material is that of a. Tapers of tapers are exact: a and b may come from here. A copy where they are the same pointer. */
void NsPropertyBetween(const NsProperty *a, const NsProperty *b, PetscReal fraction, NsProperty *property);
