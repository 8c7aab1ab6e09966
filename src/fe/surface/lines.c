/* Bodies of line elements that touch along their length: see lines.h. */
#include "lines.h"
#include <string.h>

#define NS_KINK         2.0  /* degrees between neighbouring elements: a warning above it */
#define NS_SMOOTH       1e-6 /* rad: no corner */
#define NS_SIDE_BY_SIDE 0.17 /* sine of 10 degrees between two lines that are near each other */

struct NsFeLine {
  const char     *name;
  const NsFeBody *body;
  PetscInt        elements, *element; /* numbers in fe->element */
  NsPairPoint    *control;            /* [NS_CURVE_POINTS elements] */
  NsCurve        *curve;              /* [elements] as of the last NsFeLinesAt */
  PetscBool       smooth;             /* beams in a row: no corners, whatever the displacement */
  NsFeLine       *next;
};

/* Of a pair: the nearest points, as of the last gap or rows. */
typedef struct {
  const NsFeLine *line[2];    /* the first: NULL where it is a node */
  PetscInt        element[2]; /* of the lines; the first is fixed */
  PetscReal       xi[2];
  NsPairPoint     mean[2];
  PetscReal       move[2][NS_POINT_UNKNOWNS][3], turn[2][NS_POINT_UNKNOWNS][3];
} Rods;

/* ---- the pair --------------------------------------------------------------------------------------------------------------------------------- */

static const NsPairPoint *control_of(const Rods *self, int p)
{
  return &self->line[p]->control[NS_CURVE_POINTS * self->element[p]];
}

/* The nearest point of a line: x, move and turn are those of the control points with the weights B_k(xi). */
static void set_mean(Rods *self, int p)
{
  const NsPairPoint *control = control_of(self, p);
  NsPairPoint       *mean    = &self->mean[p];
  PetscReal          B[NS_CURVE_POINTS];

  NsCurveWeights(self->xi[p], B);
  mean->unknowns = control->unknowns;
  mean->touch    = control->touch;
  for (int k = 0; k < 3; k++) mean->x[k] = B[0] * control[0].x[k] + B[1] * control[1].x[k] + B[2] * control[2].x[k] + B[3] * control[3].x[k];
  for (PetscInt a = 0; a < control->unknowns; a++) {
    for (int k = 0; k < 3; k++) {
      self->move[p][a][k] = self->turn[p][a][k] = 0;
      for (int c = 0; c < NS_CURVE_POINTS; c++) {
        self->move[p][a][k] += B[c] * control[c].move[a][k];
        self->turn[p][a][k] += B[c] * control[c].turn[a][k];
      }
    }
  }
}

/* The curve of the first partner; `room` for that of a node. */
static const NsCurve *own_curve(const NsPair *pair, const PetscReal *touch_q, NsCurve *room)
{
  const Rods *self = pair->data;
  PetscReal   x[3];

  if (self->line[0]) return &self->line[0]->curve[self->element[0]];
  NsPointDisplacement(pair->point[0], touch_q, x);
  for (int k = 0; k < 3; k++) x[k] += pair->point[0]->x[k];
  NsCurveOfPoint(x, room);
  return room;
}

/* The element with the nearest box: what excludes almost all others at once. A function of the state alone, so that a run that is continued finds the same. */
static PetscInt nearest_box(const NsCurve *own, const NsFeLine *line)
{
  PetscReal least = PETSC_MAX_REAL;
  PetscInt  found = 0;

  for (PetscInt e = 0; e < line->elements && least > 0; e++) {
    const PetscReal square = NsCurvesApart(own, &line->curve[e]);
    if (square < least) found = e;
    least = PetscMin(least, square);
  }
  return found;
}

/* Finds the nearest points. Returns their distance; n. */
static PetscReal look(const NsPair *pair, const PetscReal *touch_q, PetscReal n[3])
{
  Rods           *self = pair->data;
  const NsFeLine *line = self->line[1];
  NsCurve         room;
  const NsCurve  *own = own_curve(pair, touch_q, &room);
  PetscReal       u[2][3], d[3];

  self->element[1] = nearest_box(own, line);
  PetscReal least  = NsCurvesNearest(own, &line->curve[self->element[1]], self->xi);
  for (PetscInt e = 0; e < line->elements; e++) {
    PetscReal xi[2];
    if (NsCurvesApart(own, &line->curve[e]) >= least) continue;
    const PetscReal square = NsCurvesNearest(own, &line->curve[e], xi);
    if (square >= least) continue;
    least            = square;
    self->element[1] = e;
    for (int p = 0; p < 2; p++) self->xi[p] = xi[p];
  }
  for (int p = 0; p < 2; p++) {
    if (self->line[p]) set_mean(self, p);
    NsPointDisplacement(pair->point[p], touch_q, u[p]);
  }
  /* reference positions first: displacements keep all their digits next to large coordinates */
  for (int k = 0; k < 3; k++) d[k] = (pair->point[0]->x[k] - pair->point[1]->x[k]) + (u[0][k] - u[1][k]);
  const PetscReal distance = PetscSqrtReal(NsDot3(d, d));
  for (int k = 0; k < 3; k++) n[k] = distance > 0 ? d[k] / distance : pair->frame->normal[k];
  return distance;
}

static PetscReal gap(const NsPair *pair, const PetscReal *touch_q, PetscReal n[3])
{
  PetscReal       own[3];
  const PetscReal distance = look(pair, touch_q, own);

  for (int k = 0; n && k < 3; k++) n[k] = own[k];
  return distance - pair->radius[0] - pair->radius[1] + pair->offset;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  const PetscReal arm[2] = {-pair->radius[0], pair->radius[1]};
  PetscReal       n[3];

  PetscFunctionBegin;
  look(pair, touch_q, n);
  PetscCall(NsRowsAddCurved(out, pair, t, n, arm));
  PetscFunctionReturn(0);
}

/* Velocities and angular velocities of a partner's control points, as curves. */
static void velocities(const NsPair *pair, int p, PetscReal t, const PetscReal *touch_v, NsCurve *v, NsCurve *w)
{
  const Rods *self = pair->data;
  PetscReal   of_node[2][3];

  for (int c = 0; c < NS_CURVE_POINTS && self->line[p]; c++) NsPointVelocity(control_of(self, p) + c, t, touch_v, v->P[c], w->P[c]);
  if (self->line[p]) return;
  NsPointVelocity(pair->point[p], t, touch_v, of_node[0], of_node[1]);
  NsCurveOfPoint(of_node[0], v);
  NsCurveOfPoint(of_node[1], w);
}

/*
  The material points that are nearest to each other change: with d' = V1 - V2 + a' s' - b' t', V1, V2 the velocities of the material points,

      n' = (d' - n (n . d'))/|d|,    normal: n' . (V1 - V2) + n . e,   e = dV1/ds s' - dV2/dt t',    tangents: those of fixed points + tau . e - (n x tau) . (change of r w)
*/
static void rate(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *out)
{
  const Rods     *self   = pair->data;
  const PetscReal arm[2] = {-pair->radius[0], pair->radius[1]};
  PetscReal       n[3], dn[3], d[3], e[3], between[3], turning[3], tangent[2][3], speed[2];
  PetscReal       x[2][3], along[2][3], V[2][3], dV[2][3], W[3], dW[2][3];
  NsCurve         room, v[2], w[2];
  const PetscReal distance = look(pair, touch_q, n);
  const NsCurve  *curve[2] = {own_curve(pair, touch_q, &room), &self->line[1]->curve[self->element[1]]};

  for (int p = 0; p < 2; p++) velocities(pair, p, t, touch_v, &v[p], &w[p]);
  NsCurvesRate(curve[0], curve[1], self->xi, &v[0], &v[1], speed);
  for (int p = 0; p < 2; p++) {
    NsCurveAt(curve[p], self->xi[p], x[p], along[p]);
    NsCurveAt(&v[p], self->xi[p], V[p], dV[p]);
    NsCurveAt(&w[p], self->xi[p], W, dW[p]);
  }
  for (int k = 0; k < 3; k++) {
    between[k] = V[0][k] - V[1][k];
    d[k]       = between[k] + along[0][k] * speed[0] - along[1][k] * speed[1];
    e[k]       = dV[0][k] * speed[0] - dV[1][k] * speed[1];
    turning[k] = -arm[0] * dW[0][k] * speed[0] + arm[1] * dW[1][k] * speed[1];
  }
  const PetscReal outwards = NsDot3(n, d);
  for (int k = 0; k < 3; k++) dn[k] = distance > 0 ? (d[k] - n[k] * outwards) / distance : 0;
  out[0] = NsDot3(dn, between) + NsDot3(n, e);
  NsPairTangentRates(pair, t, touch_v, n, dn, arm, out);
  NsPairTangents(pair, n, tangent);
  for (PetscInt i = 0; i < pair->frame->tangents; i++) {
    PetscReal b[3];
    NsCross3(n, tangent[i], b);
    out[1 + i] += NsDot3(tangent[i], e) - NsDot3(b, turning);
  }
}

static void prepare(NsPair *pair, const PetscReal *touch_q, PetscReal friction)
{
  const Rods     *self = pair->data;
  PetscReal       n[3], x[3], axis[3];
  const PetscReal distance = look(pair, touch_q, n);

  NsCurveAt(&self->line[1]->curve[self->element[1]], self->xi[1], x, axis);
  (void)NsUnit3(axis);
  if (distance == 0) NsPairAnyNormal(pair, axis, n);
  NsPairPrepareCurved(pair, n, axis, friction);
}

static PetscReal bound(const NsPair *pair, const PetscReal move[3])
{
  (void)pair;
  return PetscSqrtReal(NsDot3(move, move));
}

static const NsPairPoint *others(const NsPair *pair, int p, PetscInt *count)
{
  const Rods     *self = pair->data;
  const NsFeLine *line = self->line[p];

  if (!line) return NULL;
  *count = p == 0 ? NS_CURVE_POINTS : NS_CURVE_POINTS * line->elements;
  return p == 0 ? control_of(self, p) : line->control;
}

static const NsPairType NsPairType_Line = {
  .name      = "line",
  .about     = "a node, ball or element of a line against the nearest point of another line",
  .side      = "rods may touch, but not overlap: use a smaller radius or a larger distance",
  .prepare   = prepare,
  .gap       = gap,
  .rows      = rows,
  .rate      = rate,
  .bound     = bound,
  .clearance = NsPairClearanceOpen,
  .others    = others,
};

/* ---- set-up ----------------------------------------------------------------------------------------------------------------------------------- */

/* What is left of zeros is rounding. */
static void drop_rounding(PetscReal P[NS_CURVE_POINTS][3])
{
  PetscReal most = 0;

  for (int i = 0; i < 3 * NS_CURVE_POINTS; i++) most = PetscMax(most, PetscAbsReal(P[i / 3][i % 3]));
  for (int i = 0; i < 3 * NS_CURVE_POINTS; i++) P[i / 3][i % 3] = PetscAbsReal(P[i / 3][i % 3]) < 1e-14 * most ? 0 : P[i / 3][i % 3];
}

/* P_1 and P_2 of an unknown of a beam, whose sections at the ends turn by turn[0] and turn[3]: its slope is theirs there, also where the displacement has another one from shear. */
static void take_slopes(const PetscReal axis[3], PetscReal length, const PetscReal turn[NS_CURVE_POINTS][3], PetscReal P[NS_CURVE_POINTS][3])
{
  const PetscReal stretch = NsDot3(axis, P[3]) - NsDot3(axis, P[0]);

  for (int end = 0; end < 2; end++) {
    PetscReal slope[3];
    NsCross3(turn[3 * end], axis, slope);
    for (int k = 0; k < 3; k++) P[1 + end][k] = P[3 * end][k] + (end ? -1 : 1) * (length * slope[k] + stretch * axis[k]) / 3;
  }
}

/* The control points of an element from four points of it. */
static void add_control(NsFe *fe, PetscInt element, NsPairPoint *to)
{
  const NsElementType *type = fe->body[fe->element[element].body].element;
  NsPoint              at[NS_CURVE_POINTS], control[NS_CURVE_POINTS];
  PetscReal            p[NS_CURVE_POINTS][3], P[NS_CURVE_POINTS][3], turn[NS_CURVE_POINTS][3], axis[3];
  const PetscReal      length = type->line(&fe->element[element], axis);

  for (int i = 0; i < NS_CURVE_POINTS; i++) {
    const NsFePoint spot = {.body = fe->element[element].body, .node = -1, .element = element, .xi = {i / 3.0}};
    NsFeExpandContact(fe, &spot, &at[i]);
    control[i] = at[i];
  }
  for (PetscInt a = -1; a < at[0].unknowns; a++) { /* -1: the position */
    for (int what = 0; what < (a < 0 ? 1 : 2); what++) {
      for (int i = 0; i < NS_CURVE_POINTS; i++) memcpy(p[i], a < 0 ? at[i].x : what ? at[i].turn[a] : at[i].move[a], sizeof(p[i]));
      NsCurveControl((const PetscReal(*)[3])p, P);
      for (int i = 0; i < NS_CURVE_POINTS && a >= 0; i++) memcpy(turn[i], at[i].turn[a], sizeof(turn[i]));
      if (a >= 0 && what == 0 && type->bends) take_slopes(axis, length, (const PetscReal(*)[3])turn, P);
      drop_rounding(P);
      for (int i = 0; i < NS_CURVE_POINTS; i++) memcpy(a < 0 ? control[i].x : what ? control[i].turn[a] : control[i].move[a], P[i], sizeof(P[i]));
    }
  }
  for (int i = 0; i < NS_CURVE_POINTS; i++) NsPairPointKeep(&control[i], NULL, fe->arena, &to[i]);
}

/* The angle by which a line turns at a node from one element to another one: 0 where it goes straight on. */
static PetscReal turn_between(const NsFe *fe, const NsFeLine *line, PetscInt node, PetscInt one, PetscInt two)
{
  const NsFeElement *element[2] = {&fe->element[one], &fe->element[two]};
  PetscReal          away[2][3], across[3]; /* from the node */

  for (int i = 0; i < 2; i++) {
    (void)line->body->element->line(element[i], away[i]);
    for (int k = 0; k < 3 && element[i]->node[0] != node; k++) away[i][k] = -away[i][k];
  }
  NsCross3(away[0], away[1], across);
  return atan2(PetscSqrtReal(NsDot3(across, across)), -NsDot3(away[0], away[1]));
}

/* Elements that turn by an angle at a node push what slides over it aside. They need not follow each other in the list: rings, branches. */
static void warn_of_kinks(NsFe *fe, NsFeLine *line, NsPlace place)
{
  const NsFeBody *body = line->body;
  PetscInt       *seen = NsArenaAlloc(fe->arena, sizeof(*seen) * (size_t)(body->mesh->nodes + 1)); /* [node] its first element; 0: none yet */
  PetscReal       most = 0;
  PetscInt        at = 0, ends = 0;

  memset(seen, 0, sizeof(*seen) * (size_t)body->mesh->nodes);
  for (PetscInt e = 0; e < line->elements; e++) {
    for (int i = 0; i < 2; i++) {
      const PetscInt node  = fe->element[line->element[e]].node[i];
      PetscInt      *first = &seen[node - body->first_node];
      ends += *first ? -1 : 1;
      if (!*first) {
        *first = line->element[e] + 1;
        continue;
      }
      const PetscReal angle = turn_between(fe, line, node, *first - 1, line->element[e]);
      if (angle > most) at = node;
      most = PetscMax(most, angle);
    }
  }
  line->smooth = line->elements == 1 || (body->element->bends && most < NS_SMOOTH && ends <= 2);
  if (most * 180 / PETSC_PI <= NS_KINK) return;
  NsDiagWarning(fe->diag, place,
    "'%s' turns by %.3g degrees at (%.4g, %.4g, %.4g) m: what slides over this corner hits it with %.0f %% of its velocity", line->name,
    most * 180 / PETSC_PI, fe->x[3 * at], fe->x[3 * at + 1], fe->x[3 * at + 2], 100 * PetscSinReal(PetscMin(most, PETSC_PI / 2)));
  NsDiagNote(fe->diag, "more elements make its corners flatter: at most %g degrees each", NS_KINK);
}

static PetscBool can_touch(NsFe *fe, const NsFeBody *body, NsPlace place)
{
  if (!body->element || !body->element->line) {
    NsDiagError(fe->diag, place, "'%s' has no line elements: a `line` is a body of bars, beams or a rotor", body->name);
    NsDiagNote(fe->diag, "of a solid name a {surface: ...}, of other bodies nodes: {node: ...}");
    return PETSC_FALSE;
  }
  if (body->redistributed || body->reduce) {
    NsDiagError(fe->diag, place, "'%s' with `%s` cannot be a `line`: all its elements would carry contacts", body->name,
      body->reduce ? "reduce" : "mass: redistributed");
    NsDiagNote(fe->diag, "remove this key, or let single nodes touch: {node: ...}");
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The body, or those of its elements that have both nodes in the set. */
static void list_elements(NsFe *fe, NsFeLine *line, const NsFePointSet *set)
{
  const NsFeBody *body = line->body;
  char           *in   = NsArenaAlloc(fe->arena, (size_t)body->mesh->nodes + 1);

  memset(in, set ? 0 : 1, (size_t)body->mesh->nodes);
  for (PetscInt i = 0; set && i < set->count; i++) in[NsFePointOf(set, i).node - body->first_node] = 1;
  line->element = NsArenaAlloc(fe->arena, sizeof(*line->element) * (size_t)(body->mesh->elements + 1));
  for (PetscInt e = body->first_element; e < body->first_element + body->mesh->elements; e++) {
    const PetscInt *node = fe->element[e].node;
    if (in[node[0] - body->first_node] && in[node[1] - body->first_node]) line->element[line->elements++] = e;
  }
}

/* touch_q NULL: undeformed. */
static void place_curves(NsFeLine *line, const PetscReal *touch_q)
{
  for (PetscInt e = 0; e < line->elements; e++) {
    for (int c = 0; c < NS_CURVE_POINTS; c++) {
      const NsPairPoint *control = &line->control[NS_CURVE_POINTS * e + c];
      PetscReal          u[3]    = {0, 0, 0};
      if (touch_q) NsPointDisplacement(control, touch_q, u);
      for (int k = 0; k < 3; k++) line->curve[e].P[c][k] = control->x[k] + u[k];
    }
    NsCurveBox(&line->curve[e]);
  }
}

/* The line of a partner, made once; NULL after an error. */
static NsFeLine *find_line(NsFe *fe, const NsPartnerSettings *side)
{
  const NsPlace place = NsKeysPlace(side->where, "line");
  const size_t  size  = strcspn(side->line, ".@");
  NsFeLine     *line  = fe->lines;
  NsFePointSet  set;

  while (line && strcmp(line->name, side->line)) line = line->next;
  if (line) return line;
  const NsFeBody *body = NsFeFindBody(fe, side->line, size, place);
  if (!body || !can_touch(fe, body, place)) return NULL;
  if (side->line[size] == '@') {
    NsDiagError(fe->diag, place, "a `line` is a whole body or a set of its nodes, not one point: '%.*s'", (int)size, side->line);
    return NULL;
  }
  if (side->line[size] && !NsFeFindSet(fe, side->line, NULL, place, PETSC_FALSE, &set)) return NULL;
  line  = NsArenaAlloc(fe->arena, sizeof(*line));
  *line = (NsFeLine){.name = side->line, .body = body, .next = fe->lines};
  list_elements(fe, line, side->line[size] ? &set : NULL);
  if (!line->elements) {
    NsDiagError(fe->diag, place, "no element lies between nodes of '%s'", side->line);
    return NULL;
  }
  line->control = NsFeAddPairPoints(fe, NS_CURVE_POINTS * line->elements);
  line->curve   = NsArenaAlloc(fe->arena, sizeof(*line->curve) * (size_t)line->elements);
  for (PetscInt e = 0; e < line->elements; e++) add_control(fe, line->element[e], &line->control[NS_CURVE_POINTS * e]);
  place_curves(line, NULL);
  warn_of_kinks(fe, line, place);
  fe->lines = line;
  return line;
}

PetscBool NsFeLinesAreSmooth(const NsFeLine *lines)
{
  for (; lines; lines = lines->next) {
    if (!lines->smooth) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

void NsFeLinesAt(NsFeLine *lines, const PetscReal *touch_q)
{
  for (NsFeLine *line = lines; line; line = line->next) place_curves(line, touch_q);
}

/* What both partners have to be; the second is the line. */
static PetscBool check_partners(NsFe *fe, const NsContactSettings *settings, const NsPartnerSettings *first, const NsPartnerSettings *second)
{
  const NsPlace between = NsKeysPlace(settings->where, "between");

  if (!NsPartnerNode(first) && !first->line) {
    NsDiagError(fe->diag, between, "a `line` touches nodes or another line");
    NsDiagNote(fe->diag, "against %s its nodes touch: {node: %.*s.all%s}", first->sides ? "the surface of a solid" : "a rigid surface",
      (int)strcspn(second->line, ".@"), second->line, second->radius > 0 ? ", radius: ..." : "");
    return PETSC_FALSE;
  }
  if (first->radius + second->radius == 0) {
    NsDiagError(fe->diag, between, "a contact with a line needs a `radius` of at least one partner");
    NsDiagNote(fe->diag, "that of the rod: {line: %s, radius: 5 mm}", second->line);
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Whether nodes that the first partner names, or its elements, belong to the body of the second. */
static PetscBool is_itself(NsFe *fe, const NsContactSettings *settings, const NsFeBody *one, const NsFeLine *line)
{
  if (one != line->body) return PETSC_FALSE;
  NsDiagError(fe->diag, NsKeysPlace(settings->where, "between"), "both partners belong to '%s': a body of lines cannot touch itself", one->name);
  return PETSC_TRUE;
}

/* Rods that are near each other and nearly parallel. */
static void warn_side_by_side(NsFe *fe, const NsContactSettings *settings, const NsFeLine *first, const NsFeLine *second)
{
  for (PetscInt a = 0; a < first->elements; a++) {
    PetscReal       axis[2][3];
    const PetscReal length = first->body->element->line(&fe->element[first->element[a]], axis[0]);
    for (PetscInt b = 0; b < second->elements; b++) {
      PetscReal across[3], xi[2];
      (void)second->body->element->line(&fe->element[second->element[b]], axis[1]);
      NsCross3(axis[0], axis[1], across);
      if (NsDot3(across, across) > NS_SIDE_BY_SIDE * NS_SIDE_BY_SIDE || NsCurvesNearest(&first->curve[a], &second->curve[b], xi) > length * length)
        continue;
      NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "between"), "'%s' and '%s' lie side by side: their nearest points may jump along them",
        first->name, second->name);
      NsDiagNote(fe->diag, "nodes of one against the other are better: [{node: %s.all, radius: ...}, {line: %s, radius: ...}]", first->body->name,
        second->name);
      return;
    }
  }
}

/* The same line, or ball around the same node. */
static PetscBool is_same_side(const NsPartnerSettings *a, const NsPartnerSettings *b)
{
  const char *one = a->line ? a->line : NsPartnerNode(a), *two = b->line ? b->line : NsPartnerNode(b);

  return !a->line == !b->line && one && two && !strcmp(one, two) && a->radius == b->radius && !memcmp(a->offset, b->offset, sizeof(a->offset));
}

/* Whether an earlier contact is between the same partners: with different laws no reaction can satisfy both (duplicates.c, for other contacts). */
static PetscBool is_twice(NsFe *fe, const NsContactSettings *settings)
{
  const NsContactSettings *other = fe->contact_list.items;

  for (int c = 0; &other[c] != settings; c++) {
    const NsPartnerSettings *a = settings->between.items, *b = other[c].between.items;
    if (!NsFeHasLine(&other[c]) || other[c].gap_offset != settings->gap_offset || !NsWindowsMeet(&other[c].window, &settings->window)) continue;
    if (!(is_same_side(&a[0], &b[0]) && is_same_side(&a[1], &b[1])) && !(is_same_side(&a[0], &b[1]) && is_same_side(&a[1], &b[0]))) continue;
    NsDiagError(fe->diag, settings->where->key_place, "contact '%s' duplicates '%s'", settings->where->key, fe->contact_list.names[c]);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static void make_pair(NsFe *fe, const NsFeLine *first, PetscInt element, const NsFeLine *second, NsPair *pair)
{
  static const PetscReal none[3] = {0, 0, 0};
  Rods                  *self    = NsArenaAlloc(fe->arena, sizeof(*self));

  *self = (Rods){.line = {first, second}, .element = {element, 0}};
  for (int p = 0; p < 2; p++) {
    self->mean[p] = (NsPairPoint){.move = (const PetscReal(*)[3])self->move[p], .turn = (const PetscReal(*)[3])self->turn[p], .axis = none};
    if (!self->line[p]) continue;
    self->mean[p].spin = self->line[p]->control->spin;
    self->mean[p].axis = self->line[p]->control->axis;
    pair->point[p]     = &self->mean[p];
  }
  pair->data  = self;
  pair->frame = NsArenaAlloc(fe->arena, sizeof(*pair->frame));
}

PetscInt NsFeLineCandidates(NsFe *fe, const NsContactSettings *settings, const char *name, NsPair *pair, NsCandidate *candidate)
{
  const NsPartnerSettings *side = settings->between.items, *second = side[1].line ? &side[1] : &side[0], *first = side[1].line ? &side[0] : &side[1];
  const NsLaw              law = NsContactLawOf(fe->config, settings, fe->arena);
  NsFePointSet             set = {.count = 0};

  if (!check_partners(fe, settings, first, second)) return 0;
  const NsFeLine *line[2] = {first->line ? find_line(fe, first) : NULL, find_line(fe, second)};
  if (!line[1] || (first->line && !line[0])) return 0;
  if (!first->line && !NsFeFindContactSet(fe, NsPartnerNode(first), first->offset, NsKeysPlace(first->where, "node"), &set)) return 0;
  if (is_itself(fe, settings, line[0] ? line[0]->body : &fe->body[set.spot.body], line[1])) return 0;
  if (law.across != 0) {
    NsDiagError(
      fe->diag, NsKeysPlace(settings->where, "friction"), "friction that depends on the direction is for contacts with planes, not with a line");
    return 0;
  }
  if (!pair && is_twice(fe, settings)) return 0;
  const PetscInt count = line[0] ? line[0]->elements : set.count;
  if (!pair) return count;
  const NsPairPoint *point = line[0] ? NULL : NsFeKeepPoints(fe, &set);
  for (PetscInt i = 0; i < count; i++) {
    pair[i] = (NsPair){
      .type = &NsPairType_Line, .point = {line[0] ? NULL : &point[i]}, .radius = {first->radius, second->radius}, .offset = settings->gap_offset};
    make_pair(fe, line[0], i, line[1], &pair[i]);
    candidate[i] = (NsCandidate){.name = name, .number = {count > 1 ? i + 1 : 0}, .law = law, .tolerance = settings->gap_tolerance};
  }
  if (line[0]) warn_side_by_side(fe, settings, line[0], line[1]);
  return count;
}
