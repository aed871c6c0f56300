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
set(forbidden_in_baseline ":[[:space:]]+v|%[yz]mm")
set(forbidden_in_avx2 "%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])")

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

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  convtranspose_audit_instructions(convtranspose "${forbidden_in_baseline}")
  foreach(isa IN ITEMS baseline avx2)
    if(TARGET convtranspose_${isa})
      convtranspose_audit_instructions(convtranspose_${isa} "${forbidden_in_${isa}}")
    endif()
  endforeach()
endif()

if(CONVTRANSPOSE_SHARED)
  add_test(
    NAME exports
    COMMAND
      ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJDUMP=${CMAKE_OBJDUMP}
      -DLIBRARY=$<TARGET_FILE:convtranspose> -DSONAME=$<TARGET_SONAME_FILE_NAME:convtranspose> -P
      ${CMAKE_CURRENT_SOURCE_DIR}/check_exports.cmake
  )
endif()
