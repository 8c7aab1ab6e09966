#!/usr/bin/env bash
# tests/tools/memcheck.sh [BUILD]   valgrind over some unit tests and short runs of BUILD (build/release): reads of what nobody wrote, of what is freed, beyond ends.
#
# The sanitizers see the whole suite, but no uninitialised values. Errors fail; valgrind.txt beside this file, and Open MPI's own list, say what is not ours.
# Leaks are LeakSanitizer's (leaks.txt).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 HWLOC_COMPONENTS=-gl

unit=(contact layout mechanism mesh pairs tree units)
runs=(
  "elastic_bar.yaml time={end: 20 us}"
  "slider_crank.yaml time={end: 20 ms}"
  "slider_crank_ggl.yaml time={end: 2 ms}"
  "stepped_bar.yaml time={end: 50 us}"
  "truss_on_stop.yaml time={end: 2 ms}"
  "rotor_in_safety_bearing.yaml time={end: 0.2 ms}"
  "elastic_bar_events.yaml time={end: 20 us}"
)

failed=()
check() { # NAME COMMAND...
  local name=$1
  shift
  if ! valgrind --quiet --error-exitcode=99 --leak-check=no --num-callers=20 --suppressions=/usr/share/openmpi/openmpi-valgrind.supp \
    --suppressions=tests/tools/valgrind.txt "$@" >"$out/log" 2>&1; then
    failed+=("$name")
    cat "$out/log"
  fi
  echo "  $name"
}
for name in "${unit[@]}"; do check "unit/$name" "$build/tests/unit_$name"; done
for run in "${runs[@]}"; do check "${run%% *}" "$build/percuss" run "configs/${run%% *}" --quiet --overwrite --out "$out/results" --set "${run#* }"; done
[ ${#failed[@]} -eq 0 ] || { echo "memcheck: ${failed[*]}" >&2; exit 1; }
