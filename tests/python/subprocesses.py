# SPDX-License-Identifier: MIT
"""Run a script in a fresh interpreter: for what cannot be undone or survived in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def python(script: str, *arguments: str, timeout: float = 60, **environment: str) -> str:
    """What ``script`` printed; fails with its error output if it did not end well."""
    inherited = {
        key: value
        for key, value in os.environ.items()
        if key
        not in (
            "CONVTRANSPOSE_NUM_THREADS",
            "OMP_NUM_THREADS",
            "CONVTRANSPOSE_ISA",
            "CONVTRANSPOSE_FAST_MATH",
        )
    }
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**inherited, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
