# SPDX-License-Identifier: MIT
# cmake -DNM=... -DOBJECTS=<a|b|...> [-DISA=<name>] -P check_symbols.cmake
#
# What one instruction set's object files offer the linker. A weak symbol that another unit defines
# too, such as an inline function of Eigen or of the standard library, could be taken from the unit
# of an instruction set that the CPU does not have; so each must have the set's name in it. Nor may
# anything run before the CPU has been asked.
string(REPLACE "|" ";" objects "${OBJECTS}")
string(LENGTH "${ISA}" length)
set(own "13convtranspose${length}${ISA}")
string(LENGTH "convtranspose_eigen_${ISA}" length)
set(eigen "${length}convtranspose_eigen_${ISA}")
# The exception personality's pointer is data, the same in all units.
set(allowed "^DW\\.ref\\.__gxx_personality_v0$")

set(seen 0)
set(faults "")
foreach(object IN LISTS objects)
  execute_process(
    COMMAND ${NM} --defined-only --format=posix ${object}
    OUTPUT_VARIABLE table
    COMMAND_ERROR_IS_FATAL ANY
  )
  string(REPLACE "\n" ";" lines "${table}")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^([^ ]+) ([A-Za-z])")
      continue()
    endif()
    set(symbol "${CMAKE_MATCH_1}")
    set(type "${CMAKE_MATCH_2}")
    if(symbol MATCHES "^_GLOBAL__(sub_)?I_|^__cxx_global_var_init")
      string(APPEND faults "\n  runs before main(): ${symbol}")
    endif()
    # Lower case is local to the object, but for u, v and w: unique and weak.
    if(type MATCHES "[a-z]" AND NOT type MATCHES "[uvw]")
      continue()
    endif()
    math(EXPR seen "${seen} + 1")
    if(NOT symbol MATCHES "${own}|${eigen}|${allowed}")
      string(APPEND faults "\n  not of ${ISA} alone: ${type} ${symbol}")
    endif()
  endforeach()
endforeach()

if(seen EQUAL 0)
  message(FATAL_ERROR "${NM} found no symbols in ${objects}")
endif()
if(faults)
  message(FATAL_ERROR "${faults}")
endif()
message(STATUS "${seen} symbols of ${ISA}, none of which another unit can have")
