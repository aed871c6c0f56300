# SPDX-License-Identifier: MIT
"""What the converters share: examples, methods on the descriptor, weights, output padding."""

from __future__ import annotations

import doctest
import inspect

import numpy as np
import pytest

import convtranspose as ct
import oracle
from cases import Problem
from convtranspose import converters
from layers import Layout, random_case
from subprocesses import python

FUNCTIONS = [name for name in converters.__all__ if inspect.isroutine(getattr(converters, name))]
METHODS = [name for name in FUNCTIONS if name.startswith(("from_", "to_"))]
D = ct.Convolution2DOpDescriptor


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples(name):
    text = inspect.getdoc(getattr(converters, name)) or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append)
    assert not report, "".join(report)
    assert example.examples or name == "flip_kernel", f"{name} has no example"


@pytest.mark.parametrize("name", METHODS)
def test_converters_are_methods_of_the_descriptor(name):
    assert inspect.getattr_static(D, name, None) is not None, name
    function = getattr(D, name)
    assert function is getattr(converters, name)


def test_importing_imports_no_framework():
    script = (
        "import sys, convtranspose.converters\n"
        "print(*{'torch', 'jax', 'onnx', 'tensorflow', 'keras'} & set(sys.modules))"
    )
    assert python(script).split() == []


def test_converters_are_loaded_when_they_are_needed():
    script = (
        "import sys, convtranspose as ct\n"
        "def loaded(): return 'convtranspose.converters' in sys.modules\n"
        "print(loaded())\n"
        "print(ct.Convolution2DOpDescriptor(stride_in_x=2).to_jax_args.__name__, loaded())\n"
        "print(ct.Convolution2DOpDescriptor.from_torch(stride=3).stride_in_y)\n"
        "print(ct.Convolution2DOpDescriptor().from_torch(stride=3).stride_in_y)\n"
    )
    assert python(script).split() == ["False", "to_jax_args", "True", "3", "3"]


def test_weights_of_every_layout():
    oihw = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    hwio = converters.convert_weights(oihw, Layout.OIHW, Layout.HWIO)
    assert hwio[3, 4, 2, 1] == oihw[1, 2, 3, 4]
    assert np.array_equal(converters.convert_weights(hwio, Layout.HWIO, Layout.OIHW), oihw)
    flipped = converters.flip_kernel(oihw, Layout.OIHW)
    assert flipped.shape == (3, 2, 4, 5)
    assert flipped[2, 1, 0, 0] == oihw[1, 2, 3, 4]
    with pytest.raises(ValueError, match="target_layout: expected OIHW or HWIO"):
        converters.convert_weights(oihw, Layout.OIHW, Layout.NCHW)
    with pytest.raises(ValueError, match="weights: expected 4 axes, got 3"):
        converters.convert_weights(oihw[0], Layout.OIHW, Layout.HWIO)


@pytest.mark.parametrize("seed", range(20))
def test_output_padding_and_output_shape(seed):
    d, source, weights, _ = random_case(np.random.default_rng(seed))
    if d.padding_style == ct.PaddingStyle.TF_SAME:
        d = d.replace(padding_style=ct.PaddingStyle.EXPLICIT)
    low, high = ct.output_shape_range(source.shape, weights.shape, d)
    for shape in (low, high):
        padding = converters.output_padding_from_shape(d, source.shape, weights.shape, shape)
        back = converters.output_shape_from_padding(d, source.shape, weights.shape, padding)
        assert back == shape
    y, x = (d.data_layout.name.index(letter) for letter in "HW")
    assert padding == (high[y] - low[y], high[x] - low[x])
    beyond = tuple(size + (axis == y) for axis, size in enumerate(high))
    with pytest.raises(ValueError, match=r"output_shape: expected from .* got "):
        converters.output_padding_from_shape(d, source.shape, weights.shape, beyond)
    with pytest.raises(ValueError, match="output_padding: expected less than the stride"):
        converters.output_shape_from_padding(
            d, source.shape, weights.shape, (padding[0] + 1, padding[1])
        )


@pytest.mark.parametrize("scale", [1, 2, 3, 4])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_bilinear_weights_interpolate(scale, groups):
    weights = converters.bilinear_weights(scale, 4, groups=groups, dtype=np.float64)
    size = weights.shape[-1]
    assert weights.shape == (4, 4 // groups, size, size)
    assert size == 2 * scale - scale % 2
    # A plane a + by + cx stays one away from the edges, and channels do not mix.
    y, x = np.mgrid[:7, :8]
    planes = np.stack([c + 2.0 * y + (c + 1) * x for c in range(4)])[np.newaxis]
    pad = (size - scale) // 2
    problem = Problem(
        operation="forward",
        source=planes.shape,
        weights=weights.shape,
        output=(1, 4, 7 * scale, 8 * scale),
        stride=(scale, scale),
        padding=(pad, pad, pad, pad),
        groups=groups,
    )
    result = oracle.compute(problem, {"source": planes, "weights": weights})
    at_y, at_x = ((np.arange(n * scale) + 0.5) / scale - 0.5 for n in (7, 8))
    inside = np.ix_((at_y >= 0) & (at_y <= 6), (at_x >= 0) & (at_x <= 7))
    for c in range(4):
        plane = c + 2.0 * at_y[:, np.newaxis] + (c + 1) * at_x
        assert np.allclose(result[0, c][inside], plane[inside], rtol=1e-14, atol=1e-13)
    hwio = converters.bilinear_weights(scale, 4, groups=groups, layout=Layout.HWIO)
    assert hwio.shape == (size, size, 4 // groups, 4)
    assert hwio.flags.c_contiguous


def test_bilinear_weights_refuse_groups_that_do_not_divide():
    with pytest.raises(ValueError, match="groups: expected a divisor of 4 channels, got 3"):
        converters.bilinear_weights(2, 4, groups=3)
