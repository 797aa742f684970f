# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# The RTL's file lists, and what makes a library of a top: of a test by a rule of its own, else verilate().
#
# Packages come first, then every module once; a top pulls in what it needs because each module
# file is found by its name through -y.
file(GLOB CXLGPU_RTL_PACKAGES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/pkg/*.sv)
# cxlgpu_pkg imports cxl_pkg, cxlgpu_port_pkg both: the names sort in that order.
list(SORT CXLGPU_RTL_PACKAGES)
set(CXLGPU_RTL_DIRS common controller cache flex_bus cxl_io root_port host_bridge endpoint top)

include(${CMAKE_CURRENT_LIST_DIR}/clear_inputs.cmake)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# cxlgpu_rtl_sizes(OUT --arguments CONFIG | --value NAME CONFIG [--set NAME=VALUE ...]): what scripts/rtl_sizes.py says of a
# configuration of the RTL.
function(cxlgpu_rtl_sizes out)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/configs/rtl/*.yaml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${CMAKE_SOURCE_DIR}/scripts/rtl_sizes.py)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/rtl_sizes.py ${ARGN}
                  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE text ERROR_VARIABLE error RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${error}")
  endif()
  set(${out} ${text} PARENT_SCOPE)
endfunction()

function(cxlgpu_verilated_runtime sources)
  if(NOT TARGET verilated_runtime)
    add_library(verilated_runtime STATIC ${sources})
    target_include_directories(verilated_runtime SYSTEM PRIVATE ${VERILATOR_ROOT}/include
                               ${VERILATOR_ROOT}/include/vltstd)
  endif()
endfunction()

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
  cxlgpu_verilated_runtime("${runtime}")
  target_link_libraries(${target} PUBLIC verilated_runtime)
endfunction()

# One top of tests: verilated when it is asked for, by its own rule, and compiled in `parts` units (cmake/top.cmake).
# What runs once is compiled without optimisation, in units of its own if there are several.
function(cxlgpu_test_top target prefix top parts optimise sources)
  get_target_property(folder ${target} BINARY_DIR)
  set(folder ${folder}/CMakeFiles/${target}.dir)
  set(generated ${folder}/${prefix}.dir)
  set(units)
  foreach(part RANGE 1 ${parts})
    list(APPEND units ${generated}/units/often_${part}.cpp)
  endforeach()
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS ${optimise})
  if(parts GREATER 1)
    math(EXPR few "(${parts} + 3) / 4")
    foreach(part RANGE 1 ${few})
      list(APPEND units ${generated}/units/once_${part}.cpp)
      set_source_files_properties(${generated}/units/once_${part}.cpp PROPERTIES COMPILE_OPTIONS -O0)
    endforeach()
  endif()
  string(TOLOWER ${CMAKE_CXX_COMPILER_ID} compiler)
  if(NOT compiler STREQUAL "clang")
    set(compiler gcc)
  endif()
  set(command ${VERILATOR_BIN} --compiler ${compiler} --prefix ${prefix} --make cmake --top ${top} --cc ${ARGN}
      ${sources})
  list(JOIN command "\n" lines)
  file(CONFIGURE OUTPUT ${generated}/units/arguments.txt CONTENT "${lines}\n" @ONLY)  # written if it differs
  set(script ${CMAKE_SOURCE_DIR}/cmake/top.cmake)
  add_custom_command(
    OUTPUT ${units} ${generated}/${prefix}.h ${generated}/${prefix}___024root.h  # a test may include either
    COMMAND ${CMAKE_COMMAND} -D ARGUMENTS=${generated}/units/arguments.txt -D PREFIX=${prefix} -D FOLDER=${generated}
            -D FAST=${parts} -D "UNITS=${units}" -D DEPFILE=${generated}/units/depends.d -P ${script}
    DEPENDS ${VERILATOR_BIN} ${script} ${CMAKE_SOURCE_DIR}/cmake/clear_inputs.cmake ${generated}/units/arguments.txt
    DEPFILE ${generated}/units/depends.d
    COMMENT "Verilating ${prefix}" VERBATIM)
  target_sources(${target} PRIVATE ${units})
  target_include_directories(${target} PUBLIC ${generated} ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
  target_compile_definitions(${target} PRIVATE VM_COVERAGE=$<BOOL:${CXLGPU_COVERAGE}> VM_SC=0 VM_TRACE=0 VM_TRACE_VCD=0
                             VM_TRACE_FST=0)
  # The standard library of C++14 is read in half the time of that of C++20.
  set_target_properties(${target} PROPERTIES CXX_STANDARD 14)
  if(NOT TARGET verilated_runtime)
    set(runtime verilated verilated_threads)
    if(CXLGPU_COVERAGE)
      list(APPEND runtime verilated_cov)
    endif()
    list(TRANSFORM runtime REPLACE "(.+)" "${VERILATOR_ROOT}/include/\\1.cpp")
    cxlgpu_verilated_runtime("${runtime}")
  endif()
  target_link_libraries(${target} PUBLIC ${VERILATOR_MT_CFLAGS} verilated_runtime)
endfunction()

# A top that is verilated while CMake runs: its clear_inputs().
function(cxlgpu_clear_inputs target prefix)
  get_target_property(folder ${target} BINARY_DIR)
  set(folder ${folder}/CMakeFiles/${target}.dir)
  cxlgpu_clear_inputs_text(text ${folder}/${prefix}.dir/${prefix}.h ${prefix})
  file(CONFIGURE OUTPUT ${folder}/clear_inputs.cpp CONTENT "${text}" @ONLY)  # written if it differs
  target_sources(${target} PRIVATE ${folder}/clear_inputs.cpp)
endfunction()

# Verilator's headers are not ours.
function(cxlgpu_not_to_warn_about target)
  get_target_property(include ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${include}")
endfunction()

# cxlgpu_verilate(TARGET top_file PREFIX name [TRACE] [ASSERT] [NO_TOGGLES] [RUNTIME target] [PARTS n] [OPTIMISE flag]
#                 [ARGS ...])
# ASSERT: a top of tests, with assertions; PARTS and OPTIMISE are of such a one.
# NO_TOGGLES: with CXLGPU_COVERAGE, lines and branches alone.
function(cxlgpu_verilate target top_file)
  cmake_parse_arguments(V "TRACE;ASSERT;NO_TOGGLES" "PREFIX;RUNTIME;PARTS;OPTIMISE" "ARGS" ${ARGN})
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
  if(V_ASSERT)
    cxlgpu_test_top(${target} ${V_PREFIX} ${top} ${V_PARTS} ${V_OPTIMISE} "${CXLGPU_RTL_PACKAGES};${top_file}" ${args})
    cxlgpu_not_to_warn_about(${target})
    return()
  endif()
  set(speed)
  if(CXLGPU_COVERAGE)
    set(speed OPT_FAST -O1)  # half the time to compile
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
  # The standard library of C++14 is read in half the time of that of C++20.
  set_target_properties(${target} PROPERTIES CXX_STANDARD 14)
  get_target_property(folder ${target} BINARY_DIR)
  set(folder ${folder}/CMakeFiles/${target}.dir)
  cxlgpu_read_once(${target} ${folder}/${V_PREFIX}.dir/${V_PREFIX}__Syms.h)
  # No rule names the header: without this it would be read before a changed RTL has been verilated, and with the old one.
  # What was read of the old one goes first: ccache takes it for the header's text and gives it back.
  if(CXLGPU_READ_ONCE)
    add_custom_command(OUTPUT ${folder}/read_anew
                       COMMAND ${CMAKE_COMMAND} -E rm -f ${folder}/cmake_pch.hxx.gch
                       COMMAND ${CMAKE_COMMAND} -E touch ${folder}/read_anew
                       DEPENDS ${folder}/${V_PREFIX}.dir/${V_PREFIX}.cpp VERBATIM)
    set_source_files_properties(${folder}/cmake_pch.hxx.cxx PROPERTIES OBJECT_DEPENDS ${folder}/read_anew)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})  # g++ takes a header that was read with optimisation for nothing else
    get_source_file_property(flags ${source} TARGET_DIRECTORY ${target} COMPILE_FLAGS)
    if(flags MATCHES "-O0")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
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
  cxlgpu_not_to_warn_about(${target})
endfunction()
