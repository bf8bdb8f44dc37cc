# The page of `pairbench report`: style, programs and a chart library in one file, embedded as C++. The library comes from
# the npm registry into the build folder, by the lock file; nothing of it is in the checkout. Sets PAIRBENCH_WITH_REPORT.

set(page_folder ${PROJECT_SOURCE_DIR}/src/report/page)
set(page_work ${CMAKE_BINARY_DIR}/report_page)

# Sets `problem` to why the packages could not be had; empty: they are there. They are fetched again when the lock changes.
function(fetch_page_packages problem)
  find_program(NPM_EXECUTABLE npm)
  find_program(NODE_EXECUTABLE NAMES node nodejs)
  set(${problem} "npm was not found" PARENT_SCOPE)
  if(NOT NPM_EXECUTABLE OR NOT NODE_EXECUTABLE)
    return()
  endif()
  set(${problem} "" PARENT_SCOPE)
  file(SHA256 ${page_folder}/package-lock.json wanted)
  set(fetched "")
  if(EXISTS ${page_work}/fetched)
    file(READ ${page_work}/fetched fetched)
  endif()
  if(fetched STREQUAL wanted)
    return()
  endif()
  file(COPY ${page_folder}/package.json ${page_folder}/package-lock.json DESTINATION ${page_work})
  execute_process(COMMAND ${NPM_EXECUTABLE} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
    WORKING_DIRECTORY ${page_work} TIMEOUT 120 RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    string(REGEX MATCH "code E[A-Z0-9]+" code "${said}")
    set(${problem} "npm ci: exit status ${status} ${code}; try it: cd ${page_work} && npm ci" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${page_work}/fetched ${wanted})
endfunction()

set(PAIRBENCH_WITH_REPORT OFF)
if(NOT PAIRBENCH_REPORT STREQUAL "OFF")
  fetch_page_packages(page_problem)
  if(NOT page_problem)
    set(PAIRBENCH_WITH_REPORT ON)
  elseif(PAIRBENCH_REPORT STREQUAL "ON")
    message(FATAL_ERROR "The page of `pairbench report` cannot be built: ${page_problem}")
  else()
    message(STATUS "The page of `pairbench report` is left out: ${page_problem}")
  endif()
endif()
message(STATUS "pairbench: report page ${PAIRBENCH_WITH_REPORT}")

# pairbench_page(TARGET): adds the source of page_shell(), which holds the page or says what is missing.
function(pairbench_page target)
  if(NOT PAIRBENCH_WITH_REPORT)
    target_sources(${target} PRIVATE no_page_shell.cc)
    return()
  endif()
  set(shell ${page_work}/page_shell.cc)
  file(GLOB sources CONFIGURE_DEPENDS ${page_folder}/*.html ${page_folder}/*.css ${page_folder}/*.js ${page_folder}/*.mjs)
  add_custom_command(OUTPUT ${shell}
    COMMAND ${NODE_EXECUTABLE} ${page_folder}/assemble.mjs ${page_work}/node_modules ${shell}
    DEPENDS ${sources} ${page_work}/fetched
    COMMENT "Assembling the report's page" VERBATIM)
  set_source_files_properties(${shell} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_folder}/package-lock.json)
  target_sources(${target} PRIVATE ${shell})
endfunction()
