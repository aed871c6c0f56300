# SPDX-License-Identifier: MIT
# Installs the library as a CMake package and for pkg-config: component "devel". The tree can be
# moved, and so be a part of a wheel.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/convtranspose")
install(
  TARGETS convtranspose
  EXPORT convtransposeTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT devel
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT devel
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT devel
)
install(
  DIRECTORY
    "${PROJECT_SOURCE_DIR}/cpp/include/convtranspose"
    "${PROJECT_BINARY_DIR}/cpp/include/convtranspose"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT devel
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*.hpp"
)
install(
  EXPORT convtransposeTargets
  NAMESPACE convtranspose::
  DESTINATION "${package_dir}"
  COMPONENT devel
)
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/convtransposeConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/convtransposeConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/convtransposeConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion
)
install(
  FILES
    "${PROJECT_BINARY_DIR}/convtransposeConfig.cmake"
    "${PROJECT_BINARY_DIR}/convtransposeConfigVersion.cmake"
  DESTINATION "${package_dir}"
  COMPONENT devel
)

# pkg-config's file tells where it lies itself, so its prefix is found from there.
set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
foreach(directory IN ITEMS LIBDIR INCLUDEDIR)
  set(pc_${directory} "${CMAKE_INSTALL_${directory}}")
  if(NOT IS_ABSOLUTE "${pc_${directory}}")
    string(PREPEND pc_${directory} "\${prefix}/")
  endif()
endforeach()
set(pc_libraries "-pthread")
set(pc_definitions "-DCONVTRANSPOSE_STATIC")
# What a C program's linker does not know: pkg-config --static.
set(pc_private ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER pc_private INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
list(REMOVE_DUPLICATES pc_private)
list(TRANSFORM pc_private PREPEND "-l")
string(REPLACE ";" " " pc_private "${pc_private}")
if(CONVTRANSPOSE_SHARED)
  set(pc_libraries "")
  set(pc_definitions "")
  set(pc_private "")
endif()
configure_file(
  "${CMAKE_CURRENT_LIST_DIR}/convtranspose.pc.in"
  "${PROJECT_BINARY_DIR}/convtranspose.pc"
  @ONLY
)
install(
  FILES "${PROJECT_BINARY_DIR}/convtranspose.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  COMPONENT devel
)

# A wheel carries its licences where wheels do.
if(NOT SKBUILD)
  install(
    FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    COMPONENT devel
  )
endif()
