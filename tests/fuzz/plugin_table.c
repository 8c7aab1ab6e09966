/* A plugin whose table is empty: the fuzz target `plugin` loads this library as well and fills the table in before the program reads it. */
#include "percuss/mechanism.h"

extern NsMechanism percuss_mechanism;
NsMechanism        percuss_mechanism = {0};
