# SPDX-License-Identifier: MIT
# The C interface from C and from Python's ctypes.
enable_language(C)
add_executable(convtranspose_test_c_program c_program.c)
set_target_properties(
  convtranspose_test_c_program
  PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF LINKER_LANGUAGE CXX
)
target_link_libraries(convtranspose_test_c_program PRIVATE convtranspose::convtranspose)
if(NOT MSVC)
  target_compile_options(
    convtranspose_test_c_program
    PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  )
endif()
if(CONVTRANSPOSE_SANITIZE)
  target_link_options(convtranspose_test_c_program PRIVATE -fsanitize=${CONVTRANSPOSE_SANITIZE})
endif()
add_test(NAME c_program COMMAND convtranspose_test_c_program)

# A static library exports nothing. So its C functions are compiled once more, to be exported: that
# is also how a program gives them to its plugins.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(WIN32 OR CMAKE_CROSSCOMPILING OR CONVTRANSPOSE_SANITIZE OR NOT Python3_Interpreter_FOUND)
  return()
endif()
set(library convtranspose)
if(NOT CONVTRANSPOSE_SHARED)
  set(library convtranspose_test_exported_c_api)
  add_library(
    ${library}
    MODULE
    ${PROJECT_SOURCE_DIR}/cpp/src/c_api.cpp
    ${PROJECT_SOURCE_DIR}/cpp/src/c_api_call.cpp
    ${PROJECT_SOURCE_DIR}/cpp/src/c_api_plan.cpp
  )
  target_include_directories(
    ${library}
    PRIVATE
      ${PROJECT_SOURCE_DIR}/cpp/include
      ${PROJECT_BINARY_DIR}/cpp/include
      ${PROJECT_SOURCE_DIR}/cpp/src
  )
  target_link_libraries(
    ${library}
    PRIVATE $<TARGET_FILE:convtranspose> convtranspose_options Threads::Threads
  )
  add_dependencies(${library} convtranspose)
endif()
add_test(
  NAME ctypes
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/ctypes_c_api.py $<TARGET_FILE:${library}>
)
