# cpack includes it for each kind of package: asks dpkg-shlibdeps what the program needs. Of the wheels that come along it
# would know nothing, as they have libraries of their own inside; manylinux lets them expect the few that are named here.
if(CPACK_GENERATOR STREQUAL DEB)
  set(folder ${CPACK_SONDE_BUILD}/shlibdeps)
  file(WRITE ${folder}/debian/control "Source: sonde\n\nPackage: sonde\nArchitecture: any\n")
  execute_process(COMMAND dpkg-shlibdeps -O -e${CPACK_SONDE_BUILD}/sonde WORKING_DIRECTORY ${folder}
                  OUTPUT_VARIABLE found ERROR_VARIABLE said RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT found MATCHES "shlibs:Depends=([^\n]+)")
    message(FATAL_ERROR "dpkg-shlibdeps does not tell what sonde needs (tools/setup package installs it): ${status} ${said}")
  endif()
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${CMAKE_MATCH_1}, libstdc++6, libgcc-s1, zlib1g")
endif()
