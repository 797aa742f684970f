# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# The RTL's file lists and one wrapper around verilate().
#
# Packages come first, then every module once; a top pulls in what it needs because each module
# file is found by its name through -y.
file(GLOB CXLGPU_RTL_PACKAGES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/pkg/*.sv)
# cxlgpu_pkg imports cxl_pkg: the names sort in that order.
list(SORT CXLGPU_RTL_PACKAGES)
set(CXLGPU_RTL_DIRS common controller cache flex_bus cxl_io root_port host_bridge endpoint top)

# Verilator's own runtime, which verilate() would compile again for every top. `owner`: the target that
# has it already, else one for all.
function(cxlgpu_share_runtime target owner)
  get_target_property(sources ${target} SOURCES)
  set(runtime ${sources})
  list(FILTER sources EXCLUDE REGEX "/verilated[a-z_]*\\.cpp$")
  list(FILTER runtime INCLUDE REGEX "/verilated[a-z_]*\\.cpp$")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  if(owner)
    target_link_libraries(${target} PUBLIC ${owner})
    return()
  endif()
  if(NOT TARGET verilated_runtime)
    list(GET runtime 0 first)
    get_filename_component(include ${first} DIRECTORY)
    add_library(verilated_runtime STATIC ${runtime})
    target_include_directories(verilated_runtime SYSTEM PRIVATE ${include} ${include}/vltstd)
  endif()
  target_link_libraries(${target} PUBLIC verilated_runtime)
endfunction()

# Compiles a top's many small files in few: each would read Verilator's headers again, which takes longer
# than most of the files themselves. They stay sources of the target, so that a change in RTL verilates.
function(cxlgpu_unite target)
  set(most 500000)  # bytes in one: the largest tops still fill two cores
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} BINARY_DIR)
  set(kinds)
  foreach(source ${sources})
    if(NOT source MATCHES "/${target}\\.dir/.*\\.cpp$")
      continue()
    endif()
    get_source_file_property(flags ${source} COMPILE_FLAGS)
    string(MAKE_C_IDENTIFIER "flags${flags}" kind)
    if(NOT kind IN_LIST kinds)
      list(APPEND kinds ${kind})
      set(${kind}_flags "${flags}")
      set(${kind}_bytes 0)
      set(${kind}_part 0)
    endif()
    file(SIZE ${source} bytes)
    math(EXPR ${kind}_bytes "${${kind}_bytes} + ${bytes}")
    if(${kind}_bytes GREATER most)
      math(EXPR ${kind}_part "${${kind}_part} + 1")
      set(${kind}_bytes ${bytes})
    endif()
    set(part ${kind}_${${kind}_part})
    string(APPEND ${part} "#include \"${source}\"\n")
    set_property(SOURCE ${source} PROPERTY HEADER_FILE_ONLY ON)
  endforeach()
  foreach(kind ${kinds})
    foreach(part RANGE ${${kind}_part})
      set(united ${folder}/CMakeFiles/${target}.dir/${kind}_${part}.cpp)
      file(CONFIGURE OUTPUT ${united} CONTENT "${${kind}_${part}}" @ONLY)  # written if it differs
      set_property(SOURCE ${united} PROPERTY COMPILE_FLAGS "${${kind}_flags}")
      target_sources(${target} PRIVATE ${united})
    endforeach()
  endforeach()
endfunction()

# A test sees inputs that it does not drive as zero, whatever CXLGPU_X_SEED says: random is what the block
# itself leaves without a value. The inputs are those of the verilated top's header.
function(cxlgpu_clear_inputs target prefix)
  get_target_property(folder ${target} BINARY_DIR)
  set(header ${folder}/CMakeFiles/${target}.dir/${prefix}.dir/${prefix}.h)
  file(STRINGS ${header} inputs REGEX "^ *VL_IN[0-9W]*\\(&")
  set(lines)
  foreach(input ${inputs})
    string(REGEX REPLACE "^ *VL_IN[0-9W]*\\(&([A-Za-z0-9_]+),.*" "\\1" name "${input}")
    string(APPEND lines "  clear_bits(top.${name});\n")
  endforeach()
  set(source ${folder}/CMakeFiles/${target}.dir/clear_inputs.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${prefix}.h\"
#include \"tests/common/clear_inputs.hpp\"
namespace cxlgpu::test {
template <>
void clear_inputs(${prefix}& top) {
${lines}}
}  // namespace cxlgpu::test
" @ONLY)
  target_sources(${target} PRIVATE ${source})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_features(${target} PRIVATE cxx_std_20)
endfunction()

# cxlgpu_verilate(TARGET top_file PREFIX name [TRACE] [ASSERT] [NO_TOGGLES] [RUNTIME target] [ARGS ...])
# NO_TOGGLES: with CXLGPU_COVERAGE, lines and branches alone.
function(cxlgpu_verilate target top_file)
  cmake_parse_arguments(V "TRACE;ASSERT;NO_TOGGLES" "PREFIX;RUNTIME" "ARGS" ${ARGN})
  get_filename_component(top ${top_file} NAME_WE)
  # UNUSEDPARAM: a package names the whole protocol; no top uses all of it.
  set(args -Wall -Wno-UNUSEDPARAM -O3)
  if(V_ASSERT)
    # What has no reset starts as tests/common/verilated_main.cpp says, not as zero.
    list(APPEND args --x-assign unique --x-initial unique)
    # SYNCASYNCNET: the reset is asynchronous in the logic and sampled by `disable iff`.
    list(APPEND args --assert -Wno-SYNCASYNCNET)
  else()
    list(APPEND args --x-assign fast --x-initial fast)
  endif()
  if(CXLGPU_COVERAGE)
    # Both optimisations move counters away from what they count: arms that run then stay at 0.
    # UNOPTFLAT: a block that is not split seems to depend on itself.
    list(APPEND args --coverage-line -fno-reorder -fno-split -Wno-UNOPTFLAT)
    if(NOT V_NO_TOGGLES)
      # Wider nets count no toggles: a counter for each bit of each 512-bit line would multiply the build.
      list(APPEND args --coverage-toggle --coverage-max-width 64)
    endif()
  endif()
  if(CXLGPU_ASAN)
    # As written inline, a part select reads a word past the end and masks it off (verilator issue 2819).
    list(APPEND args -fno-expand)
  endif()
  foreach(dir ${CXLGPU_RTL_DIRS})
    list(APPEND args -y ${CMAKE_SOURCE_DIR}/rtl/${dir})
  endforeach()
  list(APPEND args ${V_ARGS})
  set(speed)
  if(V_ASSERT OR CXLGPU_COVERAGE)
    set(speed OPT_FAST -O1)  # a test runs for seconds: half the time to compile counts for more
  endif()
  set(trace)
  if(V_TRACE)
    set(trace TRACE_FST)
  endif()
  file(GLOB_RECURSE deps CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/*.sv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${deps})
  verilate(${target} ${trace}
    SOURCES ${CXLGPU_RTL_PACKAGES} ${top_file}
    PREFIX ${V_PREFIX} TOP_MODULE ${top}
    ${speed}
    OPT_SLOW -O0  # what runs once: half the time to compile, a fifth of the whole build
    VERILATOR_ARGS ${args})
  if(CXLGPU_ASAN AND V_TRACE)
    # Trace buffers hold words at any address, as x86 allows: Verilator's and those of GTKWave's writer.
    get_target_property(tracing ${target} SOURCES)
    list(FILTER tracing INCLUDE REGEX "__Trace__|verilated_fst")
    set_source_files_properties(${tracing} TARGET_DIRECTORY ${target} PROPERTIES
                                COMPILE_OPTIONS -fno-sanitize=alignment)
  endif()
  if(NOT V_TRACE)
    cxlgpu_share_runtime(${target} "${V_RUNTIME}")
  endif()
  if(V_ASSERT)
    cxlgpu_unite(${target})
    cxlgpu_clear_inputs(${target} ${V_PREFIX})
  endif()
  # Verilator's headers are not ours to warn about.
  get_target_property(include ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${include}")
endfunction()
