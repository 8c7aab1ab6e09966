/*
  Spring and dashpot along one direction d:  f = -k r - c r' - F(r, r'),  r = d . u the elongation, u the displacement of the second point relative to the first; F by one of the laws
  of src/fe/forces/laws.
*/
#include <string.h>
#include "fe/forces/laws/law.h"
#include "fe/model/fe.h"

struct NsSpringLawSettings {
  const NsNode *where;
  const void   *law[NS_SPRING_LAWS]; /* settings; all but one are NULL */
};

typedef struct {
  PetscReal     stiffness, damping, direction[3];
  NsForceLawUse nonlinear;
  PetscReal     sense; /* of the elongation: -1 where the ground was named first, for it comes second here */
} Spring;

#define NS_BEARING_LAW(Name, word, text, value)
#define NS_SPRING_LAW(Name, word, text, value) \
  {#word, NS_KEY_TABLE, offsetof(NsSpringLawSettings, law[NS_SPRING_LAW_##Name]), .table = &NsForceLawTable_##Name, .help = text, .example = value},
static const NsKey law_keys[] = {
#include "fe/forces/laws/list.h"
  {NULL},
};
#undef NS_SPRING_LAW
#define NS_SPRING_LAW(Name, word, text, value) ", " #word
static const NsTable law_table = {"spring_law", "force of a nonlinear spring", law_keys, sizeof(NsSpringLawSettings),
  .one_of = &(""
#include "fe/forces/laws/list.h"
    )[2]};
#undef NS_SPRING_LAW
#undef NS_BEARING_LAW

static const NsKey spring_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsSpringSettings, between), .required = true, .least = 2, .most = 2,
    .help = "two points, or a point and `ground`", .example = "[bar.right, ground]"},
  {"stiffness", NS_KEY_NUMBER, offsetof(NsSpringSettings, stiffness), .dimension = NS_DIM_STIFFNESS, .default_value = "0", .minimum = "0",
    .help = "force per elongation", .example = "1 MN/m"},
  {"damping", NS_KEY_NUMBER, offsetof(NsSpringSettings, damping), .dimension = NS_DIM_DASHPOT, .default_value = "0", .minimum = "0",
    .help = "force per rate of elongation (a dashpot)", .example = "10 N s/m"},
  {"direction", NS_KEY_VECTOR, offsetof(NsSpringSettings, direction), .space = NS_SPACE_DIRECTION, .default_value = "[0, 0, 0]",
    .help = "direction in which it acts; default: from the first point to the second; to ground: along the line of the body", .example = "[1, 0, 0]"},
  {"law", NS_KEY_TABLE, offsetof(NsSpringSettings, law), .table = &law_table,
    .help =
      "a nonlinear force, added to that of stiffness and damping; the elongation is positive if the second point moves along `direction` relative to the first",
    .example = "{one_sided: {gap: 1 mm, stiffness: 1 MN/m}}"},
  {"length", NS_KEY_NUMBER, offsetof(NsSpringSettings, length), .dimension = NS_DIM_LENGTH, .minimum = "0",
    .help = "free length, for bodies of `type: body`; default: initial distance of the points", .example = "80 mm"},
  {"anchor", NS_KEY_VECTOR, offsetof(NsSpringSettings, anchor), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]",
    .help = "fixed point in space that `ground` stands for, with bodies of `type: body`", .example = "[0, 0, 0.5 m]"},
  NS_WINDOW_KEYS(NsSpringSettings, "the spring acts"),
  {NULL},
};
static void check_spring(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSpringSettings *spring = settings;

  (void)arena;
  if (spring->stiffness == 0 && spring->damping == 0 && !spring->law)
    NsDiagError(diag, spring->where->place, "a spring needs a stiffness or a damping above zero, or a law");
  NsWindowCheck(&spring->window, spring->where, diag);
}
const NsTable NsTable_Spring = {"spring", "massless spring and dashpot", spring_keys, sizeof(NsSpringSettings), .check = check_spring};

/* The direction of a spring: given, or from point to point, or the body's line. */
static PetscBool spring_direction(NsFe *fe, const NsSpringSettings *settings, const NsForceElement *force, PetscReal d[3])
{
  PetscReal length = 0;

  for (int k = 0; k < 3; k++) d[k] = settings->direction[k];
  if (d[0] == 0 && d[1] == 0 && d[2] == 0) {
    if (force->end[1].body < 0) {
      if (!NsFeAxis(fe, &force->end[0], d)) {
        NsDiagError(
          fe->diag, settings->where->place, "this spring needs a `direction`: '%s' is not on a single open line", settings->between.items[0]);
        return PETSC_FALSE;
      }
    } else {
      NsPoint a, b;
      NsFeExpand(fe, &force->end[0], &a);
      NsFeExpand(fe, &force->end[1], &b);
      for (int k = 0; k < 3; k++) d[k] = b.x[k] - a.x[k];
    }
  }
  for (int k = 0; k < 3; k++) length += PetscSqr(d[k]);
  length = PetscSqrtReal(length);
  if (length == 0) {
    NsDiagError(fe->diag, settings->where->place, "this spring needs a `direction`: its points coincide");
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) d[k] /= length;
  return PETSC_TRUE;
}

static PetscBool create(NsFe *fe, const void *settings, NsForceElement *force)
{
  const NsSpringSettings  *spring  = settings;
  Spring                  *self    = force->data;
  static const char *const words[] = {"length", "anchor", NULL};

  for (int i = 0; words[i]; i++) {
    if (!NsTreeChild(spring->where, words[i])) continue;
    NsDiagError(fe->diag, NsKeysPlace(spring->where, words[i]), "`%s` is only for springs between bodies of `type: body`: remove it", words[i]);
    return PETSC_FALSE;
  }
  self->stiffness = spring->stiffness;
  self->damping   = spring->damping;
  self->sense     = strcmp(spring->between.items[0], "ground") ? 1 : -1;
  if (spring->law && !NsForceLawCreate(NsSpringLaws, spring->law->law, NS_SPRING_LAWS, 0, fe->arena, fe->diag, &self->nonlinear)) return PETSC_FALSE;
  return spring_direction(fe, spring, force, self->direction);
}

static void tangents(const NsForceElement *force, const PetscReal *spin, PetscReal K[36], PetscReal C[36])
{
  const Spring    *self = force->data;
  const PetscReal *d    = self->direction;

  (void)spin;
  for (int i = 0; i < 36; i++) {
    const PetscBool inside = i / 6 < 3 && i % 6 < 3;
    K[i]                   = inside ? self->stiffness * d[i / 6] * d[i % 6] : 0;
    C[i]                   = inside ? self->damping * d[i / 6] * d[i % 6] : 0;
  }
}

static PetscInt components(const NsForceElement *force, PetscReal direction[6][6])
{
  const Spring *self = force->data;

  for (int k = 0; k < 6; k++) direction[0][k] = k < 3 ? self->sense * self->direction[k] : 0;
  return self->nonlinear.law ? 1 : 0;
}

static const NsForceLawUse *law_of(const NsForceElement *force)
{
  return &((const Spring *)force->data)->nonlinear;
}

const NsForceType NsForceType_Spring = {
  .kind       = "spring",
  .table      = &NsTable_Spring,
  .size       = sizeof(Spring),
  .create     = create,
  .tangents   = tangents,
  .components = components,
  .law        = law_of,
  .window     = offsetof(NsSpringSettings, window),
};
