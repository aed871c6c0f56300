# SPDX-License-Identifier: MIT
from __future__ import annotations

import copy
import inspect
import pickle

import pytest

import convtranspose as ct
from refusal import refused

DEFAULTS = {
    "stride_in_x": 1,
    "stride_in_y": 1,
    "dilation_rate_in_x": 1,
    "dilation_rate_in_y": 1,
    "groups": 1,
    "padding_left": 0,
    "padding_right": 0,
    "padding_top": 0,
    "padding_bottom": 0,
    "padding_style": ct.PaddingStyle.EXPLICIT,
    "data_layout": ct.TensorNamedDataLayout.NCHW,
    "weights_layout": ct.TensorNamedDataLayout.OIHW,
}
CHANGED = {
    "stride_in_x": 2,
    "stride_in_y": 3,
    "dilation_rate_in_x": 4,
    "dilation_rate_in_y": 5,
    "groups": 6,
    "padding_left": 7,
    "padding_right": 8,
    "padding_top": 9,
    "padding_bottom": 10,
    "padding_style": ct.PaddingStyle.ONNX_SAME_LOWER,
    "data_layout": ct.TensorNamedDataLayout.NHWC,
    "weights_layout": ct.TensorNamedDataLayout.HWIO,
}


def fields(descriptor) -> dict:
    return {name: getattr(descriptor, name) for name in DEFAULTS}


def full() -> ct.Convolution2DOpDescriptor:
    return ct.Convolution2DOpDescriptor(**CHANGED)


def test_defaults_are_apples():
    assert fields(ct.Convolution2DOpDescriptor()) == DEFAULTS


def test_every_field_is_kept():
    assert fields(full()) == CHANGED


def test_fields_are_keyword_only():
    with pytest.raises(TypeError):
        ct.Convolution2DOpDescriptor(2)
    with pytest.raises(TypeError):
        ct.Convolution2DOpDescriptor(stride=2)


@pytest.mark.parametrize("name", DEFAULTS)
def test_property(name):
    descriptor = ct.Convolution2DOpDescriptor()
    setattr(descriptor, name, CHANGED[name])
    assert fields(descriptor) == {**DEFAULTS, name: CHANGED[name]}
    with pytest.raises((TypeError, ValueError)):
        setattr(descriptor, name, "wrong")
    assert getattr(descriptor, name) == CHANGED[name]


def test_enum_fields_come_back_as_members():
    descriptor = full()
    assert isinstance(descriptor.padding_style, ct.PaddingStyle)
    assert isinstance(descriptor.data_layout, ct.TensorNamedDataLayout)
    assert isinstance(descriptor.weights_layout, ct.TensorNamedDataLayout)


def test_unknown_attributes_are_refused():
    with pytest.raises(AttributeError):
        ct.Convolution2DOpDescriptor().strides_in_x = 2


@pytest.mark.parametrize("name", DEFAULTS)
def test_equality_and_replace(name):
    plain = ct.Convolution2DOpDescriptor()
    other = plain.replace(**{name: CHANGED[name]})
    assert plain == ct.Convolution2DOpDescriptor()
    assert other != plain
    assert fields(plain) == DEFAULTS
    assert fields(other) == {**DEFAULTS, name: CHANGED[name]}
    assert other.replace(**{name: DEFAULTS[name]}) == plain


def test_replace_checks_names_and_values():
    with pytest.raises(TypeError, match="stride"):
        full().replace(stride=2)
    with refused("groups", "0"):
        full().replace(groups=0)
    assert full().replace() == full()
    assert full().replace() is not full()


def test_equality_with_other_types():
    assert full() != 3
    assert full() != "Convolution2DOpDescriptor"
    assert full() != fields(full())


def test_repr_evaluates_back():
    names = {name: getattr(ct, name) for name in ct.__all__}
    for descriptor in (full(), ct.Convolution2DOpDescriptor()):
        assert eval(repr(descriptor), {**names, "convtranspose": ct}) == descriptor


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_copies_are_equal_and_apart(clone):
    first = full()
    second = clone(first)
    assert second == first
    second.stride_in_x = 9
    assert first.stride_in_x == CHANGED["stride_in_x"]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    for thing in (full(), *ct.PaddingStyle, *ct.TensorNamedDataLayout, *ct.Algorithm):
        back = pickle.loads(pickle.dumps(thing, protocol))
        assert back == thing
        assert type(back) is type(thing)


def test_mutable_and_comparable_means_not_hashable():
    with pytest.raises(TypeError, match="unhashable"):
        hash(full())


def test_set_explicit_padding_sets_the_style_too():
    descriptor = full()
    assert descriptor.set_explicit_padding(1, 2, 3, 4) is None
    assert fields(descriptor) == {
        **CHANGED,
        "padding_left": 1,
        "padding_right": 2,
        "padding_top": 3,
        "padding_bottom": 4,
        "padding_style": ct.PaddingStyle.EXPLICIT,
    }
    descriptor.set_explicit_padding(left=4, right=3, top=2, bottom=1)
    assert (descriptor.padding_left, descriptor.padding_bottom) == (4, 1)


def test_set_explicit_padding_refuses_before_it_changes_anything():
    descriptor = full()
    with refused("padding_bottom|bottom", "0", "-1"):
        descriptor.set_explicit_padding(1, 2, 3, -1)
    assert descriptor == full()


def test_signature_is_readable():
    text = inspect.getdoc(ct.Convolution2DOpDescriptor) or ""
    assert all(name in text for name in DEFAULTS)


def test_every_pickle_protocol():
    import pickle

    descriptor = ct.Convolution2DOpDescriptor(stride_in_x=3, groups=2)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(descriptor, protocol)) == descriptor
