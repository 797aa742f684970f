# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Verilates one top and unites what comes of it in few sources: cmake -D... -P top.cmake, by cxlgpu_verilate().
#
#   ARGUMENTS  file: Verilator's command, one word a line, without --Mdir
#   PREFIX     the top's class
#   FOLDER     where Verilator's files stay; one that would be the same again keeps its time, so that a test is not
#              compiled again by a change that leaves the top's ports as they are
#   UNITS      the sources to write: FAST of them of what runs often, then of what runs once; one alone has both
#   DEPFILE    what the first unit depends on
#
# Each of the many files that Verilator writes would read its headers again, which takes longer than most of the files
# themselves. The number of units is known before anything is verilated; that is why a build needs no Verilator until a
# top is asked for, and then for that top alone.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/clear_inputs.cmake)

set(new ${FOLDER}/new)
file(REMOVE_RECURSE ${new})
file(MAKE_DIRECTORY ${new})
file(STRINGS ${ARGUMENTS} command)
execute_process(COMMAND ${command} --Mdir ${new} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PREFIX} does not verilate")
endif()
include(${new}/${PREFIX}.cmake)

file(GLOB before RELATIVE ${FOLDER} ${FOLDER}/*.*)
file(GLOB now RELATIVE ${new} ${new}/*)
list(REMOVE_ITEM before ${now})
foreach(name ${before})
  file(REMOVE ${FOLDER}/${name})
endforeach()
foreach(name ${now})
  file(COPY_FILE ${new}/${name} ${FOLDER}/${name} ONLY_IF_DIFFERENT)
endforeach()
file(REMOVE_RECURSE ${new})

# Every unit has the digest of what it includes: Ninja looks at files that no rule of it names, and these are, before
# Verilator has written them, and would take the object for good.
set(headers)
foreach(name ${now})
  if(name MATCHES "\\.h$")
    file(SHA256 ${FOLDER}/${name} digest)
    string(APPEND headers "${digest} ")
  endif()
endforeach()
string(SHA256 headers "${headers}")

# The longest first, each to the unit that has least.
function(share units files)
  set(sized)
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    file(SIZE ${FOLDER}/${name} bytes)
    list(APPEND sized "${bytes}|${name}")
  endforeach()
  list(SORT sized COMPARE NATURAL ORDER DESCENDING)
  foreach(unit ${units})
    set(bytes_${unit} 0)
    set(text_${unit} "")
  endforeach()
  foreach(one ${sized})
    string(REPLACE "|" ";" one "${one}")
    list(GET one 0 bytes)
    list(GET one 1 name)
    list(GET units 0 least)
    foreach(unit ${units})
      if(bytes_${unit} LESS bytes_${least})
        set(least ${unit})
      endif()
    endforeach()
    math(EXPR bytes_${least} "${bytes_${least}} + ${bytes}")
    file(SHA256 ${FOLDER}/${name} digest)
    string(APPEND text_${least} "#include \"${FOLDER}/${name}\"  // ${digest}\n")
  endforeach()
  foreach(unit ${units})
    string(PREPEND text_${unit} "// ${headers}\n")
    if(unit STREQUAL first)
      cxlgpu_clear_inputs_text(clear ${FOLDER}/${PREFIX}.h ${PREFIX})
      string(APPEND text_${unit} "${clear}")
    endif()
    # Ninja goes by times: what has not changed keeps its own, and its object.
    if(EXISTS ${unit})
      file(READ ${unit} old)
    else()
      set(old)
    endif()
    if(NOT text_${unit} STREQUAL old)
      file(WRITE ${unit} "${text_${unit}}")
    endif()
  endforeach()
endfunction()

list(GET UNITS 0 first)
set(fast ${${PREFIX}_CLASSES_FAST} ${${PREFIX}_SUPPORT_FAST})
set(slow ${${PREFIX}_CLASSES_SLOW} ${${PREFIX}_SUPPORT_SLOW})
list(LENGTH UNITS count)
if(count EQUAL FAST)
  share("${UNITS}" "${fast};${slow}")
else()
  list(SUBLIST UNITS 0 ${FAST} some)
  share("${some}" "${fast}")
  list(SUBLIST UNITS ${FAST} -1 some)
  share("${some}" "${slow}")
endif()

string(REPLACE ";" " \\\n  " depends "${${PREFIX}_DEPS}")
file(WRITE ${DEPFILE} "${first}: \\\n  ${depends}\n")
