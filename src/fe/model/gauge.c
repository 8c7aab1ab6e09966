/*
  Strain gauges as probes: strains of fibres, linear in the unknowns.

      solid      e(n) = n' E n                                  n: direction; E: strain at the point, g = 2 e of shears
      line body  e    = N/(E A) + y3 M2/(E I2) - y2 M3/(E I3)   (y2, y3): the fibre, along the axes of the section

  A rosette has grids at 0, 45, 90 degrees (rectangular) or 0, 60, 120 degrees (delta) in its surface, counted about the normal. With e(a) = m + A cos 2a + B sin 2a its principal strains are
  m +- sqrt(A^2 + B^2), the first of them at the angle atan2(B, A)/2.

  W. M. Murray, W. R. Miller, The bonded electrical resistance strain gage, Oxford University Press (1992), ch. 2.
*/
#include <stdio.h>
#include <string.h>
#include "fe.h"
#include "fe/elements/line.h"

static const NsProbeColumn *column_named(const NsProbe *probe, const char *suffix)
{
  for (PetscInt c = 0; c < probe->columns; c++) {
    if (!strcmp(probe->column[c].suffix, suffix)) return &probe->column[c];
  }
  return NULL;
}

static void add_part(const NsFe *fe, const NsProbe *point, const char *suffix, PetscReal factor, NsProbeColumn *column)
{
  const NsProbeColumn *part = column_named(point, suffix);

  if (part && factor != 0) NsProbeAddScaled(column, fe->arena, part, factor);
}

/* ---- line bodies ------------------------------------------------------------------------------------------------------------------------------ */

static PetscBool line_gauge(NsFe *fe, const NsGaugeSettings *settings, const NsProbe *point, NsProbe *probe, char *why, size_t size)
{
  const PetscReal axis[2] = {0, 0}, *y = settings->fibre.rows ? settings->fibre.values : axis;
  NsFePoint       spot;

  if (NsTreeChild(settings->where, "direction") || NsTreeChild(settings->where, "normal") || settings->rosette) {
    (void)snprintf(why, size, "a gauge on a bar, truss, beam or rotor measures along its axis: give `fibre`, not a direction or rosette");
    return PETSC_FALSE;
  }
  if (!NsFeLocate(fe, settings->at, NULL, &spot, why, size)) return PETSC_FALSE;
  const NsFeElement *e        = &fe->element[spot.element];
  const NsProperty   property = NsLineProperty(e, spot.xi[0]);
  const PetscBool    bends    = fe->body[e->body].element->bends;
  NsProbeColumn      column   = {.suffix = "strain"};
  if (!bends && settings->fibre.rows) {
    (void)snprintf(why, size, "a bar or truss does not bend: a gauge on it has no `fibre`");
    return PETSC_FALSE;
  }
  for (int k = 0; k < 2; k++) {
    const PetscReal edge = k ? property.edge_3 : property.edge_2;
    if (!(edge > 0) || PetscAbsReal(y[k]) <= edge * (1 + 1e-9)) continue;
    (void)snprintf(why, size, "the fibre is outside the section, whose edge along axis %d is %.4g m from its centre", k + 2, edge);
    return PETSC_FALSE;
  }
  add_part(fe, point, "stress", 1 / property.young, &column);
  add_part(fe, point, "normal_force", 1 / (property.young * property.area), &column);
  if (property.inertia_2 > 0) add_part(fe, point, "moment_2", y[1] / (property.young * property.inertia_2), &column);
  if (property.inertia_3 > 0) add_part(fe, point, "moment_3", -y[0] / (property.young * property.inertia_3), &column);
  probe->column[probe->columns++] = column;
  return PETSC_TRUE;
}

/* ---- solids ------------------------------------------------------------------------------------------------------------------------------------- */

static NsProbeColumn strain_along(const NsFe *fe, const NsProbe *point, const PetscReal n[3], const char *suffix)
{
  static const char *const normal[] = {"exx", "eyy", "ezz"}, *const shear[] = {"gxy", "gyz", "gzx"};
  NsProbeColumn column = {.suffix = suffix};

  for (int k = 0; k < 3; k++) {
    add_part(fe, point, normal[k], n[k] * n[k], &column);
    add_part(fe, point, shear[k], n[k] * n[(k + 1) % 3], &column);
  }
  return column;
}

typedef enum { FIRST, SECOND, ANGLE } Result;

typedef struct {
  int    rosette;
  Result result;
} Rosette;

static PetscReal of_rosette(const void *data, PetscReal t, const PetscReal *e)
{
  const Rosette  *self        = data;
  const PetscBool rectangular = self->rosette == NS_ROSETTE_RECTANGULAR;
  const PetscReal m           = rectangular ? (e[0] + e[2]) / 2 : (e[0] + e[1] + e[2]) / 3;
  const PetscReal A           = rectangular ? (e[0] - e[2]) / 2 : (2 * e[0] - e[1] - e[2]) / 3;
  const PetscReal B           = rectangular ? (2 * e[1] - e[0] - e[2]) / 2 : (e[1] - e[2]) / PetscSqrtReal(3);

  (void)t;
  if (self->result == ANGLE) return PetscAtan2Real(B, A) / 2;
  return self->result == FIRST ? m + PetscSqrtReal(A * A + B * B) : m - PetscSqrtReal(A * A + B * B);
}

static void add_rosette(const NsFe *fe, const NsProbe *point, int rosette, const PetscReal n[3], const PetscReal a[3], NsProbe *probe)
{
  static const char *const grids[] = {"strain_a", "strain_b", "strain_c"}, *const results[] = {"e1", "e2", "e_angle"};
  const PetscReal turn = rosette == NS_ROSETTE_RECTANGULAR ? PETSC_PI / 4 : PETSC_PI / 3;
  PetscReal       b[3];

  NsCross3(n, a, b);
  for (int g = 0; g < 3; g++) {
    PetscReal along[3];
    for (int k = 0; k < 3; k++) along[k] = PetscCosReal(g * turn) * a[k] + PetscSinReal(g * turn) * b[k];
    probe->column[probe->columns++] = strain_along(fe, point, along, grids[g]);
  }
  for (int r = 0; r < 3; r++) {
    Rosette    *data = NsArenaAlloc(fe->arena, sizeof(*data));
    NsProbeLaw *law  = NsArenaAlloc(fe->arena, sizeof(*law));
    *data            = (Rosette){rosette, (Result)r};
    *law             = (NsProbeLaw){.value = of_rosette, .data = data, .inputs = 3, .input = NsArenaAlloc(fe->arena, 3 * sizeof(*law->input))};
    for (int g = 0; g < 3; g++) law->input[g] = NsProbeCopy(&probe->column[g], fe->arena);
    probe->column[probe->columns++] = (NsProbeColumn){.suffix = results[r], .law = law};
  }
}

static PetscBool solid_gauge(const NsFe *fe, const NsGaugeSettings *settings, const NsProbe *point, NsProbe *probe, char *why, size_t size)
{
  const PetscBool plane = column_named(point, "uz") == NULL;
  PetscReal       n[3]  = {0, 0, 0}, a[3];

  for (int k = 0; k < 3; k++) {
    a[k] = settings->direction[k];
    n[k] = settings->normal[k];
  }
  if (settings->fibre.rows)
    (void)snprintf(why, size, "`fibre` is for beams and rotors: on a solid give the `direction` of the gauge");
  else if (!NsUnit3(a))
    (void)snprintf(why, size, "a gauge on a solid needs its `direction`, such as [1, 0, 0]");
  else if (plane && a[2] != 0 && (!column_named(point, "ezz") || settings->rosette))
    (void)snprintf(why, size, "the direction (%.4g, %.4g, %.4g) is not in the plane of the body", a[0], a[1], a[2]);
  else if (!settings->rosette) {
    probe->column[probe->columns++] = strain_along(fe, point, a, "strain");
    return PETSC_TRUE;
  } else {
    if (plane) n[0] = n[1] = 0, n[2] = 1;
    const PetscBool given = NsUnit3(n);
    const PetscReal part  = NsDot3(a, n);
    for (int k = 0; k < 3; k++) a[k] -= part * n[k];
    if (given && PetscAbsReal(part) < 0.999 && NsUnit3(a)) {
      add_rosette(fe, point, settings->rosette, n, a, probe);
      return PETSC_TRUE;
    }
    (void)snprintf(why, size,
      given ? "the direction of the rosette is parallel to its normal: its grids must be perpendicular to the normal"
            : "a rosette on a solid in space needs the `normal` of its surface, such as [0, 0, 1]");
  }
  return PETSC_FALSE;
}

PetscErrorCode NsFeGauge(NsModel *model, const NsGaugeSettings *settings, NsProbe *probe, PetscBool *found, char *why, size_t size)
{
  NsFe   *fe = model->data;
  NsProbe point;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(probe, sizeof(*probe)));
  PetscCall(NsFeProbe(model, settings->at, &point, found, why, size));
  if (!*found) PetscFunctionReturn(0);
  *found = PETSC_FALSE;
  if (column_named(&point, "exx"))
    *found = solid_gauge(fe, settings, &point, probe, why, size);
  else if (column_named(&point, "stress") || column_named(&point, "normal_force"))
    *found = line_gauge(fe, settings, &point, probe, why, size);
  else
    (void)snprintf(why, size,
      "there is no strain at '%s': gauges are at a node or one of the named `points` of a solid, or along a bar, truss, beam or rotor, such as beam@0.5",
      settings->at);
  PetscFunctionReturn(0);
}
