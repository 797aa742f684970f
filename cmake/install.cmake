# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves, by component:
#
#   flits    libflits.a and its headers                                find_package(cxlgpu COMPONENTS flits)
#   library  the machine: api/cxlgpu.hpp, what it includes, configs    find_package(cxlgpu), which needs flits
#   command  bin/cxlgpu, configs, Wireshark's dissector of its flit logs, completion for shells
#
# Headers lie in include/cxlgpu, and name each other from there: <cxlgpu/cxlgpu.hpp>, <cxlgpu/flits/codec.hpp>.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cxlgpu)
set(share ${CMAKE_INSTALL_DATADIR}/cxlgpu)

# cxlgpu_install_headers(COMPONENT header ...): each by its place in the tree; api/x.hpp becomes cxlgpu/x.hpp.
function(cxlgpu_install_headers component)
  install(CODE "
    set(from \"${CMAKE_SOURCE_DIR}\")
    set(to \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/cxlgpu\")
    foreach(header ${ARGN})
      string(REGEX REPLACE \"^api/\" \"\" name \"\${header}\")
      file(READ \"\${from}/\${header}\" text)
      string(REGEX REPLACE \"(\\n#include \\\")(api/)?([a-z_]+[/.])\" \"\\\\1cxlgpu/\\\\3\" text \"\${text}\")
      get_filename_component(folder \"\${to}/\${name}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      file(CONFIGURE OUTPUT \"\${to}/\${name}\" CONTENT \"\${text}\" @ONLY)
    endforeach()
    message(STATUS \"Installing: \${to}\")" COMPONENT ${component})
endfunction()

file(GLOB flits_headers RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/flits/*.hpp)
cxlgpu_install_headers(flits ${flits_headers})
cxlgpu_install_headers(library api/cxlgpu.hpp common/media_port.hpp common/policy.hpp common/request.hpp common/time.hpp
                       model/prefetch/prefetcher.hpp)

target_compile_features(flits INTERFACE cxx_std_20)
target_include_directories(flits INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Where the library looks for configurations, of the package wherever it is.
target_compile_definitions(api INTERFACE
  $<INSTALL_INTERFACE:CXLGPU_PACKAGE_CONFIGS="$<INSTALL_PREFIX>/${share}/configs">)
set_target_properties(api PROPERTIES EXPORT_NAME cxlgpu)

# Names of rooms are short: a folder of their own.
install(TARGETS flits EXPORT cxlgpuFlits ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/cxlgpu COMPONENT flits)
install(TARGETS common refmodel sim model api EXPORT cxlgpuLibrary ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/cxlgpu
        COMPONENT library)
install(EXPORT cxlgpuFlits NAMESPACE cxlgpu:: DESTINATION ${package} COMPONENT flits)
install(EXPORT cxlgpuLibrary NAMESPACE cxlgpu:: DESTINATION ${package} COMPONENT library)
configure_package_config_file(cmake/cxlgpuConfig.cmake.in ${CMAKE_BINARY_DIR}/cxlgpuConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cxlgpuConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cxlgpuConfig.cmake ${CMAKE_BINARY_DIR}/cxlgpuConfigVersion.cmake
        DESTINATION ${package} COMPONENT flits)

foreach(component library command)
  install(DIRECTORY configs/ DESTINATION ${share}/configs COMPONENT ${component})
endforeach()
if(TARGET cxlgpu)
  install(TARGETS cxlgpu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(FILES share/wireshark/cxl68.lua DESTINATION ${share}/wireshark COMPONENT command)
  foreach(place bash=bash-completion/completions/cxlgpu zsh=zsh/site-functions/_cxlgpu
          fish=fish/vendor_completions.d/cxlgpu.fish)
    string(REGEX MATCH "^[a-z]+" shell ${place})
    string(REGEX REPLACE "^[a-z]+=" "${CMAKE_INSTALL_DATADIR}/" file ${place})
    install(CODE "
      set(to \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
      get_filename_component(folder \"\${to}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND \"$<TARGET_FILE:cxlgpu>\" completion ${shell} OUTPUT_FILE \"\${to}\" COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS \"Installing: \${to}\")" COMPONENT command)
  endforeach()
endif()
