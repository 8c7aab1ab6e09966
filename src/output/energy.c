/*
  energy.csv: the energy balance. kinetic + elastic + potential = initial + load - damping - impact - friction + numerical.
*/
#include "writer.h"

typedef struct {
  PetscReal time;
  NsLedger  ledger;
} Row;

static const NsColumn columns[] = {
  {"time", "s", "time", offsetof(Row, time)},
  {"kinetic", "J", "kinetic energy", offsetof(Row, ledger.now.kinetic)},
  {"elastic", "J", "elastic energy", offsetof(Row, ledger.now.elastic)},
  {"potential", "J", "potential energy of the weight", offsetof(Row, ledger.now.potential)},
  {"damping", "J", "dissipated by damping since the start", offsetof(Row, ledger.damping)},
  {"impact", "J", "dissipated by impacts since the start", offsetof(Row, ledger.impact)},
  {"friction", "J", "dissipated by friction since the start", offsetof(Row, ledger.friction)},
  {"load", "J", "external work since the start: loads, drives, moving surfaces", offsetof(Row, ledger.external)},
  {"numerical", "J", "numerical energy error: the remainder of the balance", offsetof(Row, ledger.numerical)},
  {NULL},
};
static const NsCsvType energy = {"energy.csv", "the energy balance, a row every `output.energy.every` steps", NS_CSV_STEPS, columns};

static double bytes(const NsWriter *writer)
{
  (void)writer;
  return 9 * NS_CSV_NUMBER;
}

static PetscErrorCode write_row(NsWriter *writer, const NsSnapshot *snapshot)
{
  const Row row = {snapshot->state.t, *snapshot->ledger};

  PetscFunctionBegin;
  NsCsvRow(&writer->csv[0], &row);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Energy = {.name = "energy", .csv = {&energy}, .bytes = bytes, .write = write_row, .needs_energy = PETSC_TRUE};
