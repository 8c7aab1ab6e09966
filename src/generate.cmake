# Writes generated/percuss_version.h and generated/percuss_starters.h; touches them only when their content changes.
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

# Each src/cli/starters/NAME.yaml becomes a C string; bytes as octal escapes would be unreadable, so quote line by line.
set(starters "/* Made from src/cli/starters by src/generate.cmake. */\n")
file(GLOB files ${SOURCE}/src/cli/starters/*.yaml)
list(SORT files)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n  \"" text "${text}")
  string(APPEND starters "NS_STARTER(${name},\n  \"${text}\")\n")
endforeach()
write_if_changed(${BINARY}/generated/percuss_starters.h "${starters}")
