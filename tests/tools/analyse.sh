#!/usr/bin/env bash
# tests/tools/analyse.sh [BUILD [FILE...]]   clang-tidy and cppcheck over all that BUILD compiles (build/debug), or over some files of it.
#
# .clang-tidy, tests/.clang-tidy and tests/tools/cppcheck.txt say what is left out, and why. Any finding fails. BUILD is configured, not necessarily built.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/debug}
[ -f "$build/compile_commands.json" ] || { echo "analyse.sh: no $build/compile_commands.json; configure first: cmake --preset debug" >&2; exit 2; }
shift || true
cmake --build "$build" --target percuss_generated >/dev/null

if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u)
fi
failed=0
echo "clang-tidy: ${#files[@]} files"
# One file a call: clang-tidy 14 takes a va_list of a second file for uninitialised. Its count of findings in others' headers is no news.
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 clang-tidy -quiet -p "$build" 2> >(grep -v 'warnings\? \(and [0-9]* errors\? \)\?generated\.$' >&2) || failed=1

if [ $# -eq 0 ]; then
  echo "cppcheck"
  cppcheck --project="$build/compile_commands.json" --enable=warning,performance,portability,style --inline-suppr --library=tests/tools/cppcheck.cfg \
    --suppressions-list=tests/tools/cppcheck.txt --suppress='*:/usr/*' --error-exitcode=1 -j "$(nproc)" --quiet --template='{file}:{line}:{column}: {severity}: {message} [{id}]' || failed=1
fi
[ $failed -eq 0 ] && echo "nothing found"
exit $failed
