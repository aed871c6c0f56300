# SPDX-License-Identifier: MIT
"""PyTorch's own samples for its transposed convolutions: values and gradients."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", minversion="2.4")
pytest.importorskip("expecttest")  # PyTorch's test tools import it
pytest.importorskip("ml_dtypes")

import convtranspose.torch as ctt

invocations = pytest.importorskip("torch.testing._internal.common_methods_invocations")

NAMES = ("nn.functional.conv_transpose1d", "nn.functional.conv_transpose2d")
OPERATORS = {info.name: info for info in invocations.op_db if info.name in NAMES}
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


def ours(name):
    return getattr(ctt, name.rpartition(".")[2])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_samples(name, dtype):
    info = OPERATORS[name]
    count = 0
    for sample in info.sample_inputs("cpu", dtype, requires_grad=True):
        tensors = [sample.input, *(a for a in sample.args if isinstance(a, torch.Tensor))]
        mine = ours(name)(sample.input, *sample.args, **sample.kwargs)
        # PyTorch rounds half types more than once: what it makes of float64 is nearer the truth.
        wide = [a.double() if isinstance(a, torch.Tensor) else a for a in sample.args]
        exact = info.op(sample.input.double(), *wide, **sample.kwargs)
        torch.testing.assert_close(mine, exact.to(dtype))
        incoming = torch.randn_like(mine)
        theirs = torch.autograd.grad(exact, tensors, incoming.double())
        torch.testing.assert_close(torch.autograd.grad(mine, tensors, incoming), theirs)
        if dtype == torch.float64:
            call = lambda *t, s=sample: ours(name)(*t, *s.args[len(t) - 1 :], **s.kwargs)
            assert torch.autograd.gradgradcheck(call, tensors, fast_mode=True)
        count += 1
    assert count >= 6
