# SPDX-License-Identifier: MIT
# Compile options of our own code; nothing global.
add_library(convtranspose_options INTERFACE)
target_compile_features(convtranspose_options INTERFACE cxx_std_17)
if(MSVC)
  target_compile_options(convtranspose_options INTERFACE /W4 /permissive- /EHsc)
  if(CONVTRANSPOSE_WARNINGS_AS_ERRORS)
    target_compile_options(convtranspose_options INTERFACE /WX)
  endif()
else()
  target_compile_options(
    convtranspose_options
    INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -fvisibility=hidden
  )
  if(CONVTRANSPOSE_WARNINGS_AS_ERRORS)
    target_compile_options(convtranspose_options INTERFACE -Werror)
  endif()
  if(CONVTRANSPOSE_SANITIZE)
    target_compile_options(
      convtranspose_options
      INTERFACE
        -fsanitize=${CONVTRANSPOSE_SANITIZE}
        -fno-omit-frame-pointer
        -fno-sanitize-recover=all
    )
    target_link_options(convtranspose_options INTERFACE -fsanitize=${CONVTRANSPOSE_SANITIZE})
  endif()
endif()

# convtranspose_outside_kernels(<target>): code around the kernels, which -O3 makes no faster but
# larger: a tenth of the wheel.
function(convtranspose_outside_kernels target)
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
endfunction()
