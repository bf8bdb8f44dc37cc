# A room is a folder of src and one static library. It may use the rooms it names, and no others
# (tests/tools/check_includes.py holds every #include against the table in docs/architecture.md).

add_library(pairbench_flags INTERFACE)
target_compile_options(pairbench_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping and endless copies in `"text" + string` (GCC bug 105651).
  target_compile_options(pairbench_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds)
endif()
if(PAIRBENCH_WERROR)
  target_compile_options(pairbench_flags INTERFACE -Werror)
endif()
if(PAIRBENCH_SANITIZE)
  # GCC 12 sees uninitialised values that are not there once sanitizers are on.
  target_compile_options(pairbench_flags INTERFACE -fsanitize=${PAIRBENCH_SANITIZE}
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(pairbench_flags INTERFACE -fsanitize=${PAIRBENCH_SANITIZE})
endif()

# What most files of the outer rooms read first, and what takes most of their compile time.
set(PAIRBENCH_HEAVY_HEADERS <nlohmann/json.hpp> <fmt/format.h> <algorithm> <chrono> <functional> <map> <memory>
  <optional> <string> <vector>)

# pairbench_room(NAME SOURCES file... [USES target...] [PRECOMPILED]): PRECOMPILED parses the heavy headers once,
# where files are not compiled together anyway (CMAKE_UNITY_BUILD).
function(pairbench_room name)
  cmake_parse_arguments(ROOM "PRECOMPILED" "" "SOURCES;USES" ${ARGN})
  add_library(pairbench_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(pairbench_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(pairbench_${name} PUBLIC ${ROOM_USES} PRIVATE pairbench_flags)
  if(ROOM_PRECOMPILED AND NOT CMAKE_UNITY_BUILD)
    target_precompile_headers(pairbench_${name} PRIVATE ${PAIRBENCH_HEAVY_HEADERS})
  endif()
endfunction()

# pairbench_test(NAME SOURCES file... [USES target...]): one GoogleTest program, registered test by test. Test code itself
# is not optimised in a release: that would take longer than it saves. PROCESSORS counts as in tests/end_to_end.
function(pairbench_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES})
  add_dependencies(room_tests ${name}_test)
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_test PRIVATE ${TEST_USES} GTest::gtest_main pairbench_flags)
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O0>)
  if(NOT CMAKE_UNITY_BUILD)
    target_precompile_headers(${name}_test PRIVATE ${PAIRBENCH_HEAVY_HEADERS} <gtest/gtest.h>)
  endif()
  set(timeout 120)
  if(PAIRBENCH_SANITIZE)
    set(timeout 600)
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}." PROPERTIES TIMEOUT ${timeout} PROCESSORS 2 LABELS "${name}"
    DISCOVERY_TIMEOUT 60)
endfunction()
