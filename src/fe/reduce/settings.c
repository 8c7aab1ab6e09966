/* The key `reduce` of bodies, and what it needs. Bodies are reduced together: springs and bearings may join them. */
#include "reduce.h"

const char *const NsReduceMethods[] = {"macneal", "rubin", "craig_bampton", NULL}; /* NsReduceMethod */

static void check_reduce(const void *data, NsArena *arena, NsDiag *diag)
{
  const NsReduceSettings *settings = data;

  (void)arena;
  if (settings->method != NS_REDUCE_MACNEAL && NsTreeChild(settings->where, "fade"))
    NsDiagError(diag, NsKeysPlace(settings->where, "fade"), "fade is for method macneal, whose boundary has no mass, not for %s",
      NsReduceMethods[settings->method]);
}

static const NsKey keys[] = {
  {"method", NS_KEY_CHOICE, offsetof(NsReduceSettings, method), .choices = NsReduceMethods, .default_value = "macneal",
    .help =
      "macneal: free modes, massless contact boundary, for massless_contact; rubin: free modes, boundary with mass, for all schemes; craig_bampton: modes with held boundary, boundary with mass",
    .example = "rubin"},
  {"modes", NS_KEY_INTEGER, offsetof(NsReduceSettings, modes), .minimum = "1",
    .help = "number of modes, from the lowest on; those of all reduced bodies add up; default: 40, and at most a third of the DOF", .example = "20"},
  {"up_to", NS_KEY_NUMBER, offsetof(NsReduceSettings, up_to), .dimension = NS_DIM_ANGULAR_VELOCITY, .minimum = "0 <",
    .help = "all modes up to this frequency; Hz and rpm are converted to rad/s", .example = "20 kHz"},
  {"fade", NS_KEY_CHOICE, offsetof(NsReduceSettings, fade), .choices = NsFadeWords, .default_value = "2",
    .help =
      "for macneal: how the weights of modes at contacts decrease towards the end of the basis; 2: for contact forces; balanced: for motion and forces after many impacts; 2.7, off: for the motion",
    .example = "balanced"},
  {NULL},
};
const NsTable NsTable_Reduce = {"reduce", "model of few coordinates in place of the body's DOF", keys, sizeof(NsReduceSettings),
  .at_most_one_of = "modes, up_to", .check = check_reduce};

#define NS_DEFAULT_MODES 40

/* The settings of the others must be those of the first. usual: modes of a body that gives no number. */
static void add_body(NsFe *fe, const NsFeBody *first, const NsFeBody *body, PetscInt usual, NsReduceSettings *all)
{
  const NsReduceSettings *one = body->reduce;

  if (one->method != all->method || one->fade != all->fade) {
    NsDiagError(
      fe->diag, body->where->key_place, "bodies are reduced together: '%s' and '%s' need the same method and the same fade", first->name, body->name);
  } else if ((one->up_to > 0) != (all->up_to > 0)) {
    NsDiagError(
      fe->diag, body->where->key_place, "bodies are reduced together: give `modes` or `up_to` in both '%s' and '%s'", first->name, body->name);
  }
  all->up_to = PetscMax(all->up_to, one->up_to);
  all->modes += one->modes ? one->modes : usual;
}

/* A spring or bearing with `from` or `until`; NULL: none. */
static const NsSwitch *switched_force(const NsFe *fe)
{
  for (PetscInt k = 0; k < fe->switches->count; k++) {
    const NsSwitch *it = &fe->switches->item[k];
    if (!strcmp(it->kind, "bearing") || !strcmp(it->kind, "spring")) return it;
  }
  return NULL;
}

/* Why the model cannot be reduced, as a sentence; NULL: it can. */
static const char *refusal(const NsFe *fe, const NsModel *model)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].redistributed)
      return NsArenaPrint(fe->arena,
        "'%s' has `mass: redistributed`; method macneal has a massless contact boundary of its own: use `mass: lumped` or `consistent`",
        fe->body[b].name);
  }
  if (fe->ranks > 1) return NsArenaPrint(fe->arena, "`reduce` runs on one process, not on %d", fe->ranks);
  const NsSwitch *force = switched_force(fe);
  if (force)
    return NsArenaPrint(fe->arena, "`reduce` does not support `%s` of %s '%s': a model whose springs and bearings change is needed whole",
      force->acts ? "from" : "until", force->kind, force->name);
  if (!model->linear || !model->constant_mass)
    return "`reduce` is for linear models; nonlinear springs and bearings, and spins that change or are free, need the whole model";
  if (fe->circulates)
    return "`reduce` does not support bearings with an unsymmetric stiffness, dampers that turn with a shaft, or `circulatory_matrix`";
  if (fe->moving.moved) return "`reduce` does not support supports that move; `base` moves the whole model";
  if (model->slots) return "`reduce` needs `near_pairs` of contacts between balls to be at least the number of pairs: increase it";
  return NULL;
}

PetscBool NsReduceSettingsOf(NsFe *fe, const NsModel *model, NsReduceSettings *all)
{
  const NsFeBody *first = NULL, *whole = NULL;
  const int       before = NsDiagErrors(fe->diag);
  const char     *why;

  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (!body->reduce) {
      whole = body;
      continue;
    }
    if (!first) {
      *all       = *body->reduce;
      all->modes = 0;
      first      = body;
    }
    add_body(fe, first, body, PetscMax(1, PetscMin(NS_DEFAULT_MODES, model->unknowns / (3 * fe->bodies))), all);
  }
  if (!first) return PETSC_FALSE;
  why = refusal(fe, model);
  if (why) NsDiagError(fe->diag, NsTreeChild(first->where, "reduce")->key_place, "%s", why);
  if (whole && all->method != NS_REDUCE_CRAIG_BAMPTON) {
    NsDiagError(fe->diag, whole->where->key_place, "'%s' is reduced, '%s' is not: method %s reduces all bodies of a model", first->name, whole->name,
      NsReduceMethods[all->method]);
    NsDiagNote(fe->diag,
      whole->element ? "give '%s' the key `reduce`, or use `method: craig_bampton`" : "use `method: craig_bampton`, which leaves '%s' as it is",
      whole->name);
  }
  if (all->up_to > 0) all->modes = 0;
  return NsDiagErrors(fe->diag) == before;
}
