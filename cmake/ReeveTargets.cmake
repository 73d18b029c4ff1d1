# reeve_pure_library, reeve_library, reeve_program, reeve_test: one place for warnings, determinism
# flags and sanitizers.

find_program(REEVE_CCACHE ccache)
if(REEVE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Two checkouts of the same text share what was compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${REEVE_CCACHE})
endif()

# A compiler that folds log(2.0) itself may round otherwise than the C library does at run time, and
# what is folded depends on what was inlined: the C library alone computes these.
set(REEVE_LIBM_ONLY)
foreach(function acos asin atan atan2 cbrt cos cosh erf erfc exp exp2 expm1 hypot lgamma log log10
                 log1p log2 pow sin sinh tan tanh tgamma)
  list(APPEND REEVE_LIBM_ONLY -fno-builtin-${function})
endforeach()

# Presets with CMAKE_UNITY_BUILD compile this many sources as one: headers are most of the work.
# A larger batch makes a clean build cheaper and a small change dearer.  g++ takes twice as many of
# a library, but for policies: a changed rule is to be built in seconds.
set(REEVE_BATCH 12)
set(REEVE_LIBRARY_BATCH 12)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(REEVE_LIBRARY_BATCH 24)
endif()

# A quick build is made once, from nothing.  Its results are the same bytes.
#   core      -O1 in place of -O2: what a simulation spends its time in
#   the rest  -Os without its costly passes: a third less to compile for 10 % more code
# The headers that most sources include are compiled first, once for each of the two.  Other builds
# go without that, so that ccache serves them and a source that lacks an include is found.
option(REEVE_QUICK "Build in the least time; the program is slower" OFF)

# All rooms of a folder as one library, of few units: a quarter less to compile. A change to one
# file then costs half a minute, and two compilers at once need 4 GB of memory.
option(REEVE_MERGE_ROOMS "Compile all rooms of a folder as one library" OFF)
if(REEVE_QUICK)
  set(REEVE_MERGE_ROOMS ON)
endif()
set(REEVE_MERGED_BATCH 64)

set(REEVE_QUICK_CORE -O1)
set(REEVE_QUICK_REST -Os)
foreach(pass code-hoisting combine-stack-adjustments compare-elim cprop-registers crossjumping
             cse-follow-jumps dce devirtualize dse expensive-optimizations forward-propagate gcse
             if-conversion if-conversion2 inline-functions-called-once ipa-cp ipa-icf ipa-modref
             ipa-profile ipa-pure-const ipa-reference ipa-sra ivopts partial-inlining peephole2
             reorder-blocks rerun-cse-after-loop schedule-insns2 shrink-wrap split-wide-types
             store-merging tree-dominator-opts tree-fre tree-loop-optimize tree-pre tree-pta
             tree-slsr tree-tail-merge tree-ter tree-vrp)
  list(APPEND REEVE_QUICK_REST -fno-${pass})
endforeach()
set(REEVE_COMMON_HEADERS <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <deque>
  <filesystem> <fstream> <functional> <limits> <map> <memory> <optional> <set> <span> <sstream>
  <stdexcept> <string> <string_view> <tuple> <utility> <variant> <vector> <fmt/format.h>
  <nlohmann/json.hpp>)

function(reeve_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD_BATCH_SIZE ${REEVE_BATCH})
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
    -Wold-style-cast
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=  # the same bytes wherever the checkout stands
    -ffp-contract=off  # a fused multiply-add would make results depend on the CPU
    -ffunction-sections -fdata-sections  # so that a program can leave out what it does not use
    ${REEVE_LIBM_ONLY})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ looks for free memory less often: a fifteenth of its time for a third more memory.
    target_compile_options(${target} PRIVATE
      "SHELL:--param ggc-min-expand=1000 --param ggc-min-heapsize=400000")
  endif()
  if(CMAKE_UNITY_BUILD)
    # What these say of one source is wrong of several in one; the preset dev has them all.
    target_compile_options(${target} PRIVATE -Wno-shadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-maybe-uninitialized)
    endif()
  endif()
  if(REEVE_SANITIZE)
    # The address sanitizer reports what the three checks left out look for; without them a unit of
    # the policies compiles in 34 s instead of 48 s.
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all
      -fno-sanitize=null,alignment,object-size)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
    if(REEVE_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    else()
      # g++ takes its own instrumentation for reads of what was never written.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

# A library that sees the policy contract and nothing else: no repository root on its include path.
# Its sources are the folder's and those of the subfolders named; their headers go by plain name.
function(reeve_pure_library folder)
  cmake_parse_arguments(arg "" "" "SUBFOLDERS;LINKS;EXCEPT" ${ARGN})
  list(TRANSFORM arg_SUBFOLDERS PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  list(TRANSFORM arg_SUBFOLDERS APPEND /*.cpp OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp ${patterns})
  list(TRANSFORM arg_EXCEPT PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  list(REMOVE_ITEM sources ${arg_EXCEPT})
  if(NOT sources)
    message(FATAL_ERROR "${folder}: no sources; a folder that is empty is a mistake")
  endif()
  add_library(reeve_${folder} STATIC ${sources})
  target_link_libraries(reeve_${folder} PUBLIC ${arg_LINKS})
  target_include_directories(reeve_${folder} PRIVATE ${PROJECT_SOURCE_DIR}/${folder}
                                                     ${arg_SUBFOLDERS})
  reeve_options(reeve_${folder})
  if(REEVE_MERGE_ROOMS)
    set_target_properties(reeve_${folder} PROPERTIES UNITY_BUILD_BATCH_SIZE 40)
  endif()
  if(REEVE_QUICK)
    target_compile_options(reeve_${folder} PRIVATE ${REEVE_QUICK_CORE})
  endif()
endfunction()

# What a quick build does with a target: `part` is CORE or REST.
function(reeve_quick target part)
  if(NOT REEVE_QUICK)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${REEVE_QUICK_${part}})
  string(TOLOWER reeve_precompiled_${part} headers)
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(${headers} PRIVATE reeve_fmt nlohmann_json::nlohmann_json)
    reeve_options(${headers})
    target_compile_options(${headers} PRIVATE ${REEVE_QUICK_${part}} -w)
    target_precompile_headers(${headers} PRIVATE ${REEVE_COMMON_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  # g++ warns of the standard library's own code, which it no longer takes for a system header's.
  target_compile_options(${target} PRIVATE -w)
endfunction()

# The target that `name` stands for: with REEVE_MERGE_ROOMS a room is an alias.
function(reeve_real_target result name)
  set(real ${name})
  if(TARGET ${name})
    get_target_property(aliased ${name} ALIASED_TARGET)
    if(aliased)
      set(real ${aliased})
    endif()
  endif()
  set(${result} ${real} PARENT_SCOPE)
endfunction()

# The library of reeve_library, which calls it, without sources.
macro(reeve_add_library target)
  add_library(${target} STATIC)
  target_include_directories(${target} PUBLIC ${root})
  reeve_options(${target})
  set(batch ${REEVE_LIBRARY_BATCH})
  if(arg_COLD OR arg_BUSY)
    target_compile_options(${target}
      PRIVATE $<IF:$<CONFIG:Release>,-Os,$<IF:$<BOOL:${arg_BUSY}>,-O1,-O0>>)
    math(EXPR batch "2 * ${REEVE_LIBRARY_BATCH}")
  endif()
  if(REEVE_MERGE_ROOMS)
    set(batch ${REEVE_MERGED_BATCH})
  endif()
  if(arg_CORE)
    reeve_quick(${target} CORE)
  else()
    reeve_quick(${target} REST)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${batch})
endmacro()

# A library of one folder: every .cpp in it, with the repository root on the include path; that of
# a/b is reeve_a_b. A folder of headers alone is an INTERFACE library. How it is compiled:
#   CORE  a simulation spends its time there
#   COLD  it runs a few times per command: in a release it is optimised for size, else not at all
#   BUSY  the same, but tests spend minutes there: it is always optimised
# With REEVE_MERGE_ROOMS all rooms of a folder that are compiled alike are one library, but for
# those that are ALONE.
function(reeve_library folder)
  cmake_parse_arguments(arg "CORE;COLD;BUSY;ALONE" "" "LINKS;EXCEPT;ROOMS" ${ARGN})
  set(root ${PROJECT_SOURCE_DIR})
  list(TRANSFORM arg_ROOMS PREPEND ${root}/${folder}/)
  list(TRANSFORM arg_ROOMS APPEND /*.cpp OUTPUT_VARIABLE in_rooms)
  file(GLOB sources CONFIGURE_DEPENDS ${root}/${folder}/*.cpp ${in_rooms})
  file(GLOB headers CONFIGURE_DEPENDS ${root}/${folder}/*.hpp)
  string(REPLACE / _ name ${folder})
  list(TRANSFORM arg_EXCEPT PREPEND ${root}/${folder}/)
  list(REMOVE_ITEM sources ${arg_EXCEPT})
  if(sources)
    set(target reeve_${name})
    if(REEVE_MERGE_ROOMS AND NOT arg_ALONE)  # ./setup names two of these
      string(REGEX REPLACE "/.*" "" top ${folder})
      set(target reeve_${top}_rooms)
      foreach(kind IN ITEMS CORE COLD BUSY)
        if(arg_${kind})
          string(TOLOWER ${target}_${kind} target)
        endif()
      endforeach()
    endif()
    if(NOT TARGET ${target})
      reeve_add_library(${target})
    endif()
    if(NOT target STREQUAL reeve_${name})
      add_library(reeve_${name} ALIAS ${target})
    endif()
    target_sources(${target} PRIVATE ${sources})
    foreach(link IN LISTS arg_LINKS)
      reeve_real_target(real ${link})
      if(NOT real STREQUAL target)
        target_link_libraries(${target} PUBLIC ${link})
      endif()
    endforeach()
  elseif(headers)
    add_library(reeve_${name} INTERFACE)
    target_link_libraries(reeve_${name} INTERFACE ${arg_LINKS})
    target_include_directories(reeve_${name} INTERFACE ${root})
    target_compile_features(reeve_${name} INTERFACE cxx_std_20)
  else()
    message(FATAL_ERROR "${folder}: no sources; a folder that is empty is a mistake")
  endif()
endfunction()

function(reeve_program target)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINKS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  reeve_options(${target})
endfunction()

# reeve is one file: of the system it needs the C library alone. The sanitizers want shared ones.
function(reeve_link_runtime_statically target)
  if(NOT REEVE_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# The tests of a program as few tests of ctest's: with sanitizers a process starts slowly. They look
# for wrong memory, not for rare worlds: a tenth of the random worlds is theirs. They run no
# published one, which takes the same path many times, and no shipped scenario: tests/same_bytes.sh
# runs those, and random worlds take the paths of a live run.
function(reeve_sharded_test name label)
  set(shards 4)
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}.${shard}_of_${shards} COMMAND ${name} --gtest_brief=1
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name}.${shard}_of_${shards} PROPERTIES LABELS ${label} TIMEOUT 1800
      ENVIRONMENT "REEVE_SEEDS=30;RC_PARAMS=max_success=30;\
GTEST_FILTER=-Published*:ExportedTotals.SumOverTheScenarios*:Live*OfShippedScenarios.*;\
GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# One GoogleTest program of every *_test.cpp under tests/FOLDERS whose path matches ONLY and does
# not match EXCEPT; each TEST is a test of ctest's, but with sanitizers.
function(reeve_test name)
  cmake_parse_arguments(arg "" "LABEL;ONLY;EXCEPT" "FOLDERS;LINKS" ${ARGN})
  list(TRANSFORM arg_FOLDERS PREPEND ${PROJECT_SOURCE_DIR}/tests/ OUTPUT_VARIABLE patterns)
  list(TRANSFORM patterns APPEND /*_test.cpp)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  if(arg_ONLY)
    list(FILTER sources INCLUDE REGEX ${arg_ONLY})
  endif()
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX ${arg_EXCEPT})
  endif()
  if(NOT sources)
    message(FATAL_ERROR "tests/${arg_FOLDERS}: no *_test.cpp; a check that examines nothing is a "
                        "mistake")
  endif()
  reeve_program(${name} SOURCES ${sources}
    LINKS ${arg_LINKS} reeve_registry GTest::gmock GTest::gtest GTest::gtest_main rapidcheck
          reeve_fmt)
  target_compile_definitions(${name} PRIVATE REEVE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Unit tests are many and short: not to optimise them saves a third of their compile time. Files
  # with many random cases are optimised.
  set(level -O1)
  if(arg_LABEL STREQUAL unit)
    set(level -O0)
    set(random_cases ${sources})
    list(FILTER random_cases INCLUDE REGEX "_property_test[.]cpp$")
    if(random_cases)
      set_source_files_properties(${random_cases} PROPERTIES
        COMPILE_OPTIONS -O1 SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endif()
  target_compile_options(${name} PRIVATE ${level})
  if(REEVE_SANITIZE)
    reeve_sharded_test(${name} ${arg_LABEL})
    return()
  endif()
  gtest_discover_tests(${name}
    TEST_PREFIX ${name}.
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT 1800)
endfunction()
