/*
  Reactions of supports, springs and bearings, as probes: supports.NAME, springs.NAME, bearings.NAME; links.NAME and ties.NAME are those of link_reactions.c.

  Columns fx, fy, fz, mx, my, mz: force and moment on the body. Of a spring or bearing they act on the first point of `between` that is not the ground; the moment is about that point. Of a
  support they are what holds its DOF h:

      R_h = (M a + C v + K q - f)_h

  with all elements, force elements and inertias that have a part in h; less the forces of links and ties on h (link_reactions.c); the moment is about the middle of its nodes. Forces of contacts on DOF that are held are not part of it.

  For this, a second numbering includes the held DOF: held DOF d has the number unknowns + d. Between begin and end fe->unknown contains these numbers, and everything that is built then has rows for
  held DOF, too.
*/
#include <string.h>
#include "components.h"
#include "core/motion.h"
#include "fe/forces/laws/law.h"
#include "link_reactions.h"

enum { FORCES = 6, ORDERS = 3 }; /* fx .. mz; q, v, a */

struct NsFeReactions {
  PetscInt  *unknown; /* [dofs] numbers with held DOF */
  PetscInt   numbers; /* unknowns + dofs */
  NsFeForces forces;  /* loads, unbalances, and what changes with a spin, in these numbers */
};

static const char *const suffixes[FORCES] = {"fx", "fy", "fz", "mx", "my", "mz"};

#define NS_FORCE(Name, key, help, example) #key,
static const char *const force_keys[] = {
#include "fe/forces/list.h"
};
#undef NS_FORCE

enum { TIES = -3, LINKS, SUPPORTS };

/* The list of the config that a name like "bearings.left" begins with: one of these, or the kind of force element; false: none. */
static PetscBool find_list(const char *name, PetscInt *list)
{
  static const char *const others[] = {"ties", "links", "supports"};
  const size_t             length   = strcspn(name, ".");

  if (name[length] != '.') return PETSC_FALSE;
  for (*list = TIES; *list < NS_FORCES; ++*list) {
    const char *key = *list < 0 ? others[*list - TIES] : force_keys[*list];
    if (strlen(key) == length && !strncmp(name, key, length)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Bodies come first. */
PetscBool NsFeNamesReaction(const NsFe *fe, const char *name)
{
  PetscInt list;

  if (!find_list(name, &list)) return PETSC_FALSE;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const size_t length = strlen(fe->body[b].name);
    if (!strncmp(fe->body[b].name, name, length) && name[length] == '.') return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- numbers of all DOF ------------------------------------------------------------------------------------------------------------------------ */

/* From begin to end all functions of the model count held DOF as free ones. */
static PetscInt *begin(NsFe *fe)
{
  PetscInt *own = fe->unknown;

  fe->unknown = fe->reactions->unknown;
  return own;
}

static void end(NsFe *fe, PetscInt *own)
{
  fe->unknown = own;
}

/* Creates loads and spin-dependent parts a second time, without repeating their messages. */
static void create(NsFe *fe)
{
  NsFeReactions      *self  = NsArenaAlloc(fe->arena, sizeof(*self));
  const NsFeForces    own   = fe->forces;
  const NsFeLineLoads lines = fe->line_loads;
  NsDiag             *diag  = fe->diag;

  fe->reactions = self;
  self->numbers = fe->unknowns + fe->dofs;
  self->unknown = NsArenaAlloc(fe->arena, sizeof(*self->unknown) * (size_t)(fe->dofs + 1));
  for (PetscInt d = 0; d < fe->dofs; d++) self->unknown[d] = fe->unknown[d] < 0 && fe->holder[d] ? fe->unknowns + d : fe->unknown[d];
  PetscInt *numbers = begin(fe);
  fe->forces        = (NsFeForces){0};
  fe->line_loads    = (NsFeLineLoads){0};
  fe->diag          = NsDiagCreate(fe->arena);
  NsFeAttach_Load(fe, &fe->config->attachments[NS_ATTACHMENT_Load]);
  NsFeAttach_Unbalance(fe, &fe->config->attachments[NS_ATTACHMENT_Unbalance]);
  NsFeVaryingCreate(fe);
  NsFeSpinning(fe);
  self->forces   = fe->forces;
  fe->forces     = own;
  fe->line_loads = lines;
  fe->diag       = diag;
  end(fe, numbers);
}

/* ---- parts of a column that are not linear ------------------------------------------------------------------------------------------------------ */

/* A sum over q or v, of free unknowns alone: what supports move has no such parts (moving.c). */
static NsProbeColumn sum_of(NsFe *fe, PetscInt entries, const PetscInt *unknown, const PetscReal *weight, PetscBool of_velocity)
{
  NsProbeColumn column = {.suffix = "", .of_velocity = of_velocity};

  for (PetscInt i = 0; i < entries; i++) {
    if (unknown[i] >= 0 && unknown[i] < fe->unknowns && weight[i] != 0) NsProbeAdd(&column, fe->arena, unknown[i], weight[i]);
  }
  return column;
}

static void add_law(NsFe *fe, NsProbeColumn *column, NsProbeLaw law)
{
  NsProbeLaw *own = NsArenaAlloc(fe->arena, sizeof(*own));

  *own        = law;
  own->next   = column->law;
  column->law = own;
}

/* sum_c weight[c] f_t[c] of a force element that is computed in every step. Inputs: components of r, of r', angle and rate of the twist. */
typedef struct {
  const NsForceElement *force;
  const NsSpin         *spin;
  PetscInt              components;
  PetscReal             weight[6];
  PetscBool             still;   /* turns as at the start, and moves no more; without dampers */
  PetscReal             turn[6]; /* then: components of r' by free spins */
} VaryingPart;

static PetscReal varying_value(const void *data, PetscReal t, const PetscReal *x)
{
  const VaryingPart  *self   = data;
  const PetscInt      n      = self->components;
  const PetscReal     rate   = self->still && self->spin ? NsSpinAtStart(self->spin) : NsSpinRate(self->spin, t) + x[2 * n + 1];
  const NsForceMotion motion = {.r = x, .v = self->still ? self->turn : x + n, .angle = NsSpinAngle(self->spin, t) + x[2 * n], .spin = rate};
  PetscReal           spring[6], damper[6], sum = 0;

  NsFeForceNow(self->force, &motion, spring, damper);
  for (PetscInt c = 0; c < n; c++) sum += self->weight[c] * (spring[c] + (self->still ? 0 : damper[c]));
  return sum;
}

static void add_varying(NsFe *fe, const NsFeVarying *varying, const PetscReal *weight, PetscBool still, NsProbeColumn *column)
{
  VaryingPart   *part = NsArenaAlloc(fe->arena, sizeof(*part));
  const PetscInt n    = varying->components;
  NsProbeColumn *x    = NsArenaAlloc(fe->arena, sizeof(*x) * (size_t)(2 * n + 2));

  *part = (VaryingPart){.force = varying->element, .spin = varying->twist.spin, .components = n, .still = still};
  if (still) {
    PetscReal *speed = NsArenaAlloc(fe->arena, sizeof(*speed) * (size_t)fe->bodies);
    for (PetscInt b = 0; b < fe->bodies; b++) speed[b] = fe->body[b].is_rotor ? NsSpinAtStart(fe->body[b].spin) : 0;
    NsFeForceSpinRates(fe, varying->element, speed, part->turn);
  }
  for (PetscInt c = 0; c < n; c++) {
    part->weight[c] = weight[c];
    for (PetscInt of_velocity = 0; of_velocity < 2; of_velocity++)
      x[of_velocity * n + c] = sum_of(fe, varying->entries, varying->unknown, varying->row[c], of_velocity == 1);
  }
  for (PetscInt of_velocity = 0; of_velocity < 2; of_velocity++)
    x[2 * n + of_velocity] = sum_of(fe, varying->twist.entries, varying->twist.unknown, varying->twist.weight, of_velocity == 1);
  add_law(fe, column, (NsProbeLaw){.value = varying_value, .data = part, .inputs = 2 * n + 2, .input = x});
}

/* Omega g' v. Inputs: g' v, rate of the twist. */
static PetscReal gyroscopic_value(const void *data, PetscReal t, const PetscReal *x)
{
  return (NsSpinRate(data, t) + x[1]) * x[0];
}

static void add_gyroscopic(NsFe *fe, const NsFeGyro *gyro, const PetscReal *g, NsProbeColumn *column)
{
  NsProbeColumn *x = NsArenaAlloc(fe->arena, sizeof(*x) * 2);

  x[0] = sum_of(fe, gyro->n, gyro->unknown, g, PETSC_TRUE);
  x[1] = sum_of(fe, gyro->twist.entries, gyro->twist.unknown, gyro->twist.weight, PETSC_TRUE);
  add_law(fe, column, (NsProbeLaw){.value = gyroscopic_value, .data = gyro->twist.spin, .inputs = 2, .input = x});
}

/* - (weight . force of an unbalance), where the spin is prescribed. */
typedef struct {
  const NsFeUnbalance *unbalance;
  PetscReal            weight[2];
} UnbalancePart;

static PetscReal unbalance_value(const void *data, PetscReal t, const PetscReal *x)
{
  const UnbalancePart *self = data;
  PetscReal            f[2], torque;

  NsFeUnbalanceForce(self->unbalance, t, x, x, f, &torque);
  return -self->weight[0] * f[0] - self->weight[1] * f[1];
}

/* ---- springs and bearings ----------------------------------------------------------------------------------------------------------------------- */

static const NsForceElement *find_force(const NsFe *fe, PetscInt kind, const char *name)
{
  for (PetscInt k = 0; k < fe->force_elements; k++) {
    if (!strcmp(fe->force[k].type->kind, NsForceTypes[kind]->kind) && !strcmp(fe->force[k].name, name))
      return &fe->force[k]; /* also within a switched one */
  }
  return NULL;
}

static const NsFeVarying *find_varying(const NsFeForces *forces, const NsForceElement *force)
{
  for (PetscInt k = 0; k < forces->varyings; k++) {
    if (forces->varying[k].element == force) return &forces->varying[k];
  }
  return NULL;
}

/* Adds to the column of q, or to its part of v or a. Held unknowns that move add functions of time. */
static void add_to(NsFe *fe, NsProbeColumn *column, PetscInt unknown, int order, PetscReal weight)
{
  if (weight == 0) return;
  if (NsFeIsMoved(unknown)) NsFeMovedProbe(fe, column, unknown, order, weight);
  if (unknown >= 0) NsProbeAdd(NsProbePart(column, fe->arena, order), fe->arena, unknown, weight);
}

/* On the first point: K r + C r' - f_t. */
static void force_columns(NsFe *fe, const NsForceElement *force, PetscBool still, NsProbeColumn column[FORCES])
{
  const NsFeVarying *varying = find_varying(&fe->forces, force);
  PetscInt           unknown[NS_FORCE_UNKNOWNS];
  PetscReal          row[NS_FORCE_UNKNOWNS][6], K[36], C[36];
  const PetscInt     n = NsFeForceRowsMoved(fe, force, unknown, row);

  NsFeForceTangents(fe, force, NULL, K, C);
  for (int k = 0; k < FORCES; k++) {
    for (PetscInt i = 0; i < n; i++) {
      PetscReal stiffness = 0, damping = 0;
      for (int a = 0; a < 6; a++) {
        stiffness += K[6 * k + a] * row[i][a];
        damping += C[6 * k + a] * row[i][a];
      }
      add_to(fe, &column[k], unknown[i], 0, stiffness);
      if (!still) add_to(fe, &column[k], unknown[i], 1, damping);
    }
    PetscReal direction[6][6], weight[6], size = 0;
    for (PetscInt c = 0; varying && c < force->type->components(force, direction); c++) {
      weight[c] = -direction[c][k];
      size += PetscAbsReal(weight[c]);
    }
    if (size > 0) add_varying(fe, varying, weight, still, &column[k]);
  }
}

/* ---- supports ------------------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  NsFe           *fe;
  const PetscInt *own;                /* [dofs] numbers as the model has them */
  PetscBool       diagonal;           /* the mass matrix is */
  PetscReal (*weight)[FORCES];        /* [dofs] what a unit reaction of a held DOF adds to the columns */
  PetscReal     *sum[FORCES][ORDERS]; /* [numbers] */
  NsProbeColumn *column;
  PetscBool      still; /* at t = 0 without motion and unbalances, as the static solution */
} Support;

/* What unit reactions add, 0 where the DOF is not held by this support; NULL: free, or of no support. */
static const PetscReal *weight_of(const Support *self, PetscInt number)
{
  return number < self->fe->unknowns ? NULL : self->weight[number - self->fe->unknowns];
}

static void add_term(void *context, const NsFeComponent *c, NsFeMatrix to, const PetscReal *X, PetscReal factor)
{
  static const int order[NS_FE_MATRICES] = {[NS_FE_MASS] = 2, [NS_FE_DAMPERS] = 1, [NS_FE_GYROSCOPIC] = 1, [NS_FE_STIFFNESS] = 0};
  const Support   *self                  = context;

  for (PetscInt i = 0; i < c->n; i++) {
    const PetscReal *w = weight_of(self, c->unknown[i]);
    for (PetscInt j = 0; j < c->n && w; j++) {
      if (c->unknown[j] < 0 || (to == NS_FE_MASS && self->diagonal && i != j)) continue;
      for (int k = 0; k < FORCES; k++) self->sum[k][order[to]][c->unknown[j]] += w[k] * factor * X[i * c->n + j];
    }
  }
}

/* The DOF that it holds: their weights. Forces add up; moments are about the middle of the nodes. */
static PetscErrorCode take_dofs(Support *self, PetscInt number, PetscReal middle[3])
{
  const NsFe *fe    = self->fe;
  PetscReal   nodes = 0;

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) middle[k] = 0;
  PetscCall(PetscCalloc1(fe->dofs, &self->weight));
  for (int pass = 0; pass < 2; pass++) {
    for (PetscInt node = 0; node < fe->nodes; node++) {
      const NsFeBody *body  = &fe->body[fe->node_body[node]];
      const PetscInt  first = body->first_dof + (node - body->first_node) * body->node_unknowns;
      PetscBool       held  = PETSC_FALSE;
      for (PetscInt a = 0; a < body->node_unknowns; a++) {
        const PetscReal *d = body->direction[a], *x = fe->x + 3 * node;
        PetscReal       *w = self->weight[first + a];
        if (fe->holder[first + a] != number) continue;
        held = PETSC_TRUE;
        for (int k = 0; k < 3 && pass; k++) {
          const int l = (k + 1) % 3, m = (k + 2) % 3;
          w[k]     = body->turns[a] ? 0 : d[k];
          w[3 + k] = body->turns[a] ? d[k] : (x[l] - middle[l]) * d[m] - (x[m] - middle[m]) * d[l];
        }
      }
      for (int k = 0; k < 3 && held && !pass; k++) middle[k] += fe->x[3 * node + k];
      nodes += held && !pass;
    }
    for (int k = 0; k < 3 && !pass && nodes > 0; k++) middle[k] /= nodes;
  }
  PetscFunctionReturn(0);
}

/* - f of weight and base, which are accelerations of the frame. */
static PetscErrorCode add_weight(Support *self)
{
  NsFe           *fe   = self->fe;
  const NsMotion *base = &fe->moving.base;
  PetscReal      *f;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(fe->reactions->numbers, &f));
  for (int a = -1; a < base->parts; a++) {
    NsFeWeight(fe, a < 0 ? fe->gravity : base->part[a].vector, f);
    for (int k = 0; k < FORCES; k++) {
      PetscReal sum = 0;
      for (PetscInt d = 0; d < fe->dofs; d++) sum += self->weight[d][k] * f[fe->unknowns + d];
      if (a < 0)
        self->column[k].constant -= sum;
      else if (sum != 0)
        NsProbeAddTimed(&self->column[k], fe->arena, &base->part[a].derived[2], sum);
    }
    PetscCall(PetscArrayzero(f, fe->reactions->numbers));
  }
  PetscCall(PetscFree(f));
  PetscFunctionReturn(0);
}

/* False: why. */
static PetscBool add_loads(Support *self, const char *name, char *why, size_t size)
{
  NsFe             *fe     = self->fe;
  const NsFeForces *forces = &fe->reactions->forces;

  for (PetscInt l = 0; l < forces->loads; l++) {
    const NsFeLoad *load        = &forces->load[l];
    PetscReal       sum[FORCES] = {0};
    for (PetscInt i = 0; i < load->entries; i++) {
      const PetscReal *w = weight_of(self, load->unknown[i]);
      for (int k = 0; k < FORCES && w; k++) sum[k] += w[k] * load->value[i];
      if (!w || !load->sine || self->still || !(NsDot3(w, w) + NsDot3(w + 3, w + 3) > 0)) continue;
      (void)snprintf(why, size, "the reaction of '%s' is not known: a rotating load acts on a node that it holds", name);
      return PETSC_FALSE;
    }
    for (int k = 0; k < FORCES; k++) {
      if (load->time && sum[k] != 0) NsProbeAddTimed(&self->column[k], fe->arena, load->time, -sum[k]);
      if (!load->time) self->column[k].constant -= sum[k];
    }
  }
  return PETSC_TRUE;
}

/* False: why. */
static PetscBool add_unbalances(Support *self, const char *name, char *why, size_t size)
{
  NsFe             *fe     = self->fe;
  const NsFeForces *forces = &fe->reactions->forces;

  for (PetscInt u = 0; u < forces->unbalances && !self->still; u++) {
    const NsFeUnbalance *unbalance = &forces->unbalance[u];
    for (int k = 0; k < FORCES; k++) {
      UnbalancePart part = {.unbalance = unbalance};
      for (PetscInt i = 0; i < unbalance->entries; i++) {
        const PetscReal *w = weight_of(self, unbalance->unknown[i]);
        for (int a = 0; a < 2 && w; a++) part.weight[a] += w[k] * unbalance->lateral[a][i];
      }
      if (part.weight[0] == 0 && part.weight[1] == 0) continue;
      if (NsSpinIsFree(unbalance->twist.spin)) {
        (void)snprintf(why, size, "the reaction of '%s' is not known: an unbalance on a rotor of free spin acts on a node that it holds", name);
        return PETSC_FALSE;
      }
      UnbalancePart *own = NsArenaAlloc(fe->arena, sizeof(*own));
      *own               = part;
      add_law(fe, &self->column[k], (NsProbeLaw){.value = unbalance_value, .data = own});
    }
  }
  return PETSC_TRUE;
}

/* What changes with a spin, and nonlinear force elements. */
static void add_changing(Support *self)
{
  NsFe             *fe     = self->fe;
  const NsFeForces *forces = &fe->reactions->forces;

  for (PetscInt g = 0; g < forces->gyros; g++) {
    const NsFeGyro *gyro = &forces->gyro[g];
    for (int k = 0; k < FORCES; k++) {
      PetscReal row[NS_ELEMENT_UNKNOWNS] = {0}, size = 0;
      for (PetscInt i = 0; i < gyro->n; i++) {
        const PetscReal *w = weight_of(self, gyro->unknown[i]);
        for (PetscInt j = 0; j < gyro->n && w; j++) row[j] += w[k] * gyro->G[i * gyro->n + j];
      }
      for (PetscInt j = 0; j < gyro->n; j++) size += PetscAbsReal(row[j]);
      if (size > 0) add_gyroscopic(fe, gyro, row, &self->column[k]);
    }
  }
  for (PetscInt v = 0; v < forces->varyings; v++) {
    const NsFeVarying *varying = &forces->varying[v];
    for (int k = 0; k < FORCES; k++) {
      PetscReal weight[6] = {0}, size = 0;
      for (PetscInt i = 0; i < varying->entries; i++) {
        const PetscReal *w = weight_of(self, varying->unknown[i]);
        for (PetscInt c = 0; c < varying->components && w; c++) weight[c] -= w[k] * varying->row[c][i];
      }
      for (PetscInt c = 0; c < varying->components; c++) size += PetscAbsReal(weight[c]);
      if (size > 0) add_varying(fe, varying, weight, self->still, &self->column[k]);
    }
  }
}

/* Sums over all unknowns become entries. */
static void take_sums(Support *self)
{
  NsFe *fe = self->fe;

  for (int k = 0; k < FORCES; k++) {
    for (int order = 0; order < (self->still ? 1 : ORDERS); order++) {
      const PetscReal *sum = self->sum[k][order];
      for (PetscInt i = 0; i < fe->reactions->numbers; i++) {
        if (sum[i] != 0) add_to(fe, &self->column[k], i < fe->unknowns ? i : self->own[i - fe->unknowns], order, sum[i]);
      }
    }
  }
}

/* x[3]: the middle of its nodes. */
static PetscErrorCode support_columns(NsFe *fe, const NsModel *model, PetscInt number, PetscBool still, const char *name, NsProbeColumn *column,
  PetscReal *x, PetscBool *known, char *why, size_t size)
{
  const PetscBool all[NS_FE_MATRICES] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  Support         self                = {.fe = fe, .column = column, .diagonal = NsFeMassIsDiagonal(fe), .still = still};

  PetscFunctionBegin;
  if (!fe->reactions) create(fe);
  PetscCall(take_dofs(&self, number, x));
  for (int k = 0; k < FORCES * ORDERS; k++) PetscCall(PetscCalloc1(fe->reactions->numbers, &self.sum[k / ORDERS][k % ORDERS]));
  PetscInt *own = begin(fe);
  self.own      = own;
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) NsFeComponentTerms(fe, &c, NULL, all, add_term, &self);
  PetscCall(add_weight(&self));
  *known = add_loads(&self, name, why, size) && add_unbalances(&self, name, why, size);
  add_changing(&self);
  if (!still) NsFeLinkReactions(fe, model, (const PetscReal(*)[6])self.weight, column);
  end(fe, own);
  take_sums(&self);
  for (int k = 0; k < FORCES * ORDERS; k++) PetscCall(PetscFree(self.sum[k / ORDERS][k % ORDERS]));
  PetscCall(PetscFree(self.weight));
  PetscFunctionReturn(0);
}

/* ---- both ----------------------------------------------------------------------------------------------------------------------------------------- */

static PetscBool is_empty(const NsProbeColumn *column)
{
  return !column->entries && !column->plus && !column->law && !column->timed && !column->touch && column->constant == 0;
}

PetscErrorCode NsFeReaction(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size)
{
  NsFe          *fe             = model->data;
  NsProbeColumn  column[FORCES] = {{0}};
  PetscReal      x[3];
  const char    *word = name + strcspn(name, ".") + 1;
  PetscInt       kind = 0, number = 0;
  const PetscInt listed = find_list(name, &kind);
  const NsList  *list   = kind == TIES       ? &fe->config->ties
                          : kind == LINKS    ? &fe->config->links
                          : kind == SUPPORTS ? &fe->config->supports
                                             : &fe->config->forces[kind];

  PetscFunctionBegin;
  for (int k = 0; k < FORCES; k++) column[k].suffix = suffixes[k];
  for (PetscInt h = 0; h < fe->holds && kind == SUPPORTS; h++) {
    if (fe->hold[h].is_link || strcmp(fe->hold[h].name, word) != 0) continue;
    *found = PETSC_FALSE;
    (void)snprintf(why, size, "the reactions of '%s', which stops acting, are in contacts.csv: a contact for each DOF, such as %s.x", name, word);
    PetscFunctionReturn(0);
  }
  while (listed && number < list->count && strcmp(list->names[number], word) != 0) number++;
  const NsForceElement *force = kind < 0 ? NULL : find_force(fe, kind, word);
  *found                      = listed && number < list->count && (kind < 0 || force);
  if (!*found) {
    (void)snprintf(why, size, "there is no '%s'%s", name, NsDidYouMean(list->count ? NsNearestWord(word, list->names) : NULL));
    PetscFunctionReturn(0);
  }
  if (force)
    force_columns(fe, force, PETSC_FALSE, column);
  else if (kind != SUPPORTS)
    *found = NsFeLinkColumns(fe, model, word, kind == TIES, column);
  else
    PetscCall(support_columns(fe, model, number + 1, PETSC_FALSE, name, column, x, found, why, size));
  for (int k = 0; k < FORCES && *found; k++) {
    if (!is_empty(&column[k])) probe->column[probe->columns++] = column[k];
  }
  PetscFunctionReturn(0);
}

static void evaluate(const NsProbeColumn column[FORCES], const PetscReal *q, const PetscReal *still, NsFeStaticReaction *reaction)
{
  for (int k = 0; k < FORCES; k++) (k < 3 ? reaction->force : reaction->moment)[k % 3] = NsProbeColumnValue(&column[k], 0, q, still, NULL);
}

PetscErrorCode NsFeStaticReactions(NsModel *model, const PetscReal *q, PetscInt *count, NsFeStaticReaction **list)
{
  NsFe      *fe = model->data;
  char       why[256];
  PetscReal *still;
  PetscBool  known;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(fe->unknowns, &still));
  *list  = NsArenaAlloc(fe->arena, sizeof(**list) * (size_t)(fe->config->supports.count + fe->force_elements + 1));
  *count = 0;
  for (int s = 0; s < fe->config->supports.count; s++) {
    NsProbeColumn       column[FORCES] = {{0}};
    NsFeStaticReaction *reaction       = &(*list)[(*count)++];
    *reaction                          = (NsFeStaticReaction){.kind = "support", .name = fe->config->supports.names[s], .ground = PETSC_TRUE};
    PetscCall(support_columns(fe, model, s + 1, PETSC_TRUE, reaction->name, column, reaction->x, &known, why, sizeof(why)));
    evaluate(column, q, still, reaction);
  }
  for (PetscInt f = 0; f < fe->force_elements; f++) {
    if (fe->force[f].inner) continue;
    NsProbeColumn       column[FORCES] = {{0}};
    NsFeStaticReaction *reaction       = &(*list)[(*count)++];
    NsPoint             point;
    NsFeExpand(fe, &fe->force[f].end[0], &point);
    *reaction = (NsFeStaticReaction){
      .kind = fe->force[f].type->kind, .name = fe->force[f].name, .ground = fe->force[f].end[1].body < 0, .x = {point.x[0], point.x[1], point.x[2]}};
    force_columns(fe, &fe->force[f], PETSC_TRUE, column);
    evaluate(column, q, still, reaction);
  }
  PetscCall(PetscFree(still));
  PetscFunctionReturn(0);
}
