/*
  Energies of a finite-element model, and the power of what is not in them: dampers, loads, bearings that circulate, unbalances.

      kinetic = v' M v / 2        elastic = sum of elements and springs        potential = -weight' q
      power.damping = w' C v      power.load = w' (f + bearings + unbalances), by the forces at (q, v)

  Elastic and potential energy are the same on any number of processes; kinetic energy and power are where the mass matrix is diagonal.
*/
#include "free.h"

PetscReal NsFeElementEnergy(const NsFe *fe, const PetscReal *q)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *element = &fe->element[i];
    const NsFeBody    *body    = &fe->body[element->body];
    PetscReal          u[NS_ELEMENT_UNKNOWNS];
    NsFeElementValues(fe, NULL, element, q, u);
    sum += body->element->energy(body, element, u);
  }
  return sum;
}

/* Of several processes that know these unknowns, one counts them: the owner of the first. */
static PetscBool counts_here(const NsLayout *layout, PetscInt n, const PetscInt *unknown)
{
  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] < 0) continue;
    const PetscInt place = NsLayoutPlace(layout, unknown[i]);
    return place >= 0 && NsLayoutOwns(layout, place) ? PETSC_TRUE : PETSC_FALSE;
  }
  return PETSC_FALSE;
}

/* Terms for a sum, in plenty at a time. */
typedef struct {
  NsExactSum sum;
  PetscInt   terms;
  PetscReal  term[256];
} Terms;

static void begin(Terms *terms)
{
  terms->sum   = (NsExactSum){{0}};
  terms->terms = 0;
}

static void add_term(Terms *terms, PetscReal term)
{
  terms->term[terms->terms++] = term;
  if (terms->terms < (PetscInt)(sizeof(terms->term) / sizeof(*terms->term))) return;
  NsExactSumAdd(&terms->sum, terms->terms, terms->term);
  terms->terms = 0;
}

/* Of all processes: the same on any number of them. */
static PetscErrorCode total(const NsLayout *layout, Terms *terms, PetscReal *value)
{
  PetscFunctionBegin;
  NsExactSumAdd(&terms->sum, terms->terms, terms->term);
  PetscCall(NsExactSumReduce(&terms->sum, layout->comm));
  *value = NsExactSumValue(&terms->sum);
  PetscFunctionReturn(0);
}

/* Sum over elements and springs, not q' K q: a body that has flown far keeps the digits of its small strains. */
static void add_elastic_energy(const NsFe *fe, const PetscReal *q, Terms *elastic)
{
  const NsLayout *layout = fe->free->layout;

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *element = &fe->element[i];
    const NsFeBody    *body    = &fe->body[element->body];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    PetscReal          u[NS_ELEMENT_UNKNOWNS];
    const PetscInt     n = NsFeElementUnknowns(fe, element, unknown);
    if (!counts_here(layout, n, unknown)) continue;
    for (PetscInt k = 0; k < n; k++) u[k] = unknown[k] < 0 ? 0 : q[NsLayoutPlace(layout, unknown[k])];
    add_term(elastic, body->element->energy(body, element, u));
  }
  for (PetscInt s = 0; s < fe->springs; s++) {
    PetscInt       unknown[NS_SPRING_ENTRIES];
    PetscReal      row[NS_SPRING_ENTRIES][6];
    const PetscInt n = NsFeSpringRows(fe, &fe->spring[s], unknown, row);
    if (!counts_here(layout, n, unknown)) continue;
    add_term(elastic, NsFeSpringEnergy(fe, layout, &fe->spring[s], NULL, q));
  }
}

PetscErrorCode NsModelEnergy_Fe(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  NsFe           *fe     = model->data;
  const NsLayout *layout = fe->free->layout;
  Terms           terms;
  PetscReal      *aq, *av;

  PetscFunctionBegin;
  PetscCall(VecGetArray(q, &aq));
  PetscCall(VecGetArray(v, &av));
  PetscCall(fe->free->type->kinetic(fe->free, av, &energy->kinetic));
  if (fe->unbalanced) {
    PetscReal *p, sum = 0; /* one process */
    PetscCall(VecZeroEntries(fe->work));
    PetscCall(VecGetArray(fe->work, &p));
    PetscCall(NsFeUnbalancedMassMult(fe, t, aq, av, p));
    for (PetscInt i = 0; i < layout->local; i++) sum += p[i] * av[i];
    PetscCall(VecRestoreArray(fe->work, &p));
    energy->kinetic += sum / 2;
  }
  PetscCall(NsLayoutExchange(fe->free->layout, 1, &aq));
  begin(&terms);
  add_elastic_energy(fe, aq, &terms);
  PetscCall(total(layout, &terms, &energy->elastic));
  energy->potential = 0;
  if (fe->weight) {
    begin(&terms);
    for (PetscInt i = 0; i < layout->local; i++) {
      if (NsLayoutOwns(layout, i)) add_term(&terms, -fe->weight[i] * aq[i]);
    }
    PetscCall(total(layout, &terms, &energy->potential));
  }
  if (fe->mass_varies) energy->potential += NsFeSpinningPotential(&fe->here, t, aq); /* one process */
  PetscCall(VecRestoreArray(v, &av));
  PetscCall(VecRestoreArray(q, &aq));
  PetscFunctionReturn(0);
}

/* Of all processes. */
static PetscErrorCode sum_power(const NsLayout *layout, NsFePower *sum, PetscReal *power)
{
  PetscFunctionBegin;
  if (sum->exact) {
    PetscCall(NsExactSumReduce(sum->exact, layout->comm));
    sum->plain = NsExactSumValue(sum->exact);
  } else
    PetscCall(NsLayoutSum(layout, 1, &sum->plain));
  *power += sum->plain;
  PetscFunctionReturn(0);
}

/* Adds what loads, bearings and unbalances do at (q, v) with the velocity w: array[3]. */
static PetscErrorCode outer_power(NsFe *fe, PetscReal t, PetscReal *const array[3], NsPower *power)
{
  NsLayout       *layout = fe->free->layout;
  const PetscBool exact  = fe->free->type == &NsBackEnd_Lumped ? PETSC_TRUE : PETSC_FALSE;
  NsExactSum      sums[2];
  NsFePower       load = {0, exact ? &sums[0] : NULL}, damping = {0, exact ? &sums[1] : NULL};

  PetscFunctionBegin;
  if (exact) sums[0] = sums[1] = (NsExactSum){{0}};
  PetscCall(NsLayoutExchange(layout, 3, array));
  NsFeOuterPower(&fe->here, t, array[0], array[1], array[2], &load, &damping);
  for (PetscInt s = 0; s < fe->springs && fe->circulates; s++) {
    PetscInt       unknown[NS_SPRING_ENTRIES];
    PetscReal      row[NS_SPRING_ENTRIES][6];
    const PetscInt n = fe->spring[s].circulates ? NsFeSpringRows(fe, &fe->spring[s], unknown, row) : 0;
    if (counts_here(layout, n, unknown)) NsFeAddPower(&load, NsFeSpringCirculation(fe, layout, &fe->spring[s], array[0], array[2]));
  }
  PetscCall(sum_power(layout, &load, &power->load));
  if (fe->forces.varyings) PetscCall(sum_power(layout, &damping, &power->damping)); /* nothing else of these damps */
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelPower_Fe(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  NsFe      *fe = model->data;
  PetscReal *array[3];

  PetscFunctionBegin;
  *power = (NsPower){0, 0};
  PetscCall(VecGetArray(q, &array[0]));
  PetscCall(VecGetArray(v, &array[1]));
  PetscCall(VecGetArray(w, &array[2]));
  if (fe->free->damped) PetscCall(fe->free->type->damping(fe->free, array[1], array[2], &power->damping));
  if (fe->works) PetscCall(outer_power(fe, t, array, power));
  PetscCall(VecRestoreArray(w, &array[2]));
  PetscCall(VecRestoreArray(v, &array[1]));
  PetscCall(VecRestoreArray(q, &array[0]));
  PetscFunctionReturn(0);
}
