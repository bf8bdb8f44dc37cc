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
  # GCC 12 sees uninitialised values that are not there once sanitizers are on. What UndefinedBehaviorSanitizer finds
  # ends the program: otherwise its tests would pass.
  target_compile_options(pairbench_flags INTERFACE -fsanitize=${PAIRBENCH_SANITIZE} -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(PAIRBENCH_SANITIZE_NOT)
    target_compile_options(pairbench_flags INTERFACE -fno-sanitize=${PAIRBENCH_SANITIZE_NOT})
  endif()
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

# register_tests(NAME): NAME_test with ctest, test by test; below a sanitizer, where starting a process takes longer than most
# tests, in four parts, whose tests scripts/ctest_summary reads from gtest/. PROCESSORS counts as in tests/end_to_end.
function(register_tests name)
  if(NOT PAIRBENCH_SANITIZE)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." PROPERTIES TIMEOUT 120 PROCESSORS 2 LABELS "${name}"
      DISCOVERY_TIMEOUT 60)
    return()
  endif()
  foreach(part RANGE 3)
    set(test ${name}.part_${part})
    add_test(NAME ${test} COMMAND ${name}_test --gtest_output=xml:${CMAKE_BINARY_DIR}/gtest/${test}.xml)
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}"
      TIMEOUT 900 PROCESSORS 2 LABELS ${name})
  endforeach()
endfunction()

# pairbench_test(NAME SOURCES file... [USES target...]): one GoogleTest program. Test code itself is not optimised in a
# release: that would take longer than it saves.
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
  register_tests(${name})
endfunction()
