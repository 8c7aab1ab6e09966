/*
  Creates the model of a mechanism: its contacts, picture and probes, and checks of its start.
*/
#include <string.h>
#include "dense.h"

static const double nothing[NS_MECHANISM_PARAMETERS];

/* Reports sections of the config that a mechanism does not support: all but those of every model. */
static void refuse_other_sections(const NsConfig *config, NsDiag *diag)
{
  static const char *const common[] = {"title", "gravity", "bodies", "start", "free_dynamics", "scheme", "time", "limits", "output", NULL};

  if (config->start->state > 0)
    NsDiagError(diag, NsKeysPlace(config->where, NsTreeChild(config->where, "start") ? "start" : "bodies"),
      "`%s%s` does not support mechanisms: the initial state is that of `initial`", NsTreeChild(config->where, "start") ? "start: " : "percuss ",
      NsTreeChild(config->where, "start") ? NsStartWord(config->start->state) : "static");
  if (config->bodies.count > 1)
    NsDiagError(diag, config->bodies.where[1]->key_place, "a mechanism is a complete model: a config with a mechanism cannot have other bodies");
  for (const NsNode *section = config->where->first; section; section = section->next) {
    int i = 0;
    while (common[i] && strcmp(common[i], section->key)) i++;
    if (!common[i] && section->count)
      NsDiagError(diag, section->key_place, "a mechanism cannot be combined with %s: it has its own forces and contacts", section->key);
  }
}

NsMechanismSize NsMechanismSizeOf(const NsMechanism *m, const NsMechanismCase *c)
{
  NsMechanismSize size = {0};

  while (m->coordinates[size.n].name) size.n++;
  while (m->contacts && m->contacts[size.contacts].name) size.contacts++;
  if (m->sizes) {
    const NsMechanismSize all = size;
    m->sizes(c, &size.n, &size.contacts);
    if (size.n < 1 || size.n > all.n || size.contacts < 0 || size.contacts > all.contacts) return (NsMechanismSize){0};
  }
  for (int k = 0; k < size.contacts; k++) size.rows += 1 + m->contacts[k].tangents;
  return size;
}

/* Reports initial values of coordinates that this case does not have; they have keys, because the reader of the config does not depend on the case. */
static void check_initial(const NsDense *self, const NsMechanismInitial *initial, NsDiag *diag)
{
  const NsMechanismCoordinate *list = self->m->coordinates;

  for (PetscInt i = self->n; list[i].name; i++) {
    for (int rate = 0; rate < 2; rate++) {
      const char *name = rate ? list[i].rate : list[i].name;
      if (!NsTreeChild(initial->where, name)) continue;
      NsDiagError(diag, NsKeysPlace(initial->where, name), "%s has %d coordinates here, %s to %s: there is no %s", self->m->name, (int)self->n,
        list[0].name, list[self->n - 1].name, name);
    }
  }
}

/* The law of a contact: that under its name in `each`, and else that of all. */
static NsLaw law_of(const NsMechanismLaw *law, const char *name, NsArena *arena)
{
  const NsMechanismEachLaw *each = law->each.items;

  for (int i = 0; i < law->each.count; i++) {
    if (!strcmp(law->each.names[i], name)) return NsContactLawMake(&each[i].law, each[i].where, &law->law, arena);
  }
  return NsContactLawMake(&law->law, law->where, NULL, arena);
}

static void add_contacts(NsDense *self, NsModel *model, const NsMechanismLaw *law)
{
  const NsMechanismContact *list = self->m->contacts;
  const size_t              m    = (size_t)self->contacts;
  size_t                    rows = 0;

  model->candidates = self->contacts;
  model->candidate  = NsArenaAlloc(model->arena, sizeof(*model->candidate) * (m + 1));
  self->row         = NsArenaAlloc(model->arena, sizeof(*self->row) * (m + 1));
  for (PetscInt k = 0; k < self->contacts; k++) {
    model->candidate[k] = (NsCandidate){.name = list[k].name, .directions = 1, .bilateral = list[k].bilateral != 0};
    self->row[k]        = (PetscInt)rows;
    rows += 1 + (size_t)list[k].tangents;
    self->row[k + 1] = (PetscInt)rows;
    if (list[k].bilateral) continue;
    model->candidate[k].tolerance = law->gap_tolerance;
    model->candidate[k].law       = law_of(law, list[k].name, model->arena);
    if (model->candidate[k].law.friction > 0) model->candidate[k].directions += list[k].tangents;
  }
  self->g            = NsArenaAlloc(model->arena, sizeof(PetscReal) * (m + 1));
  self->W            = NsArenaAlloc(model->arena, sizeof(PetscReal) * (rows * (size_t)self->n + 1));
  self->drive        = NsArenaAlloc(model->arena, sizeof(PetscReal) * (rows + 1));
  self->rate         = NsArenaAlloc(model->arena, sizeof(PetscReal) * (rows + 1));
  model->touches     = model->candidates ? self->n : 0;
  model->row_entries = model->touches;
  model->touch       = NsArenaAlloc(model->arena, sizeof(*model->touch) * (size_t)(self->n + 1));
  for (PetscInt i = 0; i < self->n; i++) model->touch[i] = i;
}

/* Friction has no effect in a mechanism whose contacts have no tangents; which are its directions is its own affair; names under `each` are those of contacts. */
static void check_laws(const NsDense *self, const NsMechanismLaw *law, NsArena *arena, NsDiag *diag)
{
  const NsMechanismEachLaw *each  = law ? law->each.items : NULL; /* joints alone have no law */
  const char              **names = NsArenaAlloc(arena, sizeof(*names) * ((size_t)self->contacts + 1));
  PetscInt                  hits = 0, rubs = 0;

  if (!law) return;

  for (PetscInt k = 0; k < self->contacts; k++) {
    if (!self->m->contacts[k].bilateral) names[hits++] = self->m->contacts[k].name;
    rubs += self->m->contacts[k].tangents > 0;
  }
  for (int i = 0; i < law->each.count; i++) {
    PetscInt k = 0;
    while (k < hits && strcmp(names[k], law->each.names[i])) k++;
    if (k == hits)
      NsDiagError(diag, law->each.where[i]->key_place, "%s has no contact '%s'%s", self->m->name, law->each.names[i],
        NsDidYouMean(NsNearestWord(law->each.names[i], names)));
    const NsLaw whole = NsContactLawMake(&each[i].law, each[i].where, &law->law, arena);
    NsContactLawCheckWhole(&each[i].law, each[i].where, &whole, arena, diag);
    if (each[i].law.friction && each[i].law.friction->anisotropy)
      NsDiagError(diag, NsKeysPlace(each[i].where, "friction"), "friction that depends on the direction is for contacts with planes");
  }
  for (int i = -1; i < law->each.count; i++) {
    const NsFrictionSettings *friction = i < 0 ? law->law.friction : each[i].law.friction;
    if (!friction || friction->resistance[NS_ROLLING] + friction->resistance[NS_DRILLING] == 0) continue;
    NsDiagError(
      diag, NsKeysPlace(i < 0 ? law->where : each[i].where, "friction"), "contacts of %s have no rolling or drilling resistance", self->m->name);
  }
  if (law->law.friction && law->law.friction->anisotropy)
    NsDiagError(diag, NsKeysPlace(law->where, "friction"), "friction that depends on the direction is for contacts with planes");
  if (hits && !rubs && NsContactLawMake(&law->law, law->where, NULL, arena).friction > 0)
    NsDiagWarning(diag, NsKeysPlace(law->where, "friction"), "friction has no effect: contacts of %s have no tangential direction", self->m->name);
}

static void make_picture(NsDense *self, NsModel *model)
{
  const NsMechanism *m     = self->m;
  NsScene           *scene = &model->scene;

  scene->bodies       = 1;
  scene->body_name    = NsArenaAlloc(model->arena, sizeof(*scene->body_name));
  scene->body_name[0] = self->name;
  if (!m->draw) return;
  scene->points  = m->points;
  scene->cells   = m->lines;
  scene->x       = NsArenaAlloc(model->arena, sizeof(PetscReal) * 3 * (size_t)(m->points + 1));
  scene->radius  = NsArenaAlloc(model->arena, sizeof(PetscReal) * (size_t)(m->points + 1));
  scene->cell    = NsArenaAlloc(model->arena, sizeof(*scene->cell) * 2 * (size_t)(m->lines + 1));
  scene->body    = NsArenaAlloc(model->arena, sizeof(*scene->body) * (size_t)(m->lines + 1));
  scene->element = NsArenaAlloc(model->arena, sizeof(*scene->element) * (size_t)(m->lines + 1));
  for (int side = 0; side < 2; side++) self->x[side] = NsArenaAlloc(model->arena, sizeof(PetscReal) * 3 * (size_t)(m->points + 1));
  PetscReal q[NS_N];
  for (PetscInt i = 0; i < self->n; i++) q[i] = self->start[2 * i];
  m->draw(&self->c, q, scene->x);
  for (int i = 0; i < m->points; i++) scene->radius[i] = m->radius ? m->radius(&self->c) : model->length_scale / 100;
  for (int i = 0; i < 2 * m->lines; i++) scene->cell[i] = m->line[i / 2][i % 2];
  for (int i = 0; i < m->lines; i++) scene->element[i] = i;
  NsSceneFromLines(scene, model->arena);
}

/* Notes the value that closes an open joint, of the coordinate with the largest effect on it. */
static void suggest_closing(NsDense *self, PetscInt k, NsDiag *diag)
{
  PetscReal q[NS_N] = {0};
  PetscInt  best    = 0;

  for (PetscInt i = 0; i < self->n; i++) {
    q[i] = self->start[2 * i];
    if (PetscAbsReal(self->W[self->row[k] * self->n + i]) > PetscAbsReal(self->W[self->row[k] * self->n + best])) best = i;
  }
  for (int round = 0; round < 20; round++) {
    NsDenseGeometry(self, 0, q);
    q[best] -= self->g[k] / self->W[self->row[k] * self->n + best];
  }
  NsDenseGeometry(self, 0, q);
  if (PetscAbsReal(self->g[k]) < 1e-9 * self->m->length(&self->c))
    NsDiagNote(
      diag, "initial: {%s: %.12g%s} closes it", self->m->coordinates[best].name, q[best], self->m->coordinates[best].dimension[3] ? " rad" : "");
}

/* Place in the config of the coordinate with the largest effect on a gap; `initial`, or the body, where no coordinate is given. */
static NsPlace place_of_start(const NsDense *self, const PetscReal *W, const NsConfig *config, const NsMechanismInitial *initial)
{
  PetscInt best = -1;

  for (PetscInt i = 0; i < self->n; i++) {
    if (NsTreeChild(initial->where, self->m->coordinates[i].name) && W[i] != 0 && (best < 0 || PetscAbsReal(W[i]) > PetscAbsReal(W[best]))) best = i;
  }
  return best < 0 ? NsKeysPlace(config->bodies.where[0], "initial") : NsKeysPlace(initial->where, self->m->coordinates[best].name);
}

/* The mechanism's own check of its initial coordinates; false after an error. */
static PetscBool check_coordinates(const NsDense *self, const NsConfig *config, NsDiag *diag)
{
  PetscReal   q[NS_N];
  const char *wrong;

  for (PetscInt i = 0; i < self->n; i++) q[i] = self->start[2 * i];
  wrong = self->m->check_start ? self->m->check_start(&self->c, q) : NULL;
  if (wrong) NsDiagError(diag, NsKeysPlace(config->bodies.where[0], "initial"), "%s", wrong);
  return wrong == NULL;
}

/*
  A start with a penetration or an open joint is an error. A joint that is nearly closed stays so with schemes on velocity level; an impulse in the first step stops one that
  opens.
*/
static void check_start(NsDense *self, const NsModel *model, const NsConfig *config, const NsMechanismInitial *initial, NsDiag *diag)
{
  const NsPlace place   = NsKeysPlace(config->bodies.where[0], "initial");
  PetscReal     q[NS_N] = {0}, v[NS_N] = {0}, fastest = 0;

  for (PetscInt i = 0; i < self->n; i++) {
    q[i]    = self->start[2 * i];
    v[i]    = self->start[2 * i + 1];
    fastest = PetscMax(fastest, PetscAbsReal(v[i]));
  }
  for (PetscInt k = 0; k < self->contacts; k++) {
    const NsCandidate *candidate = &model->candidate[k];
    const PetscReal   *W         = self->W + self->row[k] * self->n;
    NsDenseGeometry(self, 0, q);
    PetscReal rate = self->drive[self->row[k]], size = 0;
    for (PetscInt i = 0; i < self->n; i++) {
      rate += W[i] * v[i];
      size = PetscMax(size, PetscAbsReal(W[i]));
    }
    const PetscReal open = PetscAbsReal(self->g[k]) / model->length_scale;
    if (!candidate->bilateral && self->g[k] < -1e-12 * model->length_scale) {
      NsDiagError(diag, place_of_start(self, W, config, initial), "contact '%s' starts with a penetration of %g m", candidate->name, -self->g[k]);
    } else if (candidate->bilateral && open > 1e-3) {
      NsDiagError(diag, place, "joint '%s' is open by %g m at the start: the initial coordinates do not satisfy it", candidate->name, self->g[k]);
      suggest_closing(self, k, diag);
    } else if (candidate->bilateral && open > 1e-9) {
      NsDiagWarning(diag, place, "joint '%s' is open by %g m at the start, and stays so with schemes on velocity level", candidate->name, self->g[k]);
      suggest_closing(self, k, diag);
    } else if (candidate->bilateral && PetscAbsReal(rate) > 1e-9 * size * fastest) {
      NsDiagWarning(diag, place, "joint '%s' opens with %g m/s at the start: an impulse in the first step stops it", candidate->name, rate);
    }
  }
}

/* Gravity without effect points along a wrong axis. */
static void check_gravity(NsDense *self, const NsConfig *config, NsDiag *diag)
{
  const NsMechanismCase weightless = {.p = self->c.p};
  PetscReal             q[NS_N], v[NS_N], h[2][NS_N] = {{0}}, most = 0;

  for (PetscInt i = 0; i < self->n; i++) {
    q[i] = self->start[2 * i] + 0.1; /* away from special positions in which weight has no effect */
    v[i] = self->start[2 * i + 1];
  }
  self->m->force(&self->c, 0, q, v, h[0]);
  self->m->force(&weightless, 0, q, v, h[1]);
  for (PetscInt i = 0; i < self->n; i++) most = PetscMax(most, PetscAbsReal(h[0][i] - h[1][i]));
  if (most == 0 && (self->c.gravity[0] != 0 || self->c.gravity[1] != 0 || self->c.gravity[2] != 0))
    NsDiagWarning(diag, NsKeysPlace(config->where, "gravity"), "gravity has no effect: no force of '%s' depends on it in this direction", self->name);
}

/* Recorded by default: the coordinates, and the named points. */
static void list_probes(NsDense *self, NsModel *model)
{
  const NsMechanism *m     = self->m;
  const char       **names = NsArenaAlloc(model->arena, sizeof(*names) * (size_t)(m->points + 2));
  int                count = 1;

  names[0] = self->name;
  for (int i = 0; m->draw && m->point_names && i < m->points; i++) {
    if (m->point_names[i]) names[count++] = NsArenaPrint(model->arena, "%s.%s", self->name, m->point_names[i]);
  }
  model->probe_names = names;
  model->probe_help  = NsArenaPrint(model->arena,
     "probes of a mechanism: its name, for all coordinates and rates; one of them, such as %s.%s; a named point of its picture", self->name,
     m->coordinates[0].name);
}

PetscErrorCode NsModelCreate_Mechanism(const NsConfig *config, NsArena *arena, NsDiag *diag, NsModel **result)
{
  const NsChosen      *body     = config->bodies.items;
  NsDense             *self     = NsArenaAlloc(arena, sizeof(*self));
  NsModel             *model    = NsArenaAlloc(arena, sizeof(*model));
  NsMechanismSettings *settings = NsArenaAlloc(arena, sizeof(*settings));
  const char          *wrong;

  PetscFunctionBegin;
  *result = NULL;
  refuse_other_sections(config, diag);
  if (NsDiagErrors(diag)) PetscFunctionReturn(0);
  self->m = NsMechanismFind(body, settings, arena, diag);
  if (!self->m) PetscFunctionReturn(0);
  NsDenseOperations(self, model);
  self->name = config->bodies.names[0];
  self->c.p  = self->m->parameters ? settings->parameter : nothing;
  memcpy(self->c.gravity, config->gravity, sizeof(self->c.gravity));
  wrong = self->m->check ? self->m->check(&self->c) : NULL;
  if (wrong) {
    NsDiagError(diag, config->bodies.where[0]->key_place, "%s", wrong);
    PetscFunctionReturn(0);
  }
  const NsMechanismSize size = NsMechanismSizeOf(self->m, &self->c);
  if (!size.n) {
    NsDiagError(diag, config->bodies.where[0]->key_place,
      "`sizes` of '%s' returns more coordinates or contacts than its lists have, or no coordinate", self->m->name);
    PetscFunctionReturn(0);
  }
  self->n        = size.n;
  self->contacts = size.contacts;
  check_initial(self, settings->initial, diag);
  if (!(self->m->length(&self->c) > 0 && self->m->length(&self->c) < PETSC_MAX_REAL)) {
    NsDiagError(
      diag, config->bodies.where[0]->key_place, "the typical length of '%s' is %g m: it must be positive", self->m->name, self->m->length(&self->c));
    PetscFunctionReturn(0);
  }
  memcpy(self->start, settings->initial->value, sizeof(self->start));
  if (!check_coordinates(self, config, diag)) PetscFunctionReturn(0);
  model->data             = self;
  model->arena            = arena;
  model->kind             = self->m->name;
  model->unknowns         = self->n;
  model->constant_mass    = self->m->constant_mass != 0;
  model->velocity_matters = PETSC_TRUE;
  PetscCall(NsLayoutCreateIdentity(self->n, &model->layout));
  model->length_scale = self->m->length(&self->c);
  add_contacts(self, model, settings->contact);
  check_laws(self, settings->contact, model->arena, diag);
  make_picture(self, model);
  list_probes(self, model);
  check_start(self, model, config, settings->initial, diag);
  check_gravity(self, config, diag);
  NsMechanismVerify(self->m, &self->c, self->start, config->bodies.where[0]->key_place, model->candidate, diag);
  *result = model;
  PetscFunctionReturn(0);
}
