/* A circle in the x-y plane as a polygon, for pictures of mechanisms. */
#pragma once
#include <math.h>

/* x[3 * sides]: corners from angle 0 on. */
static inline void ns_circle(int sides, double middle_x, double middle_y, double radius, double *x)
{
  for (int i = 0; i < sides; i++) {
    const double angle = 2 * acos(-1) * i / sides;
    x[3 * i]           = middle_x + radius * cos(angle);
    x[3 * i + 1]       = middle_y + radius * sin(angle);
    x[3 * i + 2]       = 0;
  }
}
