# SPDX-License-Identifier: MIT
# cmake -DNM=... -DOBJDUMP=... -DLIBRARY=<shared library> -DSONAME=<name> -P check_exports.cmake
#
# A shared library offers what its headers declare and nothing else, under a name that has the
# version of its interface.
execute_process(
  COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
  OUTPUT_VARIABLE table
  COMMAND_ERROR_IS_FATAL ANY
)
string(REPLACE "\n" ";" lines "${table}")
set(faults "")
set(seen 0)
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([^ ]+) [A-Za-z]")
    continue()
  endif()
  math(EXPR seen "${seen} + 1")
  set(symbol "${CMAKE_MATCH_1}")
  # C's functions; C++'s, and their classes' type information.
  if(
    NOT symbol MATCHES "^convtranspose_[a-z0-9_]+$|^_ZNK?13convtranspose|^_ZT[ISV]N13convtranspose"
  )
    string(APPEND faults "\n  ${line}")
  endif()
endforeach()
if(seen EQUAL 0 OR faults)
  message(FATAL_ERROR "${seen} symbols; not of the interface:${faults}")
endif()

execute_process(
  COMMAND ${OBJDUMP} --private-headers ${LIBRARY}
  OUTPUT_VARIABLE headers
  COMMAND_ERROR_IS_FATAL ANY
)
if(NOT headers MATCHES "SONAME +([^\n]+)\n" OR NOT CMAKE_MATCH_1 STREQUAL SONAME)
  message(FATAL_ERROR "soname: expected ${SONAME}, got ${CMAKE_MATCH_1}")
endif()
message(STATUS "${SONAME}: ${seen} symbols, all of the interface")
