/*
  What all bodies of line elements share: keys, and the section and material of each element.
*/
#pragma once
#include "fe/elements/beam.h"
#include "fe/model/fe.h"

/* The key of bodies that can be reduced (src/fe/reduce). */
typedef struct NsReduceSettings NsReduceSettings;
extern const NsTable            NsTable_Reduce;
#define NS_REDUCE_KEY(field) \
  { \
    "reduce", NS_KEY_TABLE, field, .table = &NsTable_Reduce, \
                                   .help    = "reduced model of this body: modes and static shapes of the contact nodes in place of its DOF", \
                                   .example = "{method: rubin, modes: 4}" \
  }

typedef struct {
  const NsNode *where;
  double        mass, stiffness; /* 1/s, s */
} NsRayleigh;

typedef struct {
  const NsNode     *where;
  const NsRayleigh *rayleigh;
  double            torsion;  /* N m s, beams and rotors only */
  double            rotating; /* s, rotors only */
} NsDamping;

typedef struct {
  const NsNode *where;
  double        velocity[3], displacement[3]; /* m/s, m: the whole body alike */
} NsInitial;

/* A stretch of the body with a section or material of its own. */
typedef struct {
  const NsNode     *where;
  NsNumbers         range;                 /* [2, 1] m along the line */
  const char       *group;                 /* physical curve */
  const NsSection  *section, *section_end; /* section_end: tapers linearly to this one */
  const NsMaterial *material;
} NsPart;

typedef struct {
  const NsNode           *where;
  const NsMeshSettings   *mesh;
  const NsMaterial       *material;
  const NsSection        *section, *section_end;
  NsList                  parts; /* of NsPart */
  const NsDamping        *damping;
  int                     mass; /* 0 consistent, 1 lumped, 2 redistributed */
  const NsInitial        *initial;
  const NsReduceSettings *reduce;
  long                    dimension; /* truss and beam only: 2 or 3 */
  /* beams and rotors */
  int           theory;         /* 0 timoshenko, 1 euler_bernoulli */
  int           rotary_inertia; /* 0 as the theory has it, 1 yes, 2 no */
  double        axial_force;
  double        orientation[3];
  bool          weight, gyroscopic, axial;
  const NsSpin *spin;
} NsLineBodySettings;

extern const NsTable     NsTable_Part, NsTable_Damping, NsTable_BeamDamping, NsTable_RotorDamping, NsTable_Initial;
extern const char *const NsMassChoices[];

/* Mesh of any of them. */
PetscErrorCode NsBodyMesh_Line(const void *settings, NsFe *fe, NsMesh **mesh);
/* Length and axis of all elements. Elements that follow each other and are equally long but for the rounding of their coordinates get the same length to the
   last bit: then the rows of K sum to zero exactly, and a body in free flight feels no force at all. (With lengths as they come, 1e-11 N a node pushed a bar
   of 50 elements all the way, and the energy of a long flight grew with the square of time.) */
void NsLineBodyMeasure(NsFe *fe, NsFeBody *body);
/* Properties, damping, initial state; the body's directions are set already. */
void NsLineBodyProperties(const NsLineBodySettings *settings, NsFe *fe, NsFeBody *body);
/* The elements of a beam or rotor: their matrices, after the properties. Errors go to diag. */
void NsBeamElements(const NsLineBodySettings *settings, NsFe *fe, NsFeBody *body);

/* The keys all have, as lines of a key table; damping_table differs. */
#define NS_LINE_BODY_KEYS(damping_table) \
  {"mesh", NS_KEY_TABLE, offsetof(NsLineBodySettings, mesh), .table = &NsTable_Mesh, .required = true, .help = "nodes and elements", \
    .example = "{line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 50}}"}, \
    {"material", NS_KEY_TABLE, offsetof(NsLineBodySettings, material), .table = &NsTable_Material, .required = true, \
      .help = "density and stiffness", .example = "{density: 7800 kg/m^3, young: 210 GPa}"}, \
    {"section", NS_KEY_TABLE, offsetof(NsLineBodySettings, section), .table = &NsTable_Section, .required = true, \
      .unless = "mesh.stations", .help = "cross-section; that of `mesh: {stations: ...}` follows from its diameters", \
      .example = "{circle: {radius: 10 mm}}"}, \
    {"section_end", NS_KEY_TABLE, offsetof(NsLineBodySettings, section_end), .table = &NsTable_Section, \
      .help = "section at the end of the line; `section` tapers to it linearly", .example = "{circle: {radius: 5 mm}}"}, \
    {"parts", NS_KEY_LIST, offsetof(NsLineBodySettings, parts), .table = &NsTable_Part, \
      .help    = "parts with another section or material; later ones override earlier ones", \
      .example = "[{range: [0.5 m, 1 m], section: {circle: {radius: 20 mm}}}]"}, \
    {"damping", NS_KEY_TABLE, offsetof(NsLineBodySettings, damping), .table = &(damping_table), .help = "internal damping", \
      .example = "{rayleigh: {stiffness: 5 ns}}"}, \
    {"mass", NS_KEY_CHOICE, offsetof(NsLineBodySettings, mass), .choices = NsMassChoices, .default_value = "consistent", \
      .help = \
        "mass matrix: consistent; lumped: half of each element's mass at each of its nodes; redistributed: lumped, with massless contact nodes", \
      .example = "lumped"}, \
    {"initial", NS_KEY_TABLE, offsetof(NsLineBodySettings, initial), .table = &NsTable_Initial, .help = "state at the start", \
      .example = "{velocity: [-0.1 m/s, 0, 0]}"}, \
    NS_REDUCE_KEY(offsetof(NsLineBodySettings, reduce))

/* The keys of beams and rotors beside those. */
#define NS_BEAM_KEYS \
  {"theory", NS_KEY_CHOICE, offsetof(NsLineBodySettings, theory), .choices = NsTheoryChoices, .default_value = "timoshenko", \
    .help = "timoshenko: with shear deformation, shear factor by the section; euler_bernoulli: without", .example = "euler_bernoulli"}, \
    {"rotary_inertia", NS_KEY_CHOICE, offsetof(NsLineBodySettings, rotary_inertia), .choices = NsRotaryChoices, .default_value = "by_theory", \
      .help = "rotary inertia of the sections; by_theory: with timoshenko only", .example = "yes"}, \
    {"weight", NS_KEY_BOOLEAN, offsetof(NsLineBodySettings, weight), .default_value = "true", .help = "gravity acts on the body itself", \
      .example = "false"}, \
  { \
    "axial_force", NS_KEY_NUMBER, offsetof(NsLineBodySettings, axial_force), \
      .dimension = NS_DIM_FORCE, .default_value = "0", .help = "constant axial force, which changes the bending stiffness; positive: tension", \
      .example = "10 kN" \
  }

extern const char *const NsTheoryChoices[], *const NsRotaryChoices[];
