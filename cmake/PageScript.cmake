# Bundles the script of the report page, with the charts of ECharts that it uses, into a source of
# a target. Run as a script (cmake -P) it makes the bundle: npm fetches what package-lock.json has.

# page_script(<target>): report::page_script() of report/page/parts.hpp.
function(page_script target)
  set(web ${PROJECT_SOURCE_DIR}/report/page/web)
  set(source ${PROJECT_BINARY_DIR}/generated/page_script.cpp)
  file(GLOB scripts CONFIGURE_DEPENDS ${web}/*.js)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DWORK=${PROJECT_BINARY_DIR}/page -DSOURCE=${source}
            -P ${PROJECT_SOURCE_DIR}/cmake/PageScript.cmake
    DEPENDS ${scripts} ${web}/package-lock.json ${PROJECT_SOURCE_DIR}/cmake/PageScript.cmake
    COMMENT "Bundling the script of the report page" VERBATIM)
  reeve_real_target(target ${target})
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

function(run_in_work)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${output}\nThe report page was not bundled. It needs the npm registry.")
  endif()
endfunction()

find_program(NPM npm)
if(NOT NPM)
  message(FATAL_ERROR "npm is missing: it fetches ECharts for the report page. "
                      "./setup install installs it")
endif()
file(MAKE_DIRECTORY ${WORK})
file(GLOB texts ${WEB}/*.js ${WEB}/*.json)
file(GLOB old_texts ${WORK}/*.js ${WORK}/*.json)
if(old_texts)
  file(REMOVE ${old_texts})
endif()
file(COPY ${texts} DESTINATION ${WORK})
file(SHA256 ${WEB}/package-lock.json wanted)
set(installed)
if(EXISTS ${WORK}/installed)
  file(READ ${WORK}/installed installed)
endif()
if(NOT installed STREQUAL wanted)
  run_in_work(${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline)
  file(WRITE ${WORK}/installed ${wanted})
endif()
run_in_work(${NPM} exec --offline -- esbuild main.js --bundle --minify --format=iife
  --target=es2020 --charset=utf8 --legal-comments=inline --outfile=bundle.out)

file(READ ${WORK}/bundle.out text)
file(WRITE ${SOURCE} "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
  "#include \"report/page/parts.hpp\"\n\nnamespace reeve::report {\n\n"
  "std::string_view page_script() {\n  static constexpr char text[] =\n"
  "R\"bundled(${text})bundled\";\n  return {text, sizeof text - 1};\n}\n\n"
  "}  // namespace reeve::report\n")
