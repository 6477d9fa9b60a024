# Compiles the sources of the measuring program once for the builds of all languages that share the folder
# SERBENCH_SHARED.

# serbench_shared_folder(<result> <source>...)
# The folder for what this compiler makes of these sources with these flags: named by the digest of what they
# and the headers hold, so that a file in it is as another build would make it.
function(serbench_shared_folder result)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" --version OUTPUT_VARIABLE version)
  file(GLOB_RECURSE files "${serbench_runner_folder}/include/*")
  list(APPEND files ${ARGN} "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
  set(state "${CMAKE_CXX_COMPILER} ${version} ${CMAKE_CXX_FLAGS_RELEASE}")
  foreach(file IN LISTS files)
    file(SHA256 "${file}" digest)
    string(APPEND state " ${file} ${digest}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  string(SHA256 digest "${state}")
  string(SUBSTRING "${digest}" 0 16 digest)
  set(${result} "${SERBENCH_SHARED}/${digest}" PARENT_SCOPE)
endfunction()

# serbench_compile_shared(<output> <source> [<option>...])
# Compiles a source to a file in the shared folder. Ninja runs the command in each build, since its log of one
# build does not have the files of another: so the command looks whether the file is there, and moves it there
# when it is whole, since another build may look at the same time.
function(serbench_compile_shared output source)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS_RELEASE}")
  get_filename_component(folder "${output}" DIRECTORY)
  get_filename_component(name "${output}" NAME)
  string(CONCAT unless_there "output=\"$1\"; shift; "
    "test -e \"$output\" || { \"$@\" -o \"$output.$$\" && mv \"$output.$$\" \"$output\"; }")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
    COMMAND sh -c "${unless_there}" sh "${output}" "${CMAKE_CXX_COMPILER}" ${flags}
      ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} "-I${serbench_runner_folder}/include" -Wall -Wextra ${ARGN}
      -c "${source}"
    COMMENT "CMakeFiles/serbench_runner.dir/${name}"  # a name as CMake gives it, which people are told
    VERBATIM)
endfunction()

# serbench_shared_objects(<result> <source>...)
# The object files of these sources, compiled in two pieces, since reading headers is most of the work. The
# sources themselves are the result with ccache, which keeps objects itself and may give such a piece the
# paths of another checkout, and on macOS, where CMake adds flags of its own.
function(serbench_shared_objects result)
  if(CMAKE_CXX_COMPILER_LAUNCHER OR APPLE)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  serbench_shared_folder(folder ${ARGN})
  list(LENGTH ARGN count)
  math(EXPR half "${count} / 2")
  list(SUBLIST ARGN 0 ${half} first)
  list(SUBLIST ARGN ${half} -1 second)
  set(objects "")
  foreach(piece first second)
    list(TRANSFORM ${piece} REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE text)
    list(JOIN text "" text)
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/serbench_runner_${piece}.cpp" CONTENT "${text}" @ONLY)
    set(object "${folder}/serbench_runner_${piece}.o")
    serbench_compile_shared("${object}" "${CMAKE_BINARY_DIR}/serbench_runner_${piece}.cpp")
    list(APPEND objects "${object}")
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
