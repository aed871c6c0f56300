# SPDX-License-Identifier: MIT
# The instruction sets, one row each: name, processors (a regular expression on
# CMAKE_SYSTEM_PROCESSOR), GCC/Clang flags, MSVC flags. cpp/src/isa_list.inc has the run-time side.
set(
  CONVTRANSPOSE_ISA_TABLE
  "baseline|x86_64,AMD64,aarch64_other||"
  "avx2|x86_64,AMD64|-mavx2 -mfma -mf16c|/arch:AVX2"
  "avx512|x86_64,AMD64|-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c -mprefer-vector-width=512|/arch:AVX512"
  "neon|aarch64,arm64,ARM64||"
)

# convtranspose_isa_row(<row> <name> <matches> <flags>): splits a row for this target and compiler.
function(convtranspose_isa_row row name matches flags)
  string(REGEX REPLACE "\\|" ";" fields "${row}")
  list(GET fields 0 row_name)
  list(GET fields 1 processors)
  list(GET fields 2 gnu)
  list(GET fields 3 msvc)
  string(REPLACE "," ";" processors "${processors}")
  set(processor "${CMAKE_SYSTEM_PROCESSOR}")
  if(CMAKE_OSX_ARCHITECTURES)
    set(processor "${CMAKE_OSX_ARCHITECTURES}")
  endif()
  if(
    processor IN_LIST processors
    AND (NOT CONVTRANSPOSE_ISAS OR row_name IN_LIST CONVTRANSPOSE_ISAS)
  )
    set(${matches} TRUE PARENT_SCOPE)
  else()
    set(${matches} FALSE PARENT_SCOPE)
  endif()
  if(MSVC)
    separate_arguments(split UNIX_COMMAND "${msvc}")
  else()
    separate_arguments(split UNIX_COMMAND "${gnu}")
  endif()
  set(${name} "${row_name}" PARENT_SCOPE)
  set(${flags} "${split}" PARENT_SCOPE)
endfunction()
