/*
  report.html: a page on a run, made from its results by postprocess/report.py, which needs Python with numpy and matplotlib.
*/
#pragma once
#include <stdbool.h>

/* Writes DIRECTORY/report.html and says so on stdout unless `quiet`. What a run left stays as it is, and its exit code is not touched: where no report can be
   made a warning on stderr says why, and how to make it afterwards. Starts a process and waits for it, some seconds: not between MPI's start and end. */
void NsReportMake(const char *directory, bool quiet);
