# SPDX-License-Identifier: MIT
# Finds Eigen 3.4 to 5.x: the PyPI package cmeel-eigen, whose prefix lies inside a site-packages
# folder that scikit-build-core puts on CMAKE_PREFIX_PATH, or else installed in the system.
set(convtranspose_prefixes ${CMAKE_PREFIX_PATH})
foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
  if(IS_DIRECTORY "${prefix}/cmeel.prefix")
    list(APPEND convtranspose_prefixes "${prefix}/cmeel.prefix")
  endif()
endforeach()

set(convtranspose_eigen_was_known "$CACHE{Eigen3_DIR}")
if(Eigen3_DIR)
  find_package(Eigen3 CONFIG QUIET)
endif()
# One range a major version: Eigen 3.4.0 takes itself to be outside any range that ends beyond 4.
foreach(versions IN ITEMS 3.4...<4 5...<6)
  if(NOT Eigen3_FOUND)
    find_package(Eigen3 ${versions} CONFIG QUIET HINTS ${convtranspose_prefixes})
  endif()
endforeach()
if(NOT Eigen3_FOUND OR Eigen3_VERSION VERSION_LESS 3.4 OR NOT Eigen3_VERSION VERSION_LESS 6)
  message(
    FATAL_ERROR
    "convtranspose needs the headers of Eigen 3.4 or newer: install Debian's libeigen3-dev, or "
    "`pip install cmeel-eigen` and pass -DCMAKE_PREFIX_PATH=<site-packages>."
  )
endif()
set(CONVTRANSPOSE_EIGEN_VERSION "${Eigen3_VERSION}")
get_target_property(CONVTRANSPOSE_EIGEN_INCLUDE Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
message(
  STATUS
  "convtranspose: Eigen ${CONVTRANSPOSE_EIGEN_VERSION} in ${CONVTRANSPOSE_EIGEN_INCLUDE}"
)
if(NOT PROJECT_IS_TOP_LEVEL AND NOT convtranspose_eigen_was_known)
  unset(Eigen3_DIR CACHE) # the project around us looks for an Eigen of its own
endif()
