# SPDX-License-Identifier: MIT
"""One build's side of ``bench compare --python A B``: times what it is asked for, over a pipe.

A request is a line ``{"op", "problem", "dtype", "threads", "layout", "mode", "sample_seconds"}``
that prepares a candidate, or ``{}`` for one more sample of it; the answer is ``{"seconds"}``, or
``{"error"}`` where this build cannot do it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any

from ..command_line import UserError, reported
from .candidate import Candidate
from .operands import Operands
from .problem import Problem
from .timing import calls_per_sample, sample


class Worker:
    """The asking side: a subprocess of the given interpreter."""

    def __init__(self, python: str) -> None:
        self.python = python
        with reported(OSError, prefix=f"{python}: "):
            self._process = subprocess.Popen(
                [python, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[str] = self._process.stdin
        self._answers: IO[str] = self._process.stdout

    def ask(self, **request: Any) -> float:
        """Seconds a call."""
        try:
            print(json.dumps(request), file=self._requests, flush=True)
            answer = json.loads(self._answers.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            raise UserError(f"{self.python}: expected a Python that has convtranspose") from None
        if "error" in answer:
            raise ValueError(f"{self.python}: {answer['error']}")
        return float(answer["seconds"])

    def close(self) -> None:
        with suppress(BrokenPipeError):
            self._requests.close()
        self._answers.close()
        self._process.wait()


def serve(requests: IO[str], answers: IO[str]) -> None:
    """The answering side: until the requests end."""
    from .peers import ours

    candidate: Candidate | None = None
    repeats = 1
    for line in requests:
        request = json.loads(line)
        try:
            if request:
                operands = Operands(
                    Problem.parse(request["problem"]), request["op"], request["dtype"]
                )
                variants = ours.Variants((request["layout"],), (request["mode"],))
                candidate = next(ours.candidates(operands, request["threads"], variants), None)
                if candidate is None:
                    raise ValueError(f"this build has no {request['mode']} for {request['op']}")
                repeats = calls_per_sample(candidate.run, request["sample_seconds"])
            if candidate is None:
                raise ValueError("the first request names no candidate")
            answer: dict[str, Any] = {"seconds": sample(candidate.run, repeats)}
        except (ValueError, TypeError, AttributeError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
