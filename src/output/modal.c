#include <complex.h>
#include <errno.h>
#include <string.h>
#include "core/directory.h"
#include "core/out_of_memory.h"
#include "modal.h"
#include "series.h"
#include "vtk.h"
#include "writer.h"

enum { PHASES = 24 };

PetscErrorCode NsModalOpen(NsRun *run)
{
  PetscFunctionBegin;
  run->writer = NsArenaAlloc(run->arena, sizeof(*run->writer));
  NsLastWords(NsWritersLastWords, run);
  if (!NsDirectoryMake(run->directory)) {
    NsRunFail(run, "cannot make the directory %s: %s", run->directory, strerror(errno));
    PetscFunctionReturn(0);
  }
  PetscCall(NsWriterCreate(NsWriterManifest, run, run->writer));
  run->writers = 1;
  PetscFunctionReturn(0);
}

PetscErrorCode NsModalClose(NsRun *run)
{
  PetscFunctionBegin;
  PetscCall(NsWritersClose(run));
  NsLastWords(NULL, NULL);
  PetscFunctionReturn(0);
}

void NsModalWriteModes(NsRun *run, const NsModes *modes, const NsWhirl *whirl)
{
  NsFile file;

  NsWriterOpenTable(&file, run, "modes.csv", 16);
  NsFileText(&file, "mode,re,im,frequency_hz,undamped,damping_ratio,log_decrement,kappa,whirl,kind,unstable,residual\n");
  for (PetscInt i = 0; i < modes->count; i++) {
    const NsMode *mode = &modes->mode[i];
    NsFileNumber(&file, (double)(i + 1), ',');
    NsFileNumber(&file, mode->re, ',');
    NsFileNumber(&file, mode->im, ',');
    NsFileNumber(&file, mode->im / (2 * PETSC_PI), ',');
    NsFileNumber(&file, mode->omega, ',');
    NsFileNumber(&file, mode->damping_ratio, ',');
    NsFileNumber(&file, mode->kind == NS_MODE_VIBRATION ? -2 * PETSC_PI * mode->re / mode->im : NAN, ',');
    NsFileNumber(&file, whirl[i].kappa, ',');
    NsFileWord(&file, NsWhirlNames[whirl[i].sense], ',');
    NsFileWord(&file, NsModeKindNames[mode->kind], ',');
    NsFileNumber(&file, mode->unstable, ',');
    NsFileNumber(&file, mode->residual, '\n');
    NsFileEndRow(&file);
  }
  NsFileClose(&file, PETSC_TRUE);
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

PetscErrorCode NsModalWriteShapes(NsRun *run, const NsModes *modes)
{
  const NsScene *scene = &run->model->scene;
  NsVtk          vtk;
  PetscComplex  *u;
  PetscReal     *displacement;

  PetscFunctionBegin;
  if (!NsVtkFits(scene->points, scene->cells)) NsRunFail(run, "cannot write mode shapes: VTK files number points and cells with 32 bits");
  NsFileMakeDirectory(run, NsRunPath(run, "frames"));
  NsVtkCreate(&vtk, run);
  PetscCall(PetscMalloc2((size_t)(3 * scene->points), &u, (size_t)(3 * scene->points), &displacement));
  for (PetscInt i = 0; i < modes->count && run->exit == NS_EXIT_DONE; i++) {
    NsSeries    series;
    const char *name = NsArenaPrint(run->arena, "%s_mode_%02d", run->name, (int)i + 1), *prefix = NsArenaPrint(run->arena, "frames/%s", name);
    PetscCall(NsModelShape(run->model, modes, i, u));
    const PetscReal largest = largest_of(scene->points, u), factor = largest > 0 ? size_of(scene) / (10 * largest) : 0;
    NsSeriesCreate(&series, run, NsArenaPrint(run->arena, "%s.vtk.series", name), prefix, PHASES);
    for (PetscInt p = 0; p < PHASES && run->exit == NS_EXIT_DONE; p++) {
      const PetscComplex turn = cexp(2 * PETSC_PI * p / PHASES * PETSC_i);
      char               path[4096], title[200];
      for (PetscInt k = 0; k < 3 * scene->points; k++) displacement[k] = factor * creal(u[k] * turn);
      NsSeriesNextPath(&series, path, sizeof(path));
      snprintf(title, sizeof(title), "%.80s, mode %d, %.9g rad/s, phase %d of %d", run->name, (int)i + 1, modes->mode[i].im, (int)p, PHASES);
      NsVtkOpen(&vtk, path, title);
      NsVtkGrid(&vtk, (PetscReal)p / PHASES, p, scene->points, scene->x, scene->cells, scene->cell);
      NsVtkPointData(&vtk);
      NsVtkVectors(&vtk, "displacement", displacement);
      NsVtkScalars(&vtk, "radius", scene->radius);
      if (scene->cells) {
        NsVtkCellData(&vtk);
        NsVtkIntegers(&vtk, "body", scene->body);
      }
      if (NsVtkClose(&vtk)) NsSeriesAdd(&series, (PetscReal)p / PHASES);
    }
    NsSeriesClose(&series);
  }
  PetscCall(PetscFree2(u, displacement));
  PetscFunctionReturn(0);
}

static void write_lines(NsRun *run, const NsCampbell *campbell)
{
  NsFile file;

  NsWriterOpenTable(&file, run, "campbell.csv", 4 * campbell->lines + 1);
  NsFileText(&file, "speed");
  for (PetscInt line = 1; line <= campbell->lines; line++)
    NsFilePrint(&file, ",mode_%d.frequency,mode_%d.re,mode_%d.damping_ratio,mode_%d.whirl", (int)line, (int)line, (int)line, (int)line);
  NsFileText(&file, "\n");
  for (PetscInt k = 0; k < campbell->speeds; k++) {
    NsFileNumber(&file, campbell->speed[k], campbell->lines ? ',' : '\n');
    for (PetscInt line = 0; line < campbell->lines; line++) {
      const NsCampbellPoint *point = &campbell->point[k * campbell->room + line];
      NsFileNumber(&file, point->there ? point->im : NAN, ',');
      NsFileNumber(&file, point->there ? point->re : NAN, ',');
      NsFileNumber(&file, point->there ? point->damping_ratio : NAN, ',');
      NsFileNumber(&file, point->there ? point->kappa : NAN, line + 1 < campbell->lines ? ',' : '\n');
    }
    NsFileEndRow(&file);
  }
  NsFileClose(&file, PETSC_TRUE);
}

void NsModalWriteCampbell(NsRun *run, const NsCampbell *campbell)
{
  NsFile file;

  write_lines(run, campbell);
  NsWriterOpenTable(&file, run, "critical_speeds.csv", 8);
  NsFileText(&file, "speed,event,mode,frequency,damping_ratio,kappa,whirl\n");
  for (PetscInt e = 0; e < campbell->events; e++) {
    const NsCampbellEvent *event = &campbell->event[e];
    NsFileNumber(&file, event->speed, ',');
    NsFileWord(&file, event->onset ? "unstable" : "critical", ',');
    NsFileNumber(&file, (double)(event->line + 1), ',');
    NsFileNumber(&file, event->frequency, ',');
    NsFileNumber(&file, event->damping_ratio, ',');
    NsFileNumber(&file, event->kappa, ',');
    NsFileWord(&file, NsWhirlNames[event->sense], '\n');
    NsFileEndRow(&file);
  }
  NsFileClose(&file, PETSC_TRUE);
}
