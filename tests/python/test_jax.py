# SPDX-License-Identifier: MIT
"""The operations under JAX's transformations, by both ways into the library."""

from __future__ import annotations

import doctest
from itertools import product

import numpy as np
import pytest

import convtranspose as ct
from cases import DATA, load
from refusal import refused
from running import descriptor_of, to_layout
from subprocesses import python

jax = pytest.importorskip("jax")
jnp, lax = jax.numpy, jax.lax
import convtranspose.jax as cj
from convtranspose.jax import backends

BACKENDS = [
    pytest.param(
        "ffi", marks=pytest.mark.skipif(backends.register() is not None, reason="no FFI handlers")
    ),
    "callback",
]
GRID = load(DATA / "cases" / "jax.txt")
DESCRIPTOR = ct.Convolution2DOpDescriptor(
    stride_in_x=2, stride_in_y=3, dilation_rate_in_x=2, groups=2, padding_left=1, padding_top=2
)
SHAPES = {"x": (2, 4, 3, 5), "w": (4, 3, 3, 2), "g": (2, 6, 9, 11)}
OPERATIONS = {
    "convolution_transpose_2d": "xwg",
    "convolution_transpose_2d_data_gradient": "gwx",
    "convolution_transpose_2d_weights_gradient": "gxw",
    "convolution_2d": "gwx",
    "convolution_2d_data_gradient": "xwg",
    "convolution_2d_weights_gradient": "xgw",
}


@pytest.fixture(params=BACKENDS)
def backend(request, monkeypatch):
    monkeypatch.setenv("CONVTRANSPOSE_JAX_BACKEND", request.param)
    return request.param


@pytest.fixture
def x64():
    # For all threads: the context manager does not reach those that call back.
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def integers(shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def call(module, operation, first, second, **options):
    """The operation of numpy's or JAX's module, on the shapes of this file."""
    shape = () if operation == "convolution_2d" else (SHAPES[OPERATIONS[operation][2]],)
    return getattr(module, operation)(first, second, *shape, DESCRIPTOR, **options)


@pytest.mark.parametrize("step", range(8))
def test_agreement_with_lax_on_its_own_grid(step, backend, exhaustive):
    """Sums of small integers are exact, so every value and gradient has the same bits."""
    rows = GRID[step::8] if exhaustive else GRID[step :: 8 * 24]
    assert rows
    for index, p in enumerate(rows):
        tensors = p.integers()
        x, w = to_layout(tensors["source"], "NHWC"), to_layout(tensors["weights"], "HWIO")
        x, w = x.astype(np.float32), w.astype(np.float32)
        flip = index % 2 == 0

        def theirs(x, w, p=p, flip=flip):
            kernel = w[::-1, ::-1].swapaxes(2, 3) if flip else w
            style = p.style.removeprefix("TF_")
            return lax.conv_transpose(
                x, kernel, p.stride, style, p.dilation, transpose_kernel=not flip
            )

        def ours(x, w, p=p):
            n, c, h, width = p.output
            descriptor = descriptor_of(p, "NHWC", "HWIO")
            return cj.convolution_transpose_2d(x, w, (n, h, width, c), descriptor, strict=False)

        gradient = integers([p.output[axis] for axis in (0, 2, 3, 1)], 1)
        for mine, their in zip(
            value_and_gradients(ours, gradient)(x, w),
            value_and_gradients(theirs, gradient)(x, w),
            strict=True,
        ):
            np.testing.assert_array_equal(mine, their, str(p))


def value_and_gradients(function, gradient):
    """Compiled once: the function's value and its pull-back of `gradient`."""

    @jax.jit
    def both(x, w):
        value, pullback = jax.vjp(function, x, w)
        return value, *pullback(jnp.asarray(gradient))

    return both


GENERAL = [
    # stride, dilation, kernel, padding (top, bottom, left, right), groups
    ((2, 1), (1, 2), (3, 2), (1, 0, 2, 1), 1),
    ((1, 3), (2, 1), (2, 4), (0, 2, 1, 3), 2),
    ((3, 2), (1, 1), (5, 3), (2, 2, 1, 0), 4),
    ((1, 1), (3, 2), (3, 3), (3, 3, 2, 2), 1),
]


@pytest.mark.parametrize("case", GENERAL, ids=str)
def test_agreement_with_conv_general_dilated_and_its_gradients(case, backend):
    stride, dilation, kernel, (top, bottom, left, right), groups = case
    x, w = integers((2, 8, 13, 14)), integers((4, 8 // groups, *kernel), 1)
    descriptor = ct.Convolution2DOpDescriptor(
        stride_in_y=stride[0],
        stride_in_x=stride[1],
        dilation_rate_in_y=dilation[0],
        dilation_rate_in_x=dilation[1],
        groups=groups,
    )
    descriptor.set_explicit_padding(left, right, top, bottom)

    def theirs(x, w):
        pads = [(top, bottom), (left, right)]
        return lax.conv_general_dilated(
            x, w, stride, pads, rhs_dilation=dilation, feature_group_count=groups
        )

    expected, pullback = jax.vjp(theirs, x, w)
    found, our_pullback = jax.vjp(lambda x, w: cj.convolution_2d(x, w, descriptor), x, w)
    np.testing.assert_array_equal(found, expected)
    y = integers(expected.shape, 2)
    by_x, by_w = pullback(y)
    for mine, their in zip(our_pullback(y), (by_x, by_w), strict=True):
        np.testing.assert_array_equal(mine, their)
    transposed = cj.convolution_transpose_2d(jnp.asarray(y), w, x.shape, descriptor)
    np.testing.assert_array_equal(transposed, by_x)
    back = cj.convolution_transpose_2d_weights_gradient(x, jnp.asarray(y), w.shape, descriptor)
    np.testing.assert_array_equal(back, by_w)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_every_dtype_has_the_bits_of_the_numpy_function(operation, dtype, backend, x64):
    a, b, _ = OPERATIONS[operation]
    first, second = (
        integers(SHAPES[name], seed).astype(jnp.dtype(dtype)) for seed, name in enumerate(a + b)
    )
    expected = call(ct, operation, first, second)
    for function in (call, jax.jit(call, static_argnums=(0, 1))):
        found = function(cj, operation, jnp.asarray(first), jnp.asarray(second))
        assert found.dtype == dtype
        np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("operation", list(OPERATIONS)[:3])
def test_derivatives_of_both_modes_and_orders(operation, backend, x64):
    from jax.test_util import check_grads

    a, b, _ = OPERATIONS[operation]
    rng = np.random.default_rng(0)
    first, second = (jnp.asarray(rng.standard_normal(SHAPES[name])) for name in a + b)

    @jax.jit
    def loss(first, second):
        return jnp.tanh(call(cj, operation, first, second) / 8).sum()

    check_grads(loss, (first, second), order=2, modes=("fwd", "rev"))


def test_hessian_vector_products(backend):
    """Reverse over forward, forward over reverse and reverse over reverse are one matrix."""
    x, w = jnp.asarray(integers(SHAPES["x"])), jnp.asarray(integers(SHAPES["w"], 1))
    v = jnp.asarray(integers(SHAPES["w"], 2))

    def loss(w):
        return jnp.square(call(cj, "convolution_transpose_2d", x, w)).sum()

    forward_reverse = jax.jvp(jax.grad(loss), (w,), (v,))[1]
    reverse_reverse = jax.grad(lambda w: jnp.vdot(jax.grad(loss)(w), v))(w)
    reverse_forward = jax.grad(lambda w: jax.jvp(loss, (w,), (v,))[1])(w)
    np.testing.assert_array_equal(forward_reverse, reverse_reverse)
    np.testing.assert_array_equal(forward_reverse, reverse_forward)


@pytest.mark.parametrize("operation", list(OPERATIONS)[:3])
@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (4, 2)])
def test_vmap_is_a_loop(operation, axes, backend):
    a, b, _ = OPERATIONS[operation]
    operands = []
    for seed, (name, axis) in enumerate(zip(a + b, axes, strict=True)):
        shape = list(SHAPES[name])
        if axis is not None:
            shape.insert(axis, 3)
        operands.append(integers(shape, seed))
    found = jax.jit(jax.vmap(lambda f, s: call(cj, operation, f, s), in_axes=axes))(*operands)
    for i in range(3):
        first, second = (
            operand if axis is None else np.take(operand, i, axis)
            for operand, axis in zip(operands, axes, strict=True)
        )
        np.testing.assert_array_equal(found[i], call(ct, operation, first, second))


def test_vmap_of_vmap_and_gradients_an_example(backend):
    x, w = integers((3, 2, *SHAPES["x"])), integers((2, *SHAPES["w"]), 1)

    def loss(x, w):
        return jnp.square(call(cj, "convolution_transpose_2d", x, w)).sum()

    found = jax.vmap(jax.vmap(jax.grad(loss, argnums=1)), in_axes=(0, None))(x, w)
    for i, j in product(range(3), range(2)):
        y = call(ct, "convolution_transpose_2d", x[i, j], w[j])
        expected = call(ct, "convolution_transpose_2d_weights_gradient", 2 * y, x[i, j])
        np.testing.assert_array_equal(found[i, j], expected)


def test_compiled_code_calls_the_handler_and_not_python():
    if backends.register() is not None:
        pytest.skip("no FFI handlers")
    x, w = (jnp.asarray(integers(SHAPES[name])) for name in "xw")

    def text(backend):
        function = jax.jit(lambda: call(cj, "convolution_transpose_2d", x, w, backend=backend))
        return function.lower().as_text()

    assert "@convtranspose.convolution_transpose_2d(" in text("ffi")
    assert "callback" not in text("ffi")
    assert "callback" in text("callback")


SHARDED = """
import sys
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, PartitionSpec as P
import convtranspose as ct
import convtranspose.jax as cj

mesh = Mesh(np.array(jax.devices()), ("batch",))
descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
rng = np.random.default_rng(0)
x = rng.integers(-4, 5, (4, 3, 5, 6)).astype(np.float32)
w = rng.integers(-4, 5, (3, 2, 2, 2)).astype(np.float32)

def forward(x, w):
    shape = (x.shape[0], 2, 10, 12)
    return cj.convolution_transpose_2d(x, w, shape, descriptor, backend=sys.argv[1])

sharded = jax.shard_map(forward, mesh=mesh, in_specs=(P("batch"), P()), out_specs=P("batch"))
y = jax.jit(sharded)(x, w)
assert len(y.sharding.device_set) == 2
np.testing.assert_array_equal(y, ct.convolution_transpose_2d(x, w, y.shape, descriptor))

loss = lambda f: lambda x, w: jnp.square(f(x, w)).sum()
for argument in (0, 1):
    found = jax.jit(jax.grad(loss(sharded), argument))(x, w)
    np.testing.assert_array_equal(found, jax.grad(loss(forward), argument)(x, w))

def inside(x, w):
    value, gradient = jax.value_and_grad(loss(forward), 1)(x, w)
    return jax.lax.psum(value, "batch"), gradient

step = jax.shard_map(inside, mesh=mesh, in_specs=(P("batch"), P()), out_specs=(P(), P()))
value, gradient = jax.jit(step)(x, w)
assert value == loss(forward)(x, w)
np.testing.assert_array_equal(gradient, jax.grad(loss(forward), 1)(x, w))
print("done")
"""


def test_shard_map_on_two_devices(backend):
    flags = "--xla_force_host_platform_device_count=2"
    assert python(SHARDED, backend, XLA_FLAGS=flags, timeout=180).strip() == "done"


def test_what_is_wrong_is_refused_while_tracing(backend):
    x, w = (jax.ShapeDtypeStruct(SHAPES[name], jnp.float32) for name in "xw")

    def traced(*shape, x=x, w=w, **options):
        def function(x, w):
            return cj.convolution_transpose_2d(x, w, shape, DESCRIPTOR, **options)

        jax.eval_shape(function, x, w)

    with refused("output_shape", "height from 7 to 9", "(2, 6, 19, 11)", by="up"):
        traced(2, 6, 19, 11, name="up")
    with refused("weights", "the dtype of source, float32", "bfloat16"):
        traced(*SHAPES["g"], w=jax.ShapeDtypeStruct(SHAPES["w"], jnp.bfloat16))
    with refused("source", "int32"):
        traced(*SHAPES["g"], x=jax.ShapeDtypeStruct(SHAPES["x"], jnp.int32))
    with refused("source", "an array", "str"):
        cj.convolution_transpose_2d("x", integers(SHAPES["w"]), SHAPES["g"], DESCRIPTOR)
    with pytest.raises(ValueError, match="backend: expected 'ffi' or 'callback', got 'gpu'"):
        traced(*SHAPES["g"], backend="gpu")


def test_the_environment_chooses(monkeypatch):
    monkeypatch.setenv("CONVTRANSPOSE_JAX_BACKEND", "callback")
    assert backends.choose(None) == "callback"
    monkeypatch.setenv("CONVTRANSPOSE_JAX_BACKEND", "magic")
    with pytest.raises(ValueError, match="CONVTRANSPOSE_JAX_BACKEND: expected 'ffi' or"):
        backends.choose(None)


@pytest.fixture
def unregistered():
    backends.register.cache_clear()
    backends._warn.cache_clear()
    yield
    backends.register.cache_clear()
    backends._warn.cache_clear()


@pytest.mark.parametrize(
    ("handlers", "version", "why"),
    [
        (None, (0, 0), "this build has no FFI handlers"),
        ({}, (99, 0), r"were built for version \(99, 0\) of XLA's interface, not \(0,"),
    ],
)
def test_without_fitting_handlers_python_is_called(
    handlers, version, why, monkeypatch, unregistered
):
    monkeypatch.delenv("CONVTRANSPOSE_JAX_BACKEND", raising=False)
    monkeypatch.setattr(ct._core, "jax_ffi_handlers", handlers, raising=False)
    monkeypatch.setattr(ct._core, "jax_ffi_api_version", version, raising=False)
    with pytest.warns(UserWarning, match=why):
        assert backends.choose(None) == "callback"
    with pytest.raises(ValueError, match=why):
        backends.choose("ffi")


def test_examples(backend):
    assert doctest.testmod(cj).failed == 0
