# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=tree -DOUT=header -P: the commit of what the command is built of, in each build.
# A commit of pages or tests alone does not change it, so the command is not linked again and results stay current.
set(files CMakeLists.txt cli cmake common flits model refmodel rtl sim tb)
set(commit unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} log -1 --format=%h --abbrev=12 -- ${files} WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found)
    set(commit ${found})
    execute_process(COMMAND ${GIT} --no-optional-locks diff --quiet HEAD -- ${files} WORKING_DIRECTORY ${SOURCE}
                    RESULT_VARIABLE changed ERROR_QUIET)
    if(changed)
      string(APPEND commit "+changes")
    endif()
  endif()
endif()
set(text "#define CXLGPU_SOURCE_COMMIT \"${commit}\"\n")
set(before)
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
