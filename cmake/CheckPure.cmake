# Fails if a library of policies reaches for a clock, randomness, the environment, files, threads,
# the network or another layer; and if it holds no policy at all, for then nothing was checked.
#   cmake -DNM=nm -DLIBRARY=libreeve_policies.a -P CheckPure.cmake

cmake_minimum_required(VERSION 3.25)

function(symbols_of out)
  execute_process(COMMAND ${NM} -C ${ARGN} ${LIBRARY}
    OUTPUT_VARIABLE symbols ERROR_VARIABLE complaint RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "nm failed on ${LIBRARY}, so its purity was not checked: ${complaint}")
  endif()
  string(REGEX REPLACE "[][;]" "_" symbols "${symbols}")  # what CMake's lists would trip over
  string(REPLACE "\n" ";" symbols "${symbols}")
  set(${out} "${symbols}" PARENT_SCOPE)
endfunction()

symbols_of(defined --defined-only)
list(FILTER defined INCLUDE REGEX " [TWV] .*reeve::policies::")
list(LENGTH defined checked)
if(checked EQUAL 0)
  message(FATAL_ERROR "${LIBRARY} defines no policy: the check examined nothing")
endif()

# Of C only what computes: a list of the allowed, for the C library grows.
string(CONCAT allowed_c "^("
  "mem(cpy|move|set|cmp|chr)|bcmp|str(len|cmp|ncmp)|abort|__stack_chk_fail|__assert_fail"
  "|acos|asin|atan2?|cbrt|ceil|cosh?|erfc?|exp2?|expm1|floor|fma|fmod|frexp|hypot|l?gamma|ldexp"
  "|log(2|10|1p)?|l?lround|l?lrint|modf|nearbyint|pow|rint|round|sinh?|sqrt|tanh?|tgamma|trunc"
  "|__cxa_.*|__gxx_personality_v0|_Unwind_Resume|__dso_handle|_GLOBAL_OFFSET_TABLE_"
  "|__(asan|ubsan|sanitizer)_.*|__(start___|stop___)?sancov_.*"
  "|__dynamic_cast|__u?divti3|__u?modti3|__u?divmodti4|__mulo[dt]i4"
  "|operator (new|delete)(__)?\\(.*"
  ")(@.*)?$")

# CLP's simplex computes: it is given arrays and gives arrays back. It compares the clock with a
# limit of time alone, of which there is none unless one is set; its random numbers have a fixed
# seed; at log level 0 it is silent. Its C interface has doors as well, to files: so a list.
string(CONCAT allowed_solver "^Clp_("
  "newModel|deleteModel|loadProblem|primal|primalColumnSolution|status|setLogLevel"
  "|setOptimizationDirection|setPerturbation)$")

# Of C++ the contract, the rules and the standard library, but for its doors to the world. (A clock
# is a door where its function is called; its name alone is a part of the type of an instant.)
string(CONCAT impure
  "std::chrono::_V2::[a-z_]+::|std::random_device|std::(this_)?thread|std::mutex"
  "|std::condition_variable"
  "|std::(__basic_)?future|std::filesystem|std::locale|std::system_error|std::pmr::get_"
  "|stream<|streambuf<|std::basic_filebuf|std::ios_base|std::c(out|err|in|log)$"
  "|reeve::(sim|models|host|scenarios|experiments|report|live|app)::"
  "|boost::|curl_|nlohmann::|fmt::")

symbols_of(undefined -u)
set(found)
foreach(line IN LISTS undefined)
  if(NOT line MATCHES "^ +[Uwv] (.*)$")
    continue()  # the name of an object file
  endif()
  set(symbol "${CMAKE_MATCH_1}")
  if(symbol MATCHES "${impure}")
    string(APPEND found "\n  ${symbol}")
  elseif(symbol MATCHES "::")
    continue()
  elseif(NOT symbol MATCHES "${allowed_c}" AND NOT symbol MATCHES "${allowed_solver}")
    string(APPEND found "\n  ${symbol}")
  endif()
endforeach()
if(found)
  message(FATAL_ERROR "policies must be pure, but ${LIBRARY} refers to:${found}\n")
endif()
message(STATUS "${LIBRARY}: ${checked} definitions of policies, all pure")
