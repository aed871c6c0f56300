# SPDX-License-Identifier: MIT
"""What only a clumsy or hostile program does ends in an exception, never in the process's end.

Each script runs in an interpreter of its own, so that a crash fails its test alone.
"""

from __future__ import annotations

import pytest

import subprocesses

PROLOGUE = """
import copy, gc, pickle
import numpy as np
import convtranspose as ct

D = ct.Convolution2DOpDescriptor
source, weights = np.ones((1, 1, 3, 3), np.float32), np.ones((1, 1, 2, 2), np.float32)
ARGUMENTS = {
    ct.ConvolutionTranspose2DPlan: ((1, 1, 3, 3), weights, (1, 1, 4, 4), D()),
    ct.ConvolutionTranspose2DDataGradientPlan: ((1, 1, 4, 4), weights, (1, 1, 3, 3), D()),
    ct.ConvolutionTranspose2DWeightsGradientPlan: ((1, 1, 4, 4), (1, 1, 3, 3), (1, 1, 2, 2), D()),
}
plans = [cls(*arguments) for cls, arguments in ARGUMENTS.items()]

def refused(function, *arguments, by=(TypeError, ValueError), **keywords):
    try:
        result = function(*arguments, **keywords)
    except by as error:
        return str(error)
    raise SystemExit(f"{function} accepted {arguments} {keywords}: {result!r}")
"""

SCRIPTS = {
    "instances that __init__ never saw": """
for cls in (D, *ARGUMENTS):
    public = [name for name in dir(cls) if not name.startswith("_")]
    for name in public:
        empty = cls.__new__(cls)
        if isinstance(getattr(cls, name), property):
            assert "__init__" in refused(getattr, empty, name), name
    for use in (repr, copy.deepcopy, pickle.dumps) if cls is D else ():
        refused(use, cls.__new__(cls))
refused(ct.convolution_transpose_2d, source, weights, (1, 1, 4, 4), D.__new__(D))
refused(ct.output_shape_range, (1, 1, 3, 3), (1, 1, 2, 2), D.__new__(D))
assert D() != 3
refused(lambda: D() == D.__new__(D))
for cls in ARGUMENTS:
    refused(cls.__new__(cls), source)
    refused(cls.__new__(cls).explain)
empty = ct.ConvolutionTranspose2DPlan.__new__(ct.ConvolutionTranspose2DPlan)
refused(empty.__init__, 1, 2, 3)
refused(getattr, empty, "flops")
""",
    "pybind11's base class": """
for cls in (D, *ARGUMENTS):
    base = cls.__mro__[1]
    refused(base)
    refused(base.__new__, base)
    refused(lambda: type("Derived", (base,), {})())
""",
    "other classes": """
for cls in (D, *ARGUMENTS):
    refused(lambda: type("Derived", (cls,), {}))
    for other in (D, *ARGUMENTS):
        if other is not cls:
            refused(setattr, D() if cls is D else plans[0], "__class__", other)
for cls in ARGUMENTS:
    refused(setattr, cls, "flops", 1)
    refused(delattr, cls, "__init__")
""",
    "copies and pickles of plans": """
for plan in plans:
    assert copy.copy(plan) is plan
    assert copy.deepcopy([plan])[0] is plan
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert "pickle" in refused(pickle.dumps, plan, protocol)
        assert "pickle" in refused(plan.__reduce_ex__, protocol)
    assert "pickle" in refused(plan.__reduce__)
""",
    "states that no descriptor had": """
JUNK = (None, 3, "x", b"", [], (), ({}, {}), (3,), [{}], ({1: 2},), ({"groups": None},),
        ({"groups": 0},), ({"data_layout": 9},), ({"colour": 1},), ({"groups": 2**70},))
for state in JUNK:
    refused(D.__new__(D).__setstate__, state)
for plan in plans:
    refused(getattr, plan, "__setstate__", by=AttributeError)
""",
    "a second __init__": """
for plan, arguments in zip(plans, ARGUMENTS.values()):
    before = plan.flops
    for _ in range(100):
        plan.__init__(*arguments)
    gc.collect()
    assert plan.flops == before
""",
    "sequences that lie about their length": """
class Endless(list):
    def __len__(self): return 4
    def __iter__(self): return iter([1] * 10**6)
class Short(Endless):
    def __iter__(self): return iter([1])
class Negative(list):
    def __len__(self): return -1
for shape in (Endless(), Short(), Negative()):
    refused(ct.convolution_transpose_2d, source, weights, shape, D(), by=(IndexError, ValueError))
""",
    "numbers that change the arrays": """
weights = np.ones((64, 1, 2, 2), np.float32)
for argument in ("height", "threads"):
    source = np.ones((1, 64, 300, 300), np.float32)
    class Resizing:
        def __index__(self):
            source.resize((0,), refcheck=False)
            gc.collect()
            return 301 if argument == "height" else 1
    shape = (1, 1, Resizing() if argument == "height" else 301, 301)
    threads = Resizing() if argument == "threads" else 1
    assert "rank 4" in refused(ct.convolution_transpose_2d, source, weights, shape, D(),
                               threads=threads)
weights = np.ones((64, 64, 20, 20), np.float32)
class Freeing:
    def __index__(self):
        weights.resize((0,), refcheck=False)
        gc.collect()
        return 3
assert "rank 4" in refused(ct.ConvolutionTranspose2DPlan, (1, 64, Freeing(), 3), weights,
                           (1, 64, 22, 22), D())
""",
    "tensors that change the arrays": """
source, out = np.ones((1, 64, 300, 300), np.float32), np.ones((1, 1, 301, 301), np.float32)
class Resizing:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **keywords):
        for array in (source, out):
            array.resize((0,), refcheck=False)
        gc.collect()
        return np.ones((64, 1, 2, 2), np.float32).__dlpack__(**keywords)
refused(ct.convolution_transpose_2d, source, Resizing(), (1, 1, 301, 301), D(), out=out)
""",
    "interrupts": """
class Interrupting:
    def __index__(self): raise KeyboardInterrupt
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **keywords): raise KeyboardInterrupt
refused(D, stride_in_x=Interrupting(), by=KeyboardInterrupt)
refused(ct.set_num_threads, Interrupting(), by=KeyboardInterrupt)
refused(ct.convolution_transpose_2d, Interrupting(), weights, (1, 1, 4, 4), D(),
        by=KeyboardInterrupt)
""",
    "numbers with thousands of digits": """
for number in (2**63, -(2**63) - 1, 10**4000, 10**5000, -(10**5000)):
    for call in (
        lambda: D(stride_in_x=number),
        lambda: ct.set_num_threads(number),
        lambda: ct.convolution_transpose_2d(source, weights, (1, 1, number, 4), D()),
        lambda: ct.convolution_transpose_2d(source, weights, (1, 1, 4, 4), D(), threads=number),
    ):
        assert "expected an integer of 64 bits, got " in refused(call)
""",
    "text that is no text": """
for name in ("\\ud800", "a\\0b"):
    call = ct.convolution_transpose_2d
    assert "name: expected a string" in refused(call, source, weights, (1, 1, 4, 4), D(), name)
    assert "name: expected a string" in refused(ct.set_isa, name)
    assert "field" in refused(D, **{name: 1})
    plan = ct.ConvolutionTranspose2DPlan
    arguments = ARGUMENTS[plan]
    assert "activation: expected" in refused(plan, *arguments, activation=name)
    assert "activation: expected" in refused(plan, *arguments, activation=(name, 1.0))
""",
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_ends_in_an_exception(script):
    subprocesses.python(PROLOGUE + script + "\nprint('survived')", timeout=120)
