# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Headers that most sources of a target include are read once: they are half of what the compiler does otherwise. Not with
# what instruments code, nor by a compiler that was not tried with it; those builds also see an include that is missing.
set(CXLGPU_READ_ONCE OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CXLGPU_COVERAGE AND NOT CXLGPU_ASAN AND NOT CXLGPU_FUZZ)
  set(CXLGPU_READ_ONCE ON)
endif()

# cxlgpu_read_once(TARGET header ... | REUSE_FROM target)
function(cxlgpu_read_once target)
  if(NOT CXLGPU_READ_ONCE)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  if(CCACHE)
    # Else it does not keep what is compiled with such a header. None of these has a time in it.
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
                          "env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE}")
  endif()
endfunction()
