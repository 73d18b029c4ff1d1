# What is installed and packed: the program with its manual page and completions, and the contract
# for plug-ins.  `./setup package` packs a tar.gz and a deb for Linux x86-64.
include(GNUInstallDirs)

# The program writes its own page and completions.
set(texts ${PROJECT_BINARY_DIR}/package)
file(MAKE_DIRECTORY ${texts})
set(outputs)
foreach(text IN ITEMS "man=reeve.1" "completion bash=reeve.bash" "completion zsh=_reeve"
                      "completion fish=reeve.fish")
  string(REGEX MATCH "^(.*)=(.*)$" _ ${text})
  separate_arguments(command UNIX_COMMAND ${CMAKE_MATCH_1})
  set(output ${texts}/${CMAKE_MATCH_2})
  add_custom_command(OUTPUT ${output} COMMAND reeve ${command} > ${output} DEPENDS reeve VERBATIM)
  list(APPEND outputs ${output})
endforeach()
add_custom_target(package_texts ALL DEPENDS ${outputs})

install(TARGETS reeve COMPONENT reeve)
install(FILES ${texts}/reeve.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT reeve)
install(FILES ${texts}/reeve.bash RENAME reeve
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT reeve)
install(FILES ${texts}/_reeve
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT reeve)
install(FILES ${texts}/reeve.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT reeve)
install(FILES LICENSE README.md ARCHITECTURE.md CONTRIBUTING.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT reeve)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT reeve)

# The licences of what is linked statically, as Debian states them.
set(licenses ${texts}/third-party-licenses.txt)
file(WRITE ${licenses} "Licences of the libraries in this program.\n")
foreach(package IN ITEMS nlohmann-json3-dev libcli11-dev libfmt-dev zlib1g-dev libxxhash-dev
                         libmbedtls-dev nettle-dev libre2-dev libboost-dev libeigen3-dev
                         coinor-libclp-dev coinor-libcoinutils-dev libstdc++-12-dev)
  set(copyright /usr/share/doc/${package}/copyright)
  if(EXISTS ${copyright})
    file(READ ${copyright} text)
    file(APPEND ${licenses} "\n==== ${package}\n\n${text}")
  endif()
endforeach()
foreach(license IN ITEMS Apache-2.0 LGPL-3 GPL-3)  # those that the texts above refer to
  if(EXISTS /usr/share/common-licenses/${license})
    file(READ /usr/share/common-licenses/${license} text)
    file(APPEND ${licenses} "\n==== ${license}\n\n${text}")
  endif()
endforeach()
install(FILES ${licenses} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT reeve)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME reeve)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Backtests the rules that govern ML training fleets")
set(CPACK_PACKAGE_CONTACT "The reeve project")
set(CPACK_PACKAGE_FILE_NAME reeve-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_DEBIAN_FILE_NAME reeve_${PROJECT_VERSION}_amd64.deb)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The reeve project <reeve@localhost>")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34)")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_STRIP_FILES ON)
include(CPack)
