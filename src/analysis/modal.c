#include "modal.h"
#include <complex.h>
#include <string.h>
#include "output/analyses.h"
#include "output/series.h"
#include "output/vtk.h"

enum { PHASES = 24 };

void NsModalWriteModes(NsSink *sink, const NsModes *modes, const NsWhirl *whirl)
{
  NsCsv csv;

  NsCsvOpen(&csv, sink, &NsCsvType_Modes, 0, NULL);
  for (PetscInt i = 0; i < modes->count; i++) {
    const NsMode    *mode = &modes->mode[i];
    const NsModesRow row  = {.mode = (double)(i + 1),
       .re                         = mode->re,
       .im                         = mode->im,
       .hertz                      = mode->im / (2 * PETSC_PI),
       .undamped                   = mode->omega,
       .damping_ratio              = mode->damping_ratio,
       .log_decrement              = mode->kind == NS_MODE_VIBRATION ? -2 * PETSC_PI * mode->re / mode->im : NAN,
       .kappa                      = whirl[i].kappa,
       .whirl                      = NsWhirlNames[whirl[i].sense],
       .kind                       = NsModeKindNames[mode->kind],
       .unstable                   = mode->unstable,
       .residual                   = mode->residual};
    NsCsvRow(&csv, &row);
  }
  NsCsvClose(&csv);
}

/* Diagonal of the box around all points; the length of a bar. */
static PetscReal size_of(const NsScene *scene)
{
  PetscReal sum = 0;

  for (int k = 0; k < 3; k++) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;
    for (PetscInt i = 0; i < scene->points; i++) {
      low  = PetscMin(low, scene->x[3 * i + k]);
      high = PetscMax(high, scene->x[3 * i + k]);
    }
    sum += PetscSqr(high - low);
  }
  return PetscSqrtReal(sum);
}

/* Largest length of the vectors Re(u e^(i phase)) over points and phases. */
static PetscReal largest_of(PetscInt points, const PetscComplex *u)
{
  PetscReal largest = 0;

  for (PetscInt p = 0; p < PHASES; p++) {
    const PetscComplex turn = cexp(2 * PETSC_PI * p / PHASES * PETSC_i);
    for (PetscInt i = 0; i < points; i++) {
      PetscReal square = 0;
      for (int k = 0; k < 3; k++) square += PetscSqr(creal(u[3 * i + k] * turn));
      largest = PetscMax(largest, PetscSqrtReal(square));
    }
  }
  return largest;
}

/* A phase of a mode. */
typedef struct {
  PetscReal       *displacement;
  const PetscReal *radius;
  const PetscInt  *body;
} Shape;

static const NsVtkArray shape_points[] = {
  {"displacement", NS_VTK_VECTORS, "m", "scaled: the largest is a tenth of the model", offsetof(Shape, displacement)},
  {"radius", NS_VTK_SCALARS, "m", "outer radius to draw", offsetof(Shape, radius)},
  {NULL},
};
static const NsVtkArray shape_cells[] = {
  {"body", NS_VTK_INTEGERS, "", "number of the body, from 0", offsetof(Shape, body)},
  {NULL},
};
static const NsVtkType shape_type = {"frames/NAME_mode_*.vtk", "a mode, at phases of its period", shape_points, shape_cells};

PetscErrorCode NsModalWriteShapes(NsSink *sink, NsModel *model, const NsModes *modes)
{
  const NsScene *scene = &model->scene;
  NsArena       *arena = sink->arena;
  NsVtk          vtk;
  PetscComplex  *u;
  Shape          shape = {NULL, scene->radius, scene->body};

  PetscFunctionBegin;
  if (!NsVtkFits(&NsVtkFormat_Legacy, scene->points, scene->cells))
    NsSinkFail(sink, "cannot write mode shapes: VTK files number points and cells with 32 bits");
  NsFileMakeDirectory(sink, "frames");
  NsVtkCreate(&vtk, sink, &NsVtkFormat_Legacy);
  PetscCall(PetscMalloc2((size_t)(3 * scene->points), &u, (size_t)(3 * scene->points), &shape.displacement));
  for (PetscInt i = 0; i < modes->count && !sink->failure[0]; i++) {
    NsSeries    series;
    const char *name = NsArenaPrint(arena, "%s_mode_%02d", sink->name, (int)i + 1);
    PetscCall(NsModelShape(model, modes, i, u));
    const PetscReal largest = largest_of(scene->points, u), factor = largest > 0 ? size_of(scene) / (10 * largest) : 0;
    NsSeriesCreate(&series, sink, &NsVtkFormat_Legacy, name, name, PHASES);
    for (PetscInt p = 0; p < PHASES && !sink->failure[0]; p++) {
      const PetscComplex turn = cexp(2 * PETSC_PI * p / PHASES * PETSC_i);
      char               frame[4096], title[200];
      for (PetscInt k = 0; k < 3 * scene->points; k++) shape.displacement[k] = factor * creal(u[k] * turn);
      NsSeriesNextName(&series, frame, sizeof(frame));
      snprintf(title, sizeof(title), "%.80s, mode %d, %.9g rad/s, phase %d of %d", sink->name, (int)i + 1, modes->mode[i].im, (int)p, PHASES);
      const NsVtkPicture picture = {
        .name = frame, .title = title, .time = (PetscReal)p / PHASES, .step = p, .scene = scene, .type = &shape_type, .values = &shape};
      if (NsVtkWrite(&vtk, &picture)) NsSeriesAdd(&series, (PetscReal)p / PHASES);
    }
    NsSeriesClose(&series);
  }
  PetscCall(PetscFree2(u, shape.displacement));
  PetscFunctionReturn(0);
}

static void write_lines(NsSink *sink, const NsCampbell *campbell)
{
  NsArena       *arena   = sink->arena;
  NsSubject     *subject = NsArenaAlloc(arena, sizeof(*subject) * (size_t)(campbell->lines + 1));
  NsCampbellRow *row     = NsArenaAlloc(arena, NsCsvRowSize(&NsCsvType_Campbell, campbell->lines));
  NsCsv          csv;

  for (PetscInt line = 0; line < campbell->lines; line++) subject[line] = (NsSubject){NsArenaPrint(arena, "mode_%d", (int)line + 1), 0};
  NsCsvOpen(&csv, sink, &NsCsvType_Campbell, campbell->lines, subject);
  for (PetscInt k = 0; k < campbell->speeds; k++) {
    row->speed = campbell->speed[k];
    for (PetscInt line = 0; line < campbell->lines; line++) {
      const NsCampbellPoint *point = &campbell->point[k * campbell->capacity + line];
      row->mode[line] =
        point->there ? (NsCampbellMode){point->im, point->re, point->damping_ratio, point->kappa} : (NsCampbellMode){NAN, NAN, NAN, NAN};
    }
    NsCsvRow(&csv, row);
  }
  NsCsvClose(&csv);
}

void NsModalWriteCampbell(NsSink *sink, const NsCampbell *campbell)
{
  NsCsv csv;

  write_lines(sink, campbell);
  NsCsvOpen(&csv, sink, &NsCsvType_CriticalSpeeds, 0, NULL);
  for (PetscInt e = 0; e < campbell->events; e++) {
    const NsCampbellEvent *event = &campbell->event[e];
    const NsCriticalRow    row   = {.speed = event->speed,
           .event                          = event->onset ? "unstable" : "critical",
           .mode                           = (double)(event->line + 1),
           .frequency                      = event->frequency,
           .damping_ratio                  = event->damping_ratio,
           .kappa                          = event->kappa,
           .whirl                          = NsWhirlNames[event->sense]};
    NsCsvRow(&csv, &row);
  }
  NsCsvClose(&csv);
}
