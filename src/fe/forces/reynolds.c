/*
  The Reynolds equation of a journal bearing. With the angle t from the eccentricity e, H = 1 - e cos t the thickness of the film over the clearance, Z from -1 to 1 along the film, and
  n.a = cos(t + g) for a motion at the angle -g,

      (H^3 P_t)_t + (D/L)^2 (H^3 P_Z)_Z = -n.a  where P > 0,    the left side <= the right one where P = 0        (Swift, Stieber: P and its gradient vanish where the film ruptures)

  and the force over that scale of a short bearing (film.c) is 3/2 (D/L)^2 times the integral of P n. The short bearing leaves out the first term.

  The film of a turning journal begins where the gap begins to narrow, n.a = 0 on the side of the thick film: with a journal at rest there the film is thickest (A. A. Raimondi, J. Boyd,
  1958). For other motions the solutions of films that begin on either side are weighted by (1 + s)/2 and (1 - s)/2, with s = sin g (1 - exp(-(e/0.05)^2)): a motion towards the
  shell has no preferred side, nor has a journal at the centre. The film of a damper ruptures on both sides.

  Finite volumes, uniform in Sommerfeld's angle s: sqrt(1 - e^2) dt = H ds, which are close where the film is thin; the middle of the film and one half of its length. Which pressures are
  positive is found by policy iteration (of M-matrices: it ends after a few systems), each a banded Cholesky factorization. The film is cut opposite to the motion, where it is
  ruptured.

  The forces grow like those of the short bearing, too fast for interpolation: the table contains their ratio to |force of the short bearing| over x = 1 - sqrt(1 - e) and g, interpolated by cubic convolution
  (R. G. Keys, IEEE Trans. ASSP 29, 1981).
*/
#include "reynolds.h"
#include <complex.h>
#include <stdlib.h>
#include "core/out_of_memory.h"

#define NS_AROUND 96 /* nodes */
#define NS_ALONG  8  /* nodes of half the length; P vanishes at the end */
#define NS_NODES  ((NS_AROUND - 1) * NS_ALONG)
#define NS_MOST_E 0.999
#define NS_CENTRE 0.05 /* eccentricity below which the film has no preferred side */

typedef double complex Complex;

typedef struct {
  PetscReal thickness[NS_AROUND], angle[NS_AROUND], width[NS_AROUND]; /* at the nodes around */
  PetscReal across[NS_AROUND];                                        /* conductance from a node to the next one, for a whole length of 1 */
  PetscBool kept[NS_AROUND];                                          /* there is no film */
  PetscReal matrix[NS_NODES][NS_ALONG + 1];                           /* lower band: of column - row = 0 .. -NS_ALONG; then its Cholesky factor */
  PetscReal source[NS_NODES], pressure[NS_NODES];
  PetscBool wet[NS_NODES];
} Film;

static void make_mesh(Film *film, PetscReal e)
{
  const PetscReal root = PetscSqrtReal(1 - e * e), step = 2 * PETSC_PI / NS_AROUND;

  for (int i = 0; i < NS_AROUND; i++) {
    const PetscReal s = step * i, middle = (1 - e * e) / (1 + e * PetscCosReal(s + step / 2));
    film->thickness[i] = (1 - e * e) / (1 + e * PetscCosReal(s));
    film->angle[i]     = PetscAtan2Real(root * PetscSinReal(s), e + PetscCosReal(s));
    film->width[i]     = film->thickness[i] * step / root;
    film->across[i]    = middle * middle * root / step;
    film->kept[i]      = PETSC_FALSE;
  }
}

/* Between -pi and pi. */
static PetscReal wrapped(PetscReal angle)
{
  return angle - 2 * PETSC_PI * PetscFloorReal(angle / (2 * PETSC_PI) + 0.5);
}

/* No film before n.a = 0 on the negative side: P = 0 there, between two nodes. */
static void begin_film(Film *film, PetscReal e, PetscReal angle)
{
  const PetscReal root = PetscSqrtReal(1 - e * e), step = 2 * PETSC_PI / NS_AROUND, t = -angle - PETSC_PI / 2;
  const PetscReal begin = PetscAtan2Real(root * PetscSinReal(t), PetscCosReal(t) - e), nodes = wrapped(begin) / step;
  const int       first = (int)PetscCeilReal(nodes), i = (first + NS_AROUND) % NS_AROUND, before = (i + NS_AROUND - 1) % NS_AROUND;
  const PetscReal apart = PetscMax(1e-9, first - nodes), middle = (1 - e * e) / (1 + e * PetscCosReal(step * (first + nodes) / 2));

  for (int k = 0; k < NS_AROUND; k++) film->kept[k] = wrapped(film->angle[k] + angle) < -PETSC_PI / 2;
  film->kept[i]      = PETSC_FALSE;
  film->kept[before] = PETSC_TRUE;
  film->width[i] *= (1 + apart) / 2;
  film->across[before] = middle * middle * root / (step * apart);
}

/* Column b of row a, a >= b. */
static PetscReal *entry(Film *film, int a, int b)
{
  return &film->matrix[a][a - b];
}

/* The node around of an unknown. */
static int node_of(int cut, int a)
{
  return (cut + 1 + a / NS_ALONG) % NS_AROUND;
}

/* The matrix over the wet nodes, the unit matrix over the others. */
static void assemble(Film *film, int cut, PetscReal slenderness)
{
  const PetscReal size = 1. / NS_ALONG;

  for (int a = 0; a < NS_NODES; a++) {
    const int       i = node_of(cut, a), before = (i + NS_AROUND - 1) % NS_AROUND, j = a % NS_ALONG;
    const PetscReal volume = j ? size : size / 2; /* half of the node at the middle is beyond the symmetry */
    const PetscReal along  = PetscPowRealInt(film->thickness[i], 3) * film->width[i] / (size * PetscSqr(slenderness));
    for (int b = 0; b <= NS_ALONG; b++) film->matrix[a][b] = 0;
    if (!film->wet[a]) {
      film->matrix[a][0] = 1;
      continue;
    }
    film->matrix[a][0] = (film->across[before] + film->across[i]) * volume + along * (j ? 2 : 1);
    if (j && film->wet[a - 1]) *entry(film, a, a - 1) = -along;
    if (a >= NS_ALONG && film->wet[a - NS_ALONG]) *entry(film, a, a - NS_ALONG) = -film->across[before] * volume;
  }
}

/* Pressure of the wet nodes, in place of the source. */
static void solve(Film *film)
{
  PetscReal *p = film->pressure;

  for (int a = 0; a < NS_NODES; a++) { /* Cholesky, by rows */
    const int low = PetscMax(0, a - NS_ALONG);
    p[a]          = film->wet[a] ? film->source[a] : 0;
    for (int b = low; b <= a; b++) {
      PetscReal sum = *entry(film, a, b);
      for (int k = PetscMax(low, b - NS_ALONG); k < b; k++) sum -= *entry(film, a, k) * *entry(film, b, k);
      *entry(film, a, b) = a == b ? PetscSqrtReal(sum) : sum / film->matrix[b][0];
    }
    for (int k = low; k < a; k++) p[a] -= *entry(film, a, k) * p[k];
    p[a] /= film->matrix[a][0];
  }
  for (int a = NS_NODES - 1; a >= 0; a--) {
    p[a] /= film->matrix[a][0];
    for (int k = PetscMax(0, a - NS_ALONG); k < a; k++) p[k] -= *entry(film, a, k) * p[a];
  }
}

/* Flow into a dry node, from its source and its neighbours; if it is positive, the node becomes wet. */
static PetscReal inflow(const Film *film, int cut, PetscReal slenderness, int a)
{
  const int        i = node_of(cut, a), before = (i + NS_AROUND - 1) % NS_AROUND, j = a % NS_ALONG;
  const PetscReal  size = 1. / NS_ALONG, volume = j ? size : size / 2;
  const PetscReal  along = PetscPowRealInt(film->thickness[i], 3) * film->width[i] / (size * PetscSqr(slenderness));
  const PetscReal *p     = film->pressure;
  PetscReal        sum   = film->source[a];

  if (a >= NS_ALONG) sum += film->across[before] * volume * p[a - NS_ALONG];
  if (a + NS_ALONG < NS_NODES) sum += film->across[i] * volume * p[a + NS_ALONG];
  if (j) sum += along * p[a - 1];
  if (j + 1 < NS_ALONG) sum += along * p[a + 1];
  return sum;
}

static void find_pressure(Film *film, int cut, PetscReal slenderness)
{
  PetscBool changed = PETSC_TRUE;

  for (int a = 0; a < NS_NODES; a++) film->wet[a] = film->source[a] > 0 && !film->kept[node_of(cut, a)];
  for (int round = 0; round < 100 && changed; round++) {
    changed = PETSC_FALSE;
    assemble(film, cut, slenderness);
    solve(film);
    for (int a = 0; a < NS_NODES; a++) {
      const PetscBool wet = film->wet[a] ? film->pressure[a] > 0 : !film->kept[node_of(cut, a)] && inflow(film, cut, slenderness, a) > 0;
      changed             = changed || wet != film->wet[a];
      film->wet[a]        = wet;
    }
  }
}

/* Simpson's weights of half the length, exact for parabolas. */
static PetscReal weight_of(int a)
{
  const int j = a % NS_ALONG;

  return (j == 0 ? 1 : j % 2 ? 4 : 2) / (3. * NS_ALONG);
}

static void solve_at(Film *film, PetscReal slenderness, PetscReal eccentricity, PetscReal angle, PetscBool begins, PetscReal force[2])
{
  int cut = 0;

  make_mesh(film, eccentricity);
  if (begins) begin_film(film, eccentricity, angle);
  for (int i = 1; i < NS_AROUND; i++) {
    if (PetscCosReal(film->angle[i] + angle) < PetscCosReal(film->angle[cut] + angle)) cut = i;
  }
  for (int a = 0; a < NS_NODES; a++) {
    const int i     = node_of(cut, a);
    film->source[a] = PetscCosReal(film->angle[i] + angle) * film->width[i] * (a % NS_ALONG ? 1 : 0.5) / NS_ALONG;
  }
  find_pressure(film, cut, slenderness);
  force[0] = force[1] = 0;
  for (int a = 0; a < NS_NODES; a++) {
    const int       i    = node_of(cut, a);
    const PetscReal part = 3 / PetscSqr(slenderness) * film->pressure[a] * film->width[i] * weight_of(a);
    force[0] += part * PetscCosReal(film->angle[i] + angle);
    force[1] += part * PetscSinReal(film->angle[i] + angle);
  }
}

static Film *new_film(void)
{
  Film *film = malloc(sizeof(*film));

  if (!film) NsOutOfMemory();
  return film;
}

void NsReynoldsSolve(PetscReal slenderness, PetscReal eccentricity, PetscReal angle, PetscReal force[2])
{
  Film *film = new_film();

  solve_at(film, slenderness, eccentricity, angle, PETSC_TRUE, force);
  free(film);
}

void NsShortFilm(Complex u, Complex w, Complex *along, Complex *across)
{
  const Complex s2 = 1 - u * u - w * w, s = csqrt(s2), T = PETSC_PI / 2 + catan(u / s);

  *along  = (3 * u * s + T * (s2 + 3 * u * u)) / (s2 * s2 * s);
  *across = w * (u * u / (1 - w * w) + 3 * T * u / s + 2) / (s2 * s2);
}

/* |force| of the short bearing. */
static Complex short_size(Complex u, Complex w)
{
  Complex along, across;

  NsShortFilm(u, w, &along, &across);
  return csqrt(along * along + across * across);
}

void NsReynoldsTableFill(NsReynoldsTable *table, PetscReal slenderness, PetscBool turns)
{
  Film *film = new_film();

  for (int i = 0; i < NS_REYNOLDS_RADII; i++) {
    const PetscReal x = (1 - PetscSqrtReal(1 - NS_MOST_E)) * i / (NS_REYNOLDS_RADII - 1), e = 1 - (1 - x) * (1 - x);
    for (int k = 0; k < NS_REYNOLDS_ANGLES; k++) {
      const PetscReal angle = 2 * PETSC_PI * k / NS_REYNOLDS_ANGLES, size = creal(short_size(e * PetscCosReal(angle), e * PetscSinReal(angle)));
      PetscReal       force[2];
      solve_at(film, slenderness, e, angle, turns, force);
      for (int c = 0; c < 2; c++) table->force[c][i][k] = force[c] / size;
    }
  }
  free(film);
}

/* Weights of the four nodes around, at the part x from the second to the third. */
static void cubic(Complex x, Complex weight[4])
{
  weight[0] = x * (-0.5 + x * (1 - 0.5 * x));
  weight[1] = 1 + x * x * (-2.5 + 1.5 * x);
  weight[2] = x * (0.5 + x * (2 - 1.5 * x));
  weight[3] = x * x * (-0.5 + 0.5 * x);
}

/* Beyond the centre a row continues at the opposite angle; beyond the last node a parabola is used. */
static PetscReal node(const PetscReal values[NS_REYNOLDS_RADII][NS_REYNOLDS_ANGLES], int i, int k)
{
  const int last = NS_REYNOLDS_RADII - 1, angle = (k + NS_REYNOLDS_ANGLES) % NS_REYNOLDS_ANGLES;

  if (i < 0) return values[-i][(angle + NS_REYNOLDS_ANGLES / 2) % NS_REYNOLDS_ANGLES];
  if (i > last) return 3 * values[last][angle] - 3 * values[last - 1][angle] + values[last - 2][angle];
  return values[i][angle];
}

/* At the positions x and angle, in units of nodes. */
static void look_up(const NsReynoldsTable *table, Complex x, Complex angle, Complex force[2])
{
  const int i = PetscMax(0, PetscMin(NS_REYNOLDS_RADII - 2, (int)creal(x))), k = (int)PetscFloorReal(creal(angle));
  Complex   weight[2][4];

  cubic(x - i, weight[0]);
  cubic(angle - k, weight[1]);
  for (int c = 0; c < 2; c++) {
    force[c] = 0;
    for (int a = 0; a < 16; a++) force[c] += weight[0][a / 4] * weight[1][a % 4] * node(table->force[c], i - 1 + a / 4, k - 1 + a % 4);
  }
}

/* From -pi to pi, analytic. */
static Complex angle_of(Complex u, Complex w)
{
  if (creal(u) == 0 && creal(w) == 0) return PETSC_PI / 2;
  if (PetscAbsReal(creal(u)) < PetscAbsReal(creal(w))) return (creal(w) < 0 ? -1 : 1) * PETSC_PI / 2 - catan(u / w);
  return catan(w / u) + (creal(u) >= 0 ? 0 : creal(w) < 0 ? -PETSC_PI : PETSC_PI);
}

void NsReynoldsTableAt(const NsReynoldsTable *table, Complex u, Complex w, Complex *along, Complex *across)
{
  const Complex e2 = u * u + w * w, e = csqrt(e2), angle = angle_of(u, w) * NS_REYNOLDS_ANGLES / (2 * PETSC_PI), size = short_size(u, w);
  const Complex x     = (1 - csqrt(1 - e)) * (NS_REYNOLDS_RADII - 1) / (1 - PetscSqrtReal(1 - NS_MOST_E));
  const Complex sided = creal(e) > 0 ? w / e * (1 - cexp(-e2 / (NS_CENTRE * NS_CENTRE))) : 0;
  Complex       one[2], other[2];

  look_up(table, x, angle, one);
  look_up(table, x, -angle, other); /* the mirrored film */
  *along  = size * ((1 + sided) * one[0] + (1 - sided) * other[0]) / 2;
  *across = size * ((1 + sided) * one[1] - (1 - sided) * other[1]) / 2;
}
