# SPDX-License-Identifier: MIT
"""Imports bochscpu with the functions of bochs_hooks.c in front of its own."""

import ctypes
import hashlib
import importlib.util
import os
import pathlib
import subprocess
import tempfile

_package = importlib.util.find_spec("bochscpu")
if _package is None:
    raise SystemExit("bochscpu is missing: pip install -r tests/emulation/requirements.txt")
LIBRARY = str(next(pathlib.Path(_package.submodule_search_locations[0]).glob("_bochscpu*.so")))


def _compiled_hooks():
    source = pathlib.Path(__file__).with_name("bochs_hooks.c")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    compiled = pathlib.Path(tempfile.gettempdir()) / f"bochs_hooks-{os.getuid()}-{digest}.so"
    if not compiled.exists():
        partial = compiled.with_suffix(f".{os.getpid()}")
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-O2", "-shared", "-fPIC", source, "-o", partial, "-ldl"]
        subprocess.run(command, check=True)
        partial.rename(compiled)
    return compiled


def load_bochs(cpu):
    """Return the module and the hooks; `cpu` is one of the models in Bochs' cpudb."""
    hooks = ctypes.CDLL(str(_compiled_hooks()), mode=ctypes.RTLD_GLOBAL)
    constructor = f"create_{cpu}_cpuid"
    hooks.set_cpu(LIBRARY.encode(), f"_Z{len(constructor)}{constructor}P8BX_CPU_C".encode())
    import bochscpu
    import bochscpu.cpu
    import bochscpu.memory

    return bochscpu, hooks
