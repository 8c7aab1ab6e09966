/*
  What `bar` and `truss` bodies share: their keys, and the element that carries axial force only.
*/
#pragma once
#include "fe.h"

typedef struct {
  const NsNode *where;
  double        mass, stiffness; /* 1/s, s */
} NsRayleigh;

typedef struct {
  const NsNode     *where;
  const NsRayleigh *rayleigh;
} NsDamping;

typedef struct {
  const NsNode *where;
  double        velocity[3], displacement[3]; /* m/s, m: the whole body alike */
} NsInitial;

/* A stretch of the body with a section or material of its own. */
typedef struct {
  const NsNode     *where;
  NsNumbers         range; /* [2, 1] m along the line */
  const char       *group; /* physical curve */
  const NsSection  *section;
  const NsMaterial *material;
} NsPart;

typedef struct {
  const NsNode         *where;
  const NsMeshSettings *mesh;
  const NsMaterial     *material;
  const NsSection      *section;
  NsList                parts; /* of NsPart */
  const NsDamping      *damping;
  int                   mass; /* 0 consistent, 1 lumped */
  const NsInitial      *initial;
  long                  dimension; /* truss only: 2 or 3 */
} NsBarSettings;

extern const NsElementType NsElementType_Bar;
extern const NsTable       NsTable_Part, NsTable_Damping, NsTable_Initial;
extern const char *const   NsMassChoices[];

/* Mesh of either body. */
PetscErrorCode NsBodyMesh_Bar(const void *settings, NsFe *fe, NsMesh **mesh);
/* Properties, damping, initial state; the body's directions are set already. */
void NsBarProperties(const NsBarSettings *settings, NsFe *fe, NsFeBody *body);

/* The keys both bodies have, as lines of a key table. */
#define NS_BAR_KEYS \
  {"mesh", NS_KEY_TABLE, offsetof(NsBarSettings, mesh), .table = &NsTable_Mesh, .required = true, .help = "nodes and elements", \
    .example = "{line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 50}}"}, \
    {"material", NS_KEY_TABLE, offsetof(NsBarSettings, material), .table = &NsTable_Material, .required = true, .help = "density and stiffness", \
      .example = "{density: 7800 kg/m^3, young: 210 GPa}"}, \
    {"section", NS_KEY_TABLE, offsetof(NsBarSettings, section), .table = &NsTable_Section, .required = true, .help = "cross-section", \
      .example = "{circle: {radius: 10 mm}}"}, \
    {"parts", NS_KEY_LIST, offsetof(NsBarSettings, parts), .table = &NsTable_Part, \
      .help    = "stretches with another section or material; later ones win", \
      .example = "[{range: [0.5 m, 1 m], section: {circle: {radius: 20 mm}}}]"}, \
    {"damping", NS_KEY_TABLE, offsetof(NsBarSettings, damping), .table = &NsTable_Damping, .help = "internal damping", \
      .example = "{rayleigh: {stiffness: 5 ns}}"}, \
    {"mass", NS_KEY_CHOICE, offsetof(NsBarSettings, mass), .choices = NsMassChoices, .standard = "consistent", \
      .help = "consistent mass matrix, or lumped: each half of an element at its node", .example = "lumped"}, \
  { \
    "initial", NS_KEY_TABLE, offsetof(NsBarSettings, initial), .table = &NsTable_Initial, .help = "state at the start", \
                                                               .example = "{velocity: [-0.1 m/s, 0, 0]}" \
  }
