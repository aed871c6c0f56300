#!/bin/bash
# SPDX-License-Identifier: MIT
# Proves the emulator: instructions and an Eigen GEMM, run on it, against scalar results.
# usage: run.sh [BUILD_DIR]; EIGEN names Eigen's include folder, PYTHON an interpreter with bochscpu.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build/emulation}
mkdir -p "$build"

if [[ -z ${PYTHON:-} ]]; then
  PYTHON=$build/venv/bin/python
  [[ -x $PYTHON ]] || python3 -m venv "$build/venv"
  "$PYTHON" -m pip install --quiet -r "$here/requirements.txt"
fi
compile() { "${CXX:-c++}" -std=c++17 -O2 -static "$@"; }
emulate() { "$PYTHON" "$here/run_avx512" "$@"; }

failed=0
check() {
  local name=$1
  shift
  if "$@"; then echo "passed: $name"; else echo "FAILED: $name" && failed=$((failed + 1)); fi
}

compile -ffp-contract=off "$here/proof_instructions.cpp" -o "$build/proof_instructions"
compile -march=x86-64-v4 -isystem "${EIGEN:-/usr/include/eigen3}" "$here/proof_gemm.cpp" \
  -o "$build/proof_gemm"

expected=$("$build/proof_instructions" scalar)
same_instructions() { [[ $(emulate "$build/proof_instructions") == "$expected" ]]; }
refuses_without_avx512() {
  local status=0
  emulate --cpu corei7_haswell_4770 "$build/proof_instructions" 2>/dev/null || status=$?
  [[ $status == 132 ]]
}
check "AVX-512 and AVX512_BF16 as scalar code" same_instructions
check "Eigen GEMM of 64 x 64" emulate "$build/proof_gemm"
check "an AVX2 core refuses AVX-512" refuses_without_avx512
echo "$((3 - failed)) passed, $failed failed"
exit "$failed"
