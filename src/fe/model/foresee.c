/*
  Estimated time and memory for building a large model, before it is built: 50 million elements take minutes and hundreds of GB.

  The number of elements of a generated mesh follows from its keys. Time and memory of one element were measured (beams of a million elements, a solid of 125 000 hexahedra); only their order
  of magnitude matters. Meshes from files are not counted: their size is that of the file.
*/
#include <string.h>
#include "fe/model/fe.h"

/* Of an element, s and bytes. */
typedef struct {
  double seconds, bytes;
} Cost;

static const Cost lumped = {2e-6, 1.3e3}, consistent = {11e-6, 5.6e3}, solid = {12e-6, 6e3};

double NsFeForesee(const NsConfig *config, NsArena *arena, double *seconds, double *bytes)
{
  double elements = 0;

  *seconds = *bytes = 0;
  for (int b = 0; b < config->bodies.count; b++) {
    const NsNode *body = config->bodies.where[b], *mesh = NsTreeChild(body, "mesh"), *mass = NsTreeChild(body, "mass");
    const double  own  = mesh ? NsMeshForesee(mesh, arena) : 0;
    const Cost   *cost = NsTreeChild(mesh, "box") ? &solid : mass && mass->text && strcmp(mass->text, "consistent") != 0 ? &lumped : &consistent;

    elements += own;
    *seconds += own * cost->seconds;
    *bytes += own * cost->bytes;
  }
  return elements;
}
