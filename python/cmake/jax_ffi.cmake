# SPDX-License-Identifier: MIT
# XLA FFI handlers for JAX. They need three headers that the wheel of jaxlib carries, and no
# library; without them convtranspose.jax works through callbacks into Python instead.
set(
  CONVTRANSPOSE_JAX_FFI
  "AUTO"
  CACHE STRING
  "Build XLA FFI handlers for JAX: ON, OFF, or AUTO, which is where jaxlib's headers are found"
)
set_property(CACHE CONVTRANSPOSE_JAX_FFI PROPERTY STRINGS AUTO ON OFF)

if(CONVTRANSPOSE_JAX_FFI)
  find_path(
    CONVTRANSPOSE_JAXLIB_INCLUDE
    xla/ffi/api/ffi.h
    HINTS ${Python_SITEARCH} ${Python_SITELIB} ${CMAKE_PREFIX_PATH}
    PATH_SUFFIXES jaxlib/include
    DOC "Folder of jaxlib's headers: what jax.ffi.include_dir() returns"
    NO_CMAKE_SYSTEM_PATH
  )
  if(CONVTRANSPOSE_JAXLIB_INCLUDE)
    target_sources(_core PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src/jax_ffi.cpp")
    target_include_directories(_core SYSTEM PRIVATE "${CONVTRANSPOSE_JAXLIB_INCLUDE}")
    # GCC takes c_api.h's fields, named like their types, for an error; Clang and MSVC do not.
    set_source_files_properties(
      src/jax_ffi.cpp
      PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-fpermissive>"
    )
    target_compile_definitions(_core PRIVATE CONVTRANSPOSE_HAS_JAX_FFI)
  elseif(NOT CONVTRANSPOSE_JAX_FFI STREQUAL "AUTO")
    message(
      FATAL_ERROR
      "CONVTRANSPOSE_JAX_FFI=${CONVTRANSPOSE_JAX_FFI} needs jaxlib's headers: `pip install jaxlib`, "
      "or pass -DCONVTRANSPOSE_JAXLIB_INCLUDE=<what jax.ffi.include_dir() returns>."
    )
  endif()
  message(STATUS "convtranspose: XLA FFI headers in ${CONVTRANSPOSE_JAXLIB_INCLUDE}")
endif()
