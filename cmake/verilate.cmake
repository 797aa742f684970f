# The RTL's file lists and one wrapper around verilate().
#
# Packages come first, then every module once; a top pulls in what it needs because each module
# file is found by its name through -y.
file(GLOB CXLGPU_RTL_PACKAGES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/pkg/*.sv)
# cxlgpu_pkg imports cxl_pkg: the names sort in that order.
list(SORT CXLGPU_RTL_PACKAGES)
set(CXLGPU_RTL_DIRS common controller cache flex_bus cxl_io root_port host_bridge endpoint top)

# Verilator's own runtime, which verilate() would compile again for every top.
function(cxlgpu_share_runtime target)
  get_target_property(sources ${target} SOURCES)
  set(runtime ${sources})
  list(FILTER sources EXCLUDE REGEX "/verilated[a-z_]*\\.cpp$")
  list(FILTER runtime INCLUDE REGEX "/verilated[a-z_]*\\.cpp$")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  if(NOT TARGET verilated_runtime)
    list(GET runtime 0 first)
    get_filename_component(include ${first} DIRECTORY)
    add_library(verilated_runtime STATIC ${runtime})
    target_include_directories(verilated_runtime SYSTEM PRIVATE ${include} ${include}/vltstd)
  endif()
  target_link_libraries(${target} PUBLIC verilated_runtime)
endfunction()

# cxlgpu_verilate(TARGET top_file PREFIX name [TRACE] [ASSERT] [ARGS ...])
function(cxlgpu_verilate target top_file)
  cmake_parse_arguments(V "TRACE;ASSERT" "PREFIX" "ARGS" ${ARGN})
  get_filename_component(top ${top_file} NAME_WE)
  # UNUSEDPARAM: a package names the whole protocol; no top uses all of it.
  set(args -Wall -Wno-UNUSEDPARAM --x-assign fast --x-initial fast -O3)
  if(V_ASSERT)
    # SYNCASYNCNET: the reset is asynchronous in the logic and sampled by `disable iff`.
    list(APPEND args --assert -Wno-SYNCASYNCNET)
  endif()
  foreach(dir ${CXLGPU_RTL_DIRS})
    list(APPEND args -y ${CMAKE_SOURCE_DIR}/rtl/${dir})
  endforeach()
  list(APPEND args ${V_ARGS})
  set(speed)
  if(V_ASSERT)
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
  if(NOT V_TRACE)
    cxlgpu_share_runtime(${target})
  endif()
  # Verilator's headers are not ours to warn about.
  get_target_property(include ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${include}")
endfunction()
