# The functions that a generated list of cells calls.

# serbench_isolated(<codec> <folder>)
# Reads the CMakeLists.txt of a codec in a scope of its own, so that one codec's library decides nothing for
# another's: the targets and variables that its package brings end with that scope, and the cache is put back
# to what it was. So nothing that was found is remembered from one configuration to the next either. Codecs
# whose package ended CMake with an error the last time are in SERBENCH_BROKEN and left out.
function(serbench_isolated name folder)
  if(name IN_LIST SERBENCH_BROKEN)
    return()
  endif()
  get_directory_property(before CACHE_VARIABLES)
  foreach(entry IN LISTS before)
    set("before_${entry}" "$CACHE{${entry}}")
  endforeach()
  add_subdirectory("${folder}" "codecs/${name}")
  get_directory_property(after CACHE_VARIABLES)
  foreach(entry IN LISTS after)
    if(NOT entry IN_LIST before)
      unset("${entry}" CACHE)
    elseif(NOT "$CACHE{${entry}}" STREQUAL "${before_${entry}}")
      set_property(CACHE "${entry}" PROPERTY VALUE "${before_${entry}}")
    endif()
  endforeach()
endfunction()

# serbench_codec(NAME <name> [PACKAGE <name> [COMPONENTS ...] TARGETS ... VERSION <variable>]
#                [HEADER <file> [LIBRARIES ...] [VERSION_HEADER <file> VERSION_REGEX <regex>]] [PROGRAMS ...]
#                [LINKING dynamic])
# Looks for a codec's library. Makes the interface target serbench_codec_<name> where it is found, and writes
# found/<name> in the build folder: a line "found <version>" or "missing <what>".
function(serbench_codec)
  cmake_parse_arguments(ARG "" "NAME;PACKAGE;VERSION;HEADER;VERSION_HEADER;VERSION_REGEX;LINKING"
    "COMPONENTS;TARGETS;LIBRARIES;PROGRAMS" ${ARGN})
  set(missing "")
  set(version "")
  set(libraries "")
  set(include "")
  set(files "")
  set(static ${SERBENCH_STATIC})
  if(ARG_LINKING STREQUAL "dynamic")
    set(static OFF)
    set(CMAKE_FIND_LIBRARY_SUFFIXES ${SERBENCH_SHARED_SUFFIXES})  # in this function alone
  endif()
  if(ARG_PACKAGE)
    serbench_find_package()
  endif()
  if(ARG_HEADER)
    serbench_find_header()
  endif()
  foreach(program IN LISTS ARG_PROGRAMS)
    find_program(SERBENCH_PROGRAM_${program} ${program})
    if(NOT SERBENCH_PROGRAM_${program})
      list(APPEND missing "no program ${program}")
    endif()
  endforeach()

  set(report "${CMAKE_BINARY_DIR}/found/${ARG_NAME}")
  if(missing)
    list(JOIN missing ", " missing)
    file(WRITE "${report}" "missing ${missing}\n")
    return()
  endif()
  add_library(serbench_codec_${ARG_NAME} INTERFACE)
  target_link_libraries(serbench_codec_${ARG_NAME} INTERFACE serbench_runner ${libraries} Threads::Threads)
  if(static)
    target_link_options(serbench_codec_${ARG_NAME} INTERFACE
      "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:SERBENCH_DYNAMIC>>>:-static>")
  endif()
  if(include)
    target_include_directories(serbench_codec_${ARG_NAME} SYSTEM INTERFACE "${include}")
  endif()
  file(WRITE "${report}" "found ${version}\n")
endfunction()

# The part of serbench_codec that asks a CMake package. Two libraries may have packages of one name (msgpack
# in C and in C++): the one without the targets is passed over.
macro(serbench_find_package)
  set(absent "")
  while(TRUE)
    find_package(${ARG_PACKAGE} QUIET COMPONENTS ${ARG_COMPONENTS})
    # Some packages make their targets also where they have found nothing, such as CMake's own for MPI.
    if(NOT ${ARG_PACKAGE}_FOUND)
      if(NOT absent)
        set(absent "find_package(${ARG_PACKAGE}) finds nothing")
      endif()
      break()
    endif()
    set(without "")
    foreach(target IN LISTS ARG_TARGETS)
      if(NOT TARGET ${target})
        list(APPEND without "find_package(${ARG_PACKAGE}) gives no target ${target}")
      endif()
    endforeach()
    if(NOT without)
      set(absent "")
      list(APPEND libraries ${ARG_TARGETS})
      break()
    elseif(NOT absent)
      set(absent ${without})
    endif()
    if(NOT ${ARG_PACKAGE}_DIR)  # found by a module of CMake's, of which there is one
      break()
    endif()
    list(APPEND CMAKE_IGNORE_PATH "${${ARG_PACKAGE}_DIR}")
    unset(${ARG_PACKAGE}_DIR)
    unset(${ARG_PACKAGE}_DIR CACHE)
  endwhile()
  list(APPEND missing ${absent})
  if(static)
    serbench_shared_libraries(shared ${libraries})
    foreach(library IN LISTS shared)
      string(CONCAT only_shared "${library} is a shared library, and executables here are static: "
        "build it as a static one")
      list(APPEND missing "${only_shared}")
    endforeach()
  endif()
  set(version "${${ARG_VERSION}}")
endmacro()

# The part of serbench_codec that looks for files.
macro(serbench_find_header)
  # Some libraries have a folder of their own, which the names of their headers leave out.
  find_path(SERBENCH_${ARG_NAME}_INCLUDE "${ARG_HEADER}" PATH_SUFFIXES ${ARG_LIBRARIES})
  if(SERBENCH_${ARG_NAME}_INCLUDE)
    set(include "${SERBENCH_${ARG_NAME}_INCLUDE}")
    list(APPEND files "${include}/${ARG_HEADER}")
  else()
    list(APPEND missing "no header ${ARG_HEADER}")
  endif()
  foreach(library IN LISTS ARG_LIBRARIES)
    find_library(SERBENCH_LIBRARY_${library} ${library})
    if(SERBENCH_LIBRARY_${library})
      list(APPEND libraries "${SERBENCH_LIBRARY_${library}}")
      list(APPEND files "${SERBENCH_LIBRARY_${library}}")
    else()
      list(APPEND missing "no library ${library}")
      serbench_explain_shared(${library})
    endif()
  endforeach()
  # The folder of libraries may be named after the machine: lib/*
  file(GLOB header "${include}/${ARG_VERSION_HEADER}")
  if(ARG_VERSION_HEADER AND header)
    list(GET header 0 header)
    list(APPEND files "${header}")
    file(READ "${header}" text)
    if(text MATCHES "${ARG_VERSION_REGEX}")
      set(version "${CMAKE_MATCH_1}")
      foreach(part "${CMAKE_MATCH_2}" "${CMAKE_MATCH_3}")
        if(part MATCHES "^[0-9]+$")
          string(APPEND version ".${part}")
        endif()
      endforeach()
    endif()
  endif()
  # Ninja has CMake look again when one of them is another, as it does for the files of a package.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
endmacro()

# Says of a library that was not found as a static one whether it is there as a shared one.
macro(serbench_explain_shared library)
  if(static)
    set(CMAKE_FIND_LIBRARY_SUFFIXES ${SERBENCH_SHARED_SUFFIXES})
    find_library(SERBENCH_SHARED_${library} ${library})
    set(CMAKE_FIND_LIBRARY_SUFFIXES ".a")
    if(SERBENCH_SHARED_${library})
      string(APPEND missing " but ${SERBENCH_SHARED_${library}}, and executables here are static: "
        "build it as a static one")
    endif()
  endif()
endmacro()

# serbench_shared_libraries(<result> <targets>...)
# The files of the shared libraries among imported targets and what they link.
function(serbench_shared_libraries result)
  set(shared "")
  set(seen "")
  set(waiting ${ARGN})
  while(NOT "${waiting}" STREQUAL "")
    list(POP_FRONT waiting target)
    if(NOT TARGET "${target}" OR target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${target}")
    get_target_property(type "${target}" TYPE)
    if(type MATCHES "^(SHARED|UNKNOWN)_LIBRARY$")
      get_target_property(file "${target}" LOCATION)
      if(type STREQUAL "SHARED_LIBRARY" OR file MATCHES "[.]so([.0-9]*)$")
        list(APPEND shared "${file}")
      endif()
    endif()
    foreach(property INTERFACE_LINK_LIBRARIES IMPORTED_LINK_INTERFACE_LIBRARIES)
      get_target_property(linked "${target}" ${property})
      # Names may stand in generator expressions, such as $<LINK_ONLY:name>.
      string(REGEX MATCHALL "[A-Za-z0-9_.+-]+(::[A-Za-z0-9_.+-]+)*" linked "${linked}")
      list(APPEND waiting ${linked})
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES shared)
  set(${result} "${shared}" PARENT_SCOPE)
endfunction()

# serbench_idl(CODEC <name> WORKLOAD <name> DIRECTORY <generated files> FILE <IDL file> OUTPUTS ...
#   COMMAND ...)
# Runs the codec's compiler on the IDL file and compiles what it writes, once for all variants.
function(serbench_idl)
  cmake_parse_arguments(ARG "" "CODEC;WORKLOAD;DIRECTORY;FILE" "OUTPUTS;COMMAND" ${ARGN})
  if(NOT TARGET serbench_codec_${ARG_CODEC})
    return()
  endif()
  list(TRANSFORM ARG_OUTPUTS PREPEND "${ARG_DIRECTORY}/")
  list(POP_FRONT ARG_COMMAND program)
  add_custom_command(
    OUTPUT ${ARG_OUTPUTS}
    # capnp warns where PWD is not the folder that it is run in.
    COMMAND "${CMAKE_COMMAND}" -E env "PWD=${ARG_DIRECTORY}" "${SERBENCH_PROGRAM_${program}}" ${ARG_COMMAND}
    DEPENDS "${ARG_DIRECTORY}/${ARG_FILE}"
    WORKING_DIRECTORY "${ARG_DIRECTORY}"
    COMMENT "${program} ${ARG_FILE}"
    VERBATIM)
  add_library(serbench_idl_${ARG_CODEC}_${ARG_WORKLOAD} STATIC EXCLUDE_FROM_ALL ${ARG_OUTPUTS})
  target_include_directories(serbench_idl_${ARG_CODEC}_${ARG_WORKLOAD} SYSTEM PUBLIC "${ARG_DIRECTORY}")
  target_link_libraries(serbench_idl_${ARG_CODEC}_${ARG_WORKLOAD} PUBLIC serbench_codec_${ARG_CODEC})
endfunction()

# serbench_workload(WORKLOAD <name> SOURCE <file> INCLUDES ...)
# What all measuring programs of a workload have in common, compiled once; behind the codec's own objects,
# whose copies of a template the linker takes.
function(serbench_workload)
  cmake_parse_arguments(ARG "" "WORKLOAD;SOURCE" "INCLUDES" ${ARGN})
  add_library(serbench_workload_${ARG_WORKLOAD} OBJECT EXCLUDE_FROM_ALL "${ARG_SOURCE}")
  target_include_directories(serbench_workload_${ARG_WORKLOAD} PRIVATE ${ARG_INCLUDES})
  target_compile_options(serbench_workload_${ARG_WORKLOAD} PRIVATE -Wall -Wextra)
  target_link_libraries(serbench_workload_${ARG_WORKLOAD} PRIVATE serbench_runner)
endfunction()

# serbench_precompile()
# Has the harness's headers read once for all cells, where the compiler is GCC, which reads them again by
# itself for a cell that has other definitions. Not with ccache, which needs settings of its own for that,
# nor where the sources of a cell are compiled as one. Not by CMake, which would call them a system's headers,
# whose warnings nobody sees, and would read them anew in each build.
function(serbench_precompile)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_LAUNCHER OR SERBENCH_AS_ONE)
    return()
  endif()
  set(source "${serbench_runner_folder}/source")
  serbench_shared_folder(folder "${source}/headers.hpp")
  serbench_compile_shared("${folder}/headers.hpp.gch" "${source}/headers.hpp" -x c++-header)
  add_custom_target(serbench_headers DEPENDS "${folder}/headers.hpp.gch")
  # The compiler takes the compiled header from the first folder, or else the header from the second one.
  set(SERBENCH_HEADERS_FIRST "-I${folder}" "-I${source}" -include headers.hpp PARENT_SCOPE)
endfunction()

# serbench_cell(TARGET <name> CODEC <name> WORKLOAD <name> SOURCES ... MINIMAL ... INCLUDES ...)
# One measuring program; as <name>.counting the same objects linked so that allocations are counted; as
# <name>.minimal the least program that uses the codec; and where Google Benchmark was found, as
# <name>.crosscheck the measuring program with both samplers. Without the codec's library there are no
# targets.
function(serbench_cell)
  cmake_parse_arguments(ARG "" "TARGET;CODEC;WORKLOAD" "SOURCES;MINIMAL;INCLUDES" ${ARGN})
  if(NOT TARGET serbench_codec_${ARG_CODEC})
    return()
  endif()
  set(shared $<TARGET_OBJECTS:serbench_workload_${ARG_WORKLOAD}>)
  add_executable(${ARG_TARGET} EXCLUDE_FROM_ALL ${ARG_SOURCES} ${shared})
  set_target_properties(${ARG_TARGET} PROPERTIES UNITY_BUILD "${SERBENCH_AS_ONE}")
  if(TARGET serbench_headers)  # not for the least program, whose time to compile is measured
    add_dependencies(${ARG_TARGET} serbench_headers)
    target_compile_options(${ARG_TARGET} BEFORE PRIVATE ${SERBENCH_HEADERS_FIRST})
  endif()
  add_executable(${ARG_TARGET}.minimal EXCLUDE_FROM_ALL ${ARG_MINIMAL})
  target_compile_definitions(${ARG_TARGET}.minimal PRIVATE SERBENCH_LEAST)
  add_executable(${ARG_TARGET}.counting EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${ARG_TARGET}> ${shared})
  target_link_libraries(${ARG_TARGET}.counting PRIVATE serbench_counting)
  set(targets ${ARG_TARGET} ${ARG_TARGET}.minimal ${ARG_TARGET}.counting)
  if(TARGET serbench_google_benchmark)
    add_executable(${ARG_TARGET}.crosscheck EXCLUDE_FROM_ALL
      ${ARG_SOURCES} ${shared} $<TARGET_OBJECTS:serbench_google_benchmark>)
    target_compile_definitions(${ARG_TARGET}.crosscheck PRIVATE main=cell_main)
    target_link_libraries(${ARG_TARGET}.crosscheck PRIVATE benchmark::benchmark)
    set_target_properties(
      ${ARG_TARGET}.crosscheck PROPERTIES SERBENCH_DYNAMIC "${SERBENCH_CROSS_CHECK_DYNAMIC}")
    list(APPEND targets ${ARG_TARGET}.crosscheck)
  endif()
  foreach(target ${targets})
    target_include_directories(${target} PRIVATE ${ARG_INCLUDES})
    target_compile_options(${target} PRIVATE -Wall -Wextra)
    target_link_libraries(${target} PRIVATE serbench_codec_${ARG_CODEC})
    if(TARGET serbench_idl_${ARG_CODEC}_${ARG_WORKLOAD})
      target_link_libraries(${target} PRIVATE serbench_idl_${ARG_CODEC}_${ARG_WORKLOAD})
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/cells")
  endforeach()
endfunction()

# Looks for Google Benchmark, which only `doctor --cross-check` needs, and writes found/google-benchmark as
# serbench_codec does. With a shared library alone, as Debian has it, what is linked with it cannot be static.
function(serbench_google_benchmark)
  find_package(benchmark QUIET)
  unset(benchmark_DIR CACHE)  # another may be there the next time
  set(report "${CMAKE_BINARY_DIR}/found/google-benchmark")
  if(NOT TARGET benchmark::benchmark)
    file(WRITE "${report}" "missing find_package(benchmark) gives no target benchmark::benchmark\n")
    return()
  endif()
  add_library(serbench_google_benchmark OBJECT EXCLUDE_FROM_ALL source/crosscheck.cpp)
  target_compile_options(serbench_google_benchmark PRIVATE -Wall -Wextra)
  target_link_libraries(serbench_google_benchmark PRIVATE serbench_runner benchmark::benchmark)
  get_target_property(type benchmark::benchmark TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(SERBENCH_CROSS_CHECK_DYNAMIC OFF PARENT_SCOPE)
  else()
    set(SERBENCH_CROSS_CHECK_DYNAMIC ON PARENT_SCOPE)
  endif()
  file(WRITE "${report}" "found ${benchmark_VERSION}\n")
endfunction()
