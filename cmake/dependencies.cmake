# What the project stands on, all from the system (or a prefix in CMAKE_PREFIX_PATH).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3.9 REQUIRED)

# Standalone Asio is headers alone and ships no CMake package.
find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
add_library(asio INTERFACE)
target_include_directories(asio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
target_compile_definitions(asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
target_link_libraries(asio INTERFACE Threads::Threads)

# libfabric has only a pkg-config file; pkg_check_modules looks below CMAKE_PREFIX_PATH too.
set(PAIRBENCH_WITH_LIBFABRIC OFF)
if(NOT PAIRBENCH_LIBFABRIC STREQUAL "OFF")
  find_package(PkgConfig REQUIRED)
  if(PAIRBENCH_LIBFABRIC STREQUAL "ON")
    pkg_check_modules(libfabric REQUIRED IMPORTED_TARGET libfabric>=1.17)
  else()
    pkg_check_modules(libfabric IMPORTED_TARGET libfabric>=1.17)
  endif()
  if(libfabric_FOUND)
    set(PAIRBENCH_WITH_LIBFABRIC ON)
  endif()
endif()
message(STATUS "pairbench: libfabric transport ${PAIRBENCH_WITH_LIBFABRIC} ${libfabric_VERSION}")

if(PAIRBENCH_TESTS)
  find_package(GTest REQUIRED)
endif()
if(PAIRBENCH_MICRO)
  find_package(benchmark REQUIRED)
endif()
