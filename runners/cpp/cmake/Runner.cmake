# The measuring programs of C and C++ without their cells: how libraries are found, and the part that knows no
# codec. The project that includes this has set the edition of its language.
include("${CMAKE_CURRENT_LIST_DIR}/Serbench.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Shared.cmake")
get_filename_component(serbench_runner_folder "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "${SERBENCH_FLAGS}")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Every executable is linked in the same way: statically where the platform has static system libraries, so
# that calls into libraries cost the same and binary sizes compare. A codec whose library exists only as a
# shared one says so.
set(SERBENCH_SHARED_SUFFIXES ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(SERBENCH_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ".a")
  set(Boost_USE_STATIC_LIBS ON)
  set(Protobuf_USE_STATIC_LIBS ON)
endif()
file(GLOB conan_packages LIST_DIRECTORIES true "${SERBENCH_CONAN}/full_deploy/host/*/*")
list(APPEND CMAKE_PREFIX_PATH ${conan_packages})
if(DEFINED ENV{SERBENCH_PREFIX})
  list(PREPEND CMAKE_PREFIX_PATH "$ENV{SERBENCH_PREFIX}")
endif()

set(serbench_runner_sources
  runner inputs sampler threads clock usage output operations updating dataset edits watching left place
  guarded isolated single_calls)
list(TRANSFORM serbench_runner_sources REPLACE "(.+)" "${serbench_runner_folder}/source/\\1.cpp")
serbench_shared_objects(serbench_runner_objects ${serbench_runner_sources})
add_library(serbench_runner STATIC "${serbench_runner_folder}/source/compiler.cpp" ${serbench_runner_objects})
target_include_directories(serbench_runner PUBLIC "${serbench_runner_folder}/include")
target_compile_options(serbench_runner PRIVATE -Wall -Wextra)
find_package(Threads QUIET)
target_link_libraries(serbench_runner PUBLIC Threads::Threads)
# For the one source that is compiled in each build, since languages differ in it.
target_compile_definitions(serbench_runner PRIVATE
  SERBENCH_COMPILER="${SERBENCH_COMPILED_BY}")

# The additions to executables that count allocations: the allocator's functions, and the linker's turn to
# them.
add_library(serbench_counting OBJECT EXCLUDE_FROM_ALL "${serbench_runner_folder}/source/counting.cpp")
target_include_directories(serbench_counting PRIVATE "${serbench_runner_folder}/include")
target_compile_options(serbench_counting PRIVATE -Wall -Wextra)
foreach(function malloc calloc realloc aligned_alloc memalign posix_memalign)
  target_link_options(serbench_counting INTERFACE "LINKER:--wrap=${function}")
endforeach()

# The program that starts a runner whose peak memory is measured; the smaller the better.
add_executable(serbench_peak EXCLUDE_FROM_ALL "${serbench_runner_folder}/source/peak.cpp")
target_compile_options(serbench_peak PRIVATE -Wall -Wextra)
if(SERBENCH_STATIC)
  target_link_options(serbench_peak PRIVATE -static)
endif()
