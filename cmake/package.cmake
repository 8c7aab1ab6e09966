# What `cmake --install` installs, and the Debian package: cd build/release && cpack -G DEB
include(CMakePackageConfigHelpers)
file(RELATIVE_PATH PERCUSS_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/percuss.pc.in ${CMAKE_CURRENT_BINARY_DIR}/percuss.pc @ONLY)
set(PERCUSS_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/percuss)
configure_package_config_file(cmake/percussConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/percussConfig.cmake INSTALL_DESTINATION ${PERCUSS_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/percussConfigVersion.cmake COMPATIBILITY SameMajorVersion)

# Made by the program, from the tables that it reads configs and the command line by.
add_custom_command(TARGET percuss POST_BUILD
  COMMAND percuss --man > percuss.1 COMMAND gzip -9nkf percuss.1
  COMMAND percuss schema > percuss.schema.json WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} VERBATIM)

set(PERCUSS_DATA ${CMAKE_INSTALL_DATADIR}/percuss)
set(PERCUSS_DOC ${CMAKE_INSTALL_DATADIR}/doc/percuss)
install(TARGETS percuss RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS percuss_shared EXPORT percuss LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT percuss FILE percussTargets.cmake NAMESPACE percuss:: DESTINATION ${PERCUSS_CMAKE_DIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/percussConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/percussConfigVersion.cmake DESTINATION ${PERCUSS_CMAKE_DIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/percuss.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES include/percuss/percuss.h include/percuss/mechanism.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/percuss) # the others are internal
install(DIRECTORY configs meshes postprocess DESTINATION ${PERCUSS_DATA} PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY python/percuss DESTINATION ${PERCUSS_DATA}/python PATTERN "__pycache__" EXCLUDE)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/percuss.schema.json DESTINATION ${PERCUSS_DATA})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/percuss.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES src/cli/percuss.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME percuss)
install(DIRECTORY docs/ DESTINATION ${PERCUSS_DOC})
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${PERCUSS_DOC})
install(FILES LICENSE DESTINATION ${PERCUSS_DOC} RENAME copyright)
# Debian's Python finds the package where its packages are; elsewhere: PYTHONPATH=PREFIX/share/percuss/python, or pip.
install(CODE "if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
  file(MAKE_DIRECTORY \$ENV{DESTDIR}/usr/lib/python3/dist-packages)
  file(CREATE_LINK ../../../${PERCUSS_DATA}/python/percuss \$ENV{DESTDIR}/usr/lib/python3/dist-packages/percuss SYMBOLIC)
endif()")

set(CPACK_PACKAGE_CONTACT "the percuss authors <percuss@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "nonsmooth finite-element dynamics with impact and friction")
set(CPACK_PACKAGE_DESCRIPTION "percuss computes the motion of flexible bars, trusses, beams, rotors and solids,\nand of multibody systems and mechanisms, with impact and dry friction.\nModels are YAML files, results CSV tables and VTK frames.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-vtk9, python3-pandas, python3-yaml, paraview, openmpi-bin")
include(CPack)
