/*
  Cross-sections and materials of line elements: their key tables and what elements need of them.
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

typedef struct {
  const NsNode      *where;
  const NsCircle    *circle;
  const NsTube      *tube;
  const NsRectangle *rectangle;
  double             area; /* m^2; 0: one of the shapes is given */
} NsSection;

typedef struct {
  const NsNode *where;
  double        density; /* kg/m^3 */
  double        young;   /* Pa */
} NsMaterial;

extern const NsTable NsTable_Section, NsTable_Material;

/* m^2 */
PetscReal NsSectionArea(const NsSection *section);
/* Radius of the circle to draw, m: the outer one, or that of equal area. */
PetscReal NsSectionRadius(const NsSection *section);
