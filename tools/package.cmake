# What `cmake --install` and cpack make of the program: bin/ and lib/sonde/, which find each other wherever they are put.
set(SONDE_PACKAGE_PYTHON "3.11;3.13" CACHE STRING "Versions of Python that a package brings the report's packages along for")

# Of fmt, spdlog, hwloc and the C++ library no package has to be there then, whose names differ from one version of Debian
# to the next. A C++ library of our own, beside a driver's that needs a newer one, would keep that driver from loading.
if(SONDE_PACKAGE)
  set_target_properties(spdlog::spdlog_header_only PROPERTIES INTERFACE_LINK_LIBRARIES "Threads::Threads;fmt::fmt-header-only")
  add_library(sonde_no_udev STATIC tools/no_udev.c)
  target_link_options(sonde_options INTERFACE -static-libstdc++ -static-libgcc)
endif()

# as_packaged(LIST): the libraries of a layer, those that a package has inside in that form.
function(as_packaged list)
  set(libraries ${${list}})
  if(SONDE_PACKAGE)
    list(TRANSFORM libraries REPLACE "^fmt::fmt$" "fmt::fmt-header-only")
    list(TRANSFORM libraries REPLACE "^spdlog::spdlog$" "spdlog::spdlog_header_only")
    list(TRANSFORM libraries REPLACE "^PkgConfig::HWLOC$" "sonde_hwloc")
  endif()
  set(${list} ${libraries} PARENT_SCOPE)
endfunction()

# install_sonde(): after all targets are known.
function(install_sonde)
  install(TARGETS sonde RUNTIME DESTINATION bin)
  install(PROGRAMS tools/sonde-report tools/sonde-compare DESTINATION lib/sonde)
  install(FILES tools/start_python.py DESTINATION lib/sonde)
  install(DIRECTORY tools/sonde_tools DESTINATION lib/sonde PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY docs/method DESTINATION lib/sonde) # whose summaries the report shows
  install(FILES README.md DESTINATION share/doc/sonde)
  install(FILES LICENSE DESTINATION share/doc/sonde RENAME copyright)
  if(NOT SONDE_PACKAGE)
    return()
  endif()
  # What is linked in may be passed on with its licence.
  foreach(library libfmt-dev libspdlog-dev libhwloc-dev libcli11-dev nlohmann-json3-dev libeigen3-dev libvulkan-volk-dev)
    install(FILES /usr/share/doc/${library}/copyright DESTINATION share/doc/sonde/licences RENAME ${library} OPTIONAL)
  endforeach()

  set(manual ${CMAKE_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/complete
    COMMAND ${CMAKE_SOURCE_DIR}/tools/manual.py ${manual} ${PROJECT_VERSION} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:sonde>
    COMMAND ${CMAKE_COMMAND} -E touch ${manual}/complete
    DEPENDS sonde tools/manual.py tools/sonde_tools/report.py tools/sonde_tools/compare/command.py VERBATIM)
  set(python ${CMAKE_BINARY_DIR}/python)
  add_custom_command(OUTPUT ${python}/complete
    COMMAND ${CMAKE_SOURCE_DIR}/.venv/bin/python ${CMAKE_SOURCE_DIR}/tools/gather_wheels.py ${python} ${SONDE_PACKAGE_PYTHON}
    COMMAND ${CMAKE_COMMAND} -E touch ${python}/complete
    DEPENDS tools/gather_wheels.py tools/requirements.txt VERBATIM)
  add_custom_target(sonde_package_parts ALL DEPENDS ${manual}/complete ${python}/complete)
  install(DIRECTORY ${manual}/man1 DESTINATION share/man)
  install(FILES ${manual}/sonde.bash DESTINATION share/bash-completion/completions RENAME sonde)
  install(FILES ${manual}/_sonde DESTINATION share/zsh/vendor-completions)
  install(DIRECTORY ${python} DESTINATION lib/sonde PATTERN complete EXCLUDE)
endfunction()

# pack_sonde(): what cpack makes: a Debian package and a tarball, of which both are files of one name in build/package.
macro(pack_sonde)
  set(CPACK_GENERATOR DEB TGZ)
  set(CPACK_PACKAGE_NAME sonde)
  set(CPACK_PACKAGE_CONTACT "the authors of Sonde <sonde@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures what GPUs and CPUs really do with memory")
  set(CPACK_PACKAGE_DESCRIPTION "Latency, bandwidth and caches of GPUs, iGPUs and CPUs, through OpenCL, Vulkan and native code, with how sure each number is, as record files, pictures and comparisons.")
  set(CPACK_STRIP_FILES TRUE)
  set(CPACK_THREADS 0)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
  # What is linked is found by dpkg-shlibdeps; the loaders of OpenCL and Vulkan are opened by name.
  set(CPACK_SONDE_BUILD ${CMAKE_BINARY_DIR})
  set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/tools/package_depends.cmake)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "ocl-icd-libopencl1 | libopencl1, libvulkan1, python3 (>= 3.11)")
  # Drivers for the CPU, so that there is a device without a GPU. Who has other drivers can do without.
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "pocl-opencl-icd, mesa-vulkan-drivers")
  include(CPack)
endmacro()
