# Installs the contract as the package `reeve` with the target reeve::policy, named by a digest of
# its headers, so that a plug-in that was built against another contract is refused.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

file(GLOB contract_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/policies/api/include/reeve/policy/*.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${contract_headers})
set(contract_digests)
foreach(header IN LISTS contract_headers)
  file(SHA256 ${header} digest)
  string(APPEND contract_digests ${digest})
endforeach()
string(SHA256 REEVE_CONTRACT_DIGEST ${contract_digests})
string(SUBSTRING ${REEVE_CONTRACT_DIGEST} 0 16 REEVE_CONTRACT_DIGEST)
configure_file(cmake/contract_id.hpp.in generated/reeve/policy/contract_id.hpp @ONLY)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/reeve)
install(TARGETS reeve_policy EXPORT reeveTargets)
install(EXPORT reeveTargets NAMESPACE reeve:: DESTINATION ${package_dir})
configure_package_config_file(cmake/reeveConfig.cmake.in generated/reeveConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/reeveConfigVersion.cmake
  COMPATIBILITY ExactVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/reeveConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/reeveConfigVersion.cmake DESTINATION ${package_dir})
install(DIRECTORY policies/api/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/generated/reeve/policy/contract_id.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/reeve/policy)
