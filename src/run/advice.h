/* Which scheme and which step suit a model. */
#pragma once
#include "percuss/run.h"

typedef struct {
  const char *scheme;
  PetscReal   step; /* s; 0: the run's own, for none is known to be better */
  char        reason[512];
} NsAdvice;

/*
  By what the model is, and what postprocess/choose.py has measured (docs/guide/schemes.md). After NsRunCheckStep.

      nodes without mass                                            massless_contact
      mechanisms                few contacts, friction in a plane   event_driven_hem5, else half_explicit_adaptive
      linear, no contact                                            modal
      finite elements           up to a million explicit steps      half_explicit at 0.8 of its limit, in a hundred steps at least; contacts on curved surfaces held in place
                                more of them                        moreau_jean, on curved surfaces and with joints generalised_alpha, steps of ten explicit ones
*/
PetscErrorCode NsAdvise(NsRun *run, NsAdvice *advice);
