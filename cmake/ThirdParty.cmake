# The libraries of others, linked statically where Debian ships an archive: reeve is one file.

set(CMAKE_FIND_PACKAGE_PREFER_CONFIG OFF)
set(ZLIB_USE_STATIC_LIBS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_path(REEVE_XXHASH_INCLUDE xxhash.h REQUIRED)

# Headers of Boost and Eigen only.
find_path(REEVE_BOOST_INCLUDE boost/version.hpp REQUIRED)
add_library(reeve_boost INTERFACE)
target_include_directories(reeve_boost SYSTEM INTERFACE ${REEVE_BOOST_INCLUDE})
find_path(REEVE_EIGEN_INCLUDE Eigen/Cholesky PATH_SUFFIXES eigen3 REQUIRED)
add_library(reeve_eigen INTERFACE)
target_include_directories(reeve_eigen SYSTEM INTERFACE ${REEVE_EIGEN_INCLUDE})

find_path(REEVE_RE2_INCLUDE re2/re2.h REQUIRED)
find_library(REEVE_RE2_LIBRARY NAMES libre2.a re2 REQUIRED)
add_library(reeve_re2 INTERFACE)
target_include_directories(reeve_re2 SYSTEM INTERFACE ${REEVE_RE2_INCLUDE})
target_link_libraries(reeve_re2 INTERFACE ${REEVE_RE2_LIBRARY} Threads::Threads)

# Headers of libcurl only: the library is loaded when it is needed.
find_path(REEVE_CURL_INCLUDE curl/curl.h REQUIRED)
add_library(reeve_curl INTERFACE)
target_include_directories(reeve_curl SYSTEM INTERFACE ${REEVE_CURL_INCLUDE})

find_path(REEVE_NETTLE_INCLUDE nettle/sha2.h REQUIRED)
find_library(REEVE_NETTLE_LIBRARY NAMES libnettle.a REQUIRED)
add_library(reeve_nettle INTERFACE)
target_include_directories(reeve_nettle SYSTEM INTERFACE ${REEVE_NETTLE_INCLUDE})
target_link_libraries(reeve_nettle INTERFACE ${REEVE_NETTLE_LIBRARY})

# TLS for the program that is linked statically.
find_path(REEVE_MBEDTLS_INCLUDE mbedtls/ssl.h REQUIRED)
foreach(library IN ITEMS crypto x509 tls)
  find_library(REEVE_MBED_${library} NAMES libmbed${library}.a REQUIRED)
  add_library(reeve_mbed${library} STATIC IMPORTED)
  set_target_properties(reeve_mbed${library} PROPERTIES
    IMPORTED_LOCATION ${REEVE_MBED_${library}})
endforeach()
target_include_directories(reeve_mbedcrypto SYSTEM INTERFACE ${REEVE_MBEDTLS_INCLUDE})
target_link_libraries(reeve_mbedcrypto INTERFACE Threads::Threads)
target_link_libraries(reeve_mbedx509 INTERFACE reeve_mbedcrypto)
target_link_libraries(reeve_mbedtls INTERFACE reeve_mbedx509)

find_path(REEVE_SQLITE_INCLUDE sqlite3.h REQUIRED)
find_library(REEVE_SQLITE_LIBRARY NAMES libsqlite3.a REQUIRED)
add_library(reeve_sqlite INTERFACE)
target_include_directories(reeve_sqlite SYSTEM INTERFACE ${REEVE_SQLITE_INCLUDE})
target_link_libraries(reeve_sqlite INTERFACE
  ${REEVE_SQLITE_LIBRARY} ZLIB::ZLIB Threads::Threads m ${CMAKE_DL_LIBS})

# COIN-OR's solver of linear programmes, which asks of LAPACK what cmake/dense_factors.cpp does, so
# that it has the same answers whichever BLAS a machine has.
find_path(REEVE_CLP_INCLUDE coin/Clp_C_Interface.h REQUIRED)
find_library(REEVE_CLP_LIBRARY NAMES libClp.a REQUIRED)
find_library(REEVE_COINUTILS_LIBRARY NAMES libCoinUtils.a REQUIRED)
find_library(REEVE_BZ2_LIBRARY NAMES libbz2.a REQUIRED)
add_library(reeve_dense_factors STATIC ${PROJECT_SOURCE_DIR}/cmake/dense_factors.cpp)
reeve_options(reeve_dense_factors)
# Imported, so that what they need stands behind them on a linker's line, whoever else needs it.
add_library(reeve_coinutils STATIC IMPORTED)
set_target_properties(reeve_coinutils PROPERTIES IMPORTED_LOCATION ${REEVE_COINUTILS_LIBRARY})
target_link_libraries(reeve_coinutils INTERFACE reeve_dense_factors ${REEVE_BZ2_LIBRARY} ZLIB::ZLIB)
add_library(reeve_clp STATIC IMPORTED)
set_target_properties(reeve_clp PROPERTIES IMPORTED_LOCATION ${REEVE_CLP_LIBRARY})
target_include_directories(reeve_clp SYSTEM INTERFACE ${REEVE_CLP_INCLUDE})
target_link_libraries(reeve_clp INTERFACE reeve_coinutils)

# Debian has fmt as a shared library and as headers; compiling the headers once keeps reeve one file
# and spares every other source from compiling them again.
find_path(REEVE_FMT_INCLUDE fmt/format.h REQUIRED)
add_library(reeve_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
target_include_directories(reeve_fmt SYSTEM PUBLIC ${REEVE_FMT_INCLUDE})
target_compile_features(reeve_fmt PUBLIC cxx_std_20)
set_target_properties(reeve_fmt PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()
