# Writes generated/percuss_version.h, percuss_starters.h, percuss_view.h and percuss_completion.h; touches them only when their content changes.
# Called at every build (the commit may have changed), costs a git call.
set(ENV{LC_ALL} C)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT "unknown")
endif()

function(write_if_changed file content)
  set(old "")
  if(EXISTS ${file})
    file(READ ${file} old)
  endif()
  if(NOT old STREQUAL content)
    file(WRITE ${file} "${content}")
  endif()
endfunction()

write_if_changed(${BINARY}/generated/percuss_version.h
"#pragma once
#define PERCUSS_VERSION \"${VERSION}\"
#define PERCUSS_COMMIT \"${COMMIT}\"
#define PERCUSS_COMPILER \"${COMPILER}\"
#define PERCUSS_BUILD \"${BUILD}\"
")

# A file as a C string; bytes as octal escapes would be unreadable, so quote line by line.
function(read_quoted file result)
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n  \"" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

set(starters "/* Made from src/cli/starters by src/generate.cmake. */\n")
file(GLOB files ${SOURCE}/src/cli/starters/*.yaml)
list(SORT files)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  read_quoted(${file} text)
  string(APPEND starters "NS_STARTER(${name},\n  ${text})\n")
endforeach()
write_if_changed(${BINARY}/generated/percuss_starters.h "${starters}")

# The scene that each run leaves among its results.
read_quoted(${SOURCE}/postprocess/view.py view)
write_if_changed(${BINARY}/generated/percuss_view.h "/* Made from postprocess/view.py by src/generate.cmake. */\nstatic const char view[] =\n  ${view};\n")

# The completion for bash, which `percuss complete` prints.
read_quoted(${SOURCE}/src/cli/percuss.bash completion)
write_if_changed(${BINARY}/generated/percuss_completion.h "/* Made from src/cli/percuss.bash by src/generate.cmake. */\n${completion}\n")
