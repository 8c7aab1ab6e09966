/* Static solutions of solids, and their stresses. */
#pragma once
#include <stdio.h>
#include "support.h"
#include "fe/elements/solid.h"
#include "fe/model/fe.h"

static inline NsFe *fe_of(const TestRun *test)
{
  return test->run->model->data;
}

/* The config `head`, at rest in its static solution, with a scheme that is never asked for a step. */
static inline TestRun open_static(const char *head)
{
  char text[4000];

  assert_true(
    snprintf(text, sizeof(text), "%sstart: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n", head) < (int)sizeof(text));
  return test_run_open(text, NULL);
}

/* The largest difference of a stress, at all nodes and the middles of elements, from the expected one. */
static inline double stress_error(const TestRun *test, const double expected[6])
{
  const NsFe *fe    = fe_of(test);
  double      error = 0;

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement   *e    = &fe->element[i];
    const NsFeBody      *body = &fe->body[e->body];
    const NsElementType *type = body->element;
    PetscReal            q[NS_ELEMENT_UNKNOWNS], stress[NS_ELEMENT_OUTPUTS];
    NsFeElementValues(fe, test->run->model->layout, e, NsVecRead(test->run->state.q), q);
    for (PetscInt k = 0; k <= type->nodes; k++) {
      type->outputs(body, e, q, k < type->nodes ? type->node[k] : type->picture->cell[0].middle, stress);
      for (int s = 0; s < 6; s++) error = PetscMax(error, fabs(stress[s] - expected[s]));
    }
  }
  return error;
}
