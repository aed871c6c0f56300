# SPDX-License-Identifier: MIT
# Installs the library as a CMake package: find_package(convtranspose), then link
# convtranspose::convtranspose. Component "development", so that a wheel can leave it out.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/convtranspose")
install(
  TARGETS convtranspose
  EXPORT convtransposeTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development
)
install(
  DIRECTORY
    "${PROJECT_SOURCE_DIR}/cpp/include/convtranspose"
    "${PROJECT_BINARY_DIR}/cpp/include/convtranspose"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.hpp"
)
install(
  EXPORT convtransposeTargets
  NAMESPACE convtranspose::
  DESTINATION "${package_dir}"
  COMPONENT development
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
  COMPONENT development
)
install(
  FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT development
)
