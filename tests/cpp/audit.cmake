# SPDX-License-Identifier: MIT
# Tests that the instruction sets' units keep to themselves; for ELF and release code, which
# sanitizers are not.
find_program(CONVTRANSPOSE_GREP grep)
mark_as_advanced(CONVTRANSPOSE_GREP)
if(
  NOT CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF"
  OR NOT CMAKE_NM
  OR NOT CMAKE_OBJDUMP
  OR NOT CONVTRANSPOSE_GREP
  OR CONVTRANSPOSE_SANITIZE
)
  return()
endif()

# VEX and EVEX instructions have names in v; registers that only AVX-512 has.
set(any_avx ":[[:space:]]+v|%[yz]mm")
set(any_avx512 "%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])")

function(convtranspose_audit_instructions target forbidden)
  add_test(
    NAME instructions_of_${target}
    COMMAND
      ${CMAKE_COMMAND} -DOBJDUMP=${CMAKE_OBJDUMP} -DGREP=${CONVTRANSPOSE_GREP}
      "-DOBJECTS=$<JOIN:$<TARGET_OBJECTS:${target}>,|>" "-DFORBIDDEN=${forbidden}" -P
      ${CMAKE_CURRENT_SOURCE_DIR}/check_instructions.cmake
  )
endfunction()

foreach(row IN LISTS CONVTRANSPOSE_ISA_TABLE)
  convtranspose_isa_row("${row}" isa matches flags)
  if(NOT matches)
    continue()
  endif()
  add_test(
    NAME symbols_of_${isa}
    COMMAND
      ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DISA=${isa}
      "-DOBJECTS=$<JOIN:$<TARGET_OBJECTS:convtranspose_${isa}>,|>" -P
      ${CMAKE_CURRENT_SOURCE_DIR}/check_symbols.cmake
  )
endforeach()

if(TARGET convtranspose_avx2)
  convtranspose_audit_instructions(convtranspose "${any_avx}")
  convtranspose_audit_instructions(convtranspose_baseline "${any_avx}")
  convtranspose_audit_instructions(convtranspose_avx2 "${any_avx512}")
endif()
