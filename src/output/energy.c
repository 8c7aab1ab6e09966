/*
  energy.csv: where each joule is, or went. kinetic + elastic + potential = initial + load - damping - impact - friction + numerical.
*/
#include "writer.h"

static PetscBool NsWriterWanted_Energy(const NsRun *run)
{
  return run->config.output->energy->every > 0 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode NsWriterOpen_Energy(NsWriter *writer)
{
  NsFile *file = NsArenaAlloc(writer->run->arena, sizeof(*file));

  PetscFunctionBegin;
  writer->data = file;
  NsWriterOpenTable(file, writer->run, "energy.csv", 9);
  NsFileText(file, "time,kinetic,elastic,potential,damping,impact,friction,load,numerical\n");
  PetscFunctionReturn(0);
}

static PetscBool NsWriterDue_Energy(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  return NsWriterIsDue(writer->run->config.output->energy->every, step, last);
}

static PetscErrorCode NsWriterWrite_Energy(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsFile         *file   = writer->data;
  const NsLedger *ledger = snapshot->ledger;

  PetscFunctionBegin;
  NsFileNumber(file, snapshot->state.t, ',');
  NsFileNumber(file, ledger->now.kinetic, ',');
  NsFileNumber(file, ledger->now.elastic, ',');
  NsFileNumber(file, ledger->now.potential, ',');
  NsFileNumber(file, ledger->damping, ',');
  NsFileNumber(file, ledger->impact, ',');
  NsFileNumber(file, ledger->friction, ',');
  NsFileNumber(file, ledger->load, ',');
  NsFileNumber(file, ledger->numerical, '\n');
  NsFileEndRow(file);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterRemember_Energy(NsWriter *writer, NsMemory *memory)
{
  PetscFunctionBegin;
  NsFileRemember(writer->data, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterClose_Energy(NsWriter *writer)
{
  PetscFunctionBegin;
  NsFileClose(writer->data, PETSC_TRUE);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Energy = {
  .name         = "energy",
  .wanted       = NsWriterWanted_Energy,
  .open         = NsWriterOpen_Energy,
  .due          = NsWriterDue_Energy,
  .needs_energy = PETSC_TRUE,
  .write        = NsWriterWrite_Energy,
  .remember     = NsWriterRemember_Energy,
  .close        = NsWriterClose_Energy,
};
