#include "versions.h"
#include <slepcsys.h>
#include <string.h>
#include <yaml.h>
#include "fe/backend/lanes/lanes.h"
#include "percuss_version.h"

static void add(NsVersion *version, int *count, const char *path, const char *text)
{
  version[*count].path = path;
  (void)snprintf(version[(*count)++].text, NS_VERSION_TEXT, "%s", text);
}

PetscErrorCode NsVersionsHere(NsVersion version[NS_VERSIONS], int *count)
{
  PetscInt major, minor, patch, release;
  char     text[64], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int      length;

  PetscFunctionBegin;
  *count = 0;
  add(version, count, "program.name", "percuss");
  add(version, count, "program.version", PERCUSS_VERSION);
  add(version, count, "program.commit", PERCUSS_COMMIT);
  add(version, count, "program.compiler", PERCUSS_COMPILER);
  add(version, count, "program.build", PERCUSS_BUILD);
  add(version, count, "program.kernels", NsLanesWidestKernel());
  PetscCall(PetscGetVersionNumber(&major, &minor, &patch, &release));
  (void)snprintf(text, sizeof(text), "%d.%d.%d", (int)major, (int)minor, (int)patch);
  add(version, count, "libraries.petsc", text);
  PetscCall(SlepcGetVersionNumber(&major, &minor, &patch, &release));
  (void)snprintf(text, sizeof(text), "%d.%d.%d", (int)major, (int)minor, (int)patch);
  add(version, count, "libraries.slepc", text);
  add(version, count, "libraries.libyaml", yaml_get_version_string());
  PetscCallMPI(MPI_Get_library_version(mpi, &length));
  mpi[strcspn(mpi, ",\n")] = 0; /* the rest is where and when it was built */
  add(version, count, "libraries.mpi", mpi);
  PetscFunctionReturn(0);
}
