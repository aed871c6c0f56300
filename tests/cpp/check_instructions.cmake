# SPDX-License-Identifier: MIT
# cmake -DOBJDUMP=... -DGREP=... -DOBJECTS=<a|b|...> -DFORBIDDEN=<regular expression>
#       -P check_instructions.cmake
#
# That no line of the objects' disassembly matches.
string(REPLACE "|" ";" objects "${OBJECTS}")
execute_process(
  COMMAND ${OBJDUMP} --disassemble --no-show-raw-insn ${objects}
  COMMAND ${GREP} -m 5 -E "${FORBIDDEN}"
  OUTPUT_VARIABLE found
  ERROR_VARIABLE complaints
  RESULTS_VARIABLE results
)
list(GET results 1 grep_result)
if(grep_result EQUAL 0)
  message(FATAL_ERROR "not for this instruction set (first ones):\n${found}")
endif()
if(NOT grep_result EQUAL 1 OR complaints)
  message(FATAL_ERROR "${OBJDUMP} or ${GREP} failed: ${results} ${complaints}")
endif()
