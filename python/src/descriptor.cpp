// SPDX-License-Identifier: MIT
#include <pybind11/native_enum.h>

#include "arguments.hpp"
#include "seal.hpp"

namespace convtranspose::python {
namespace {

using Descriptor = Convolution2DOpDescriptor;

constexpr const char* kName = "Convolution2DOpDescriptor";

struct IntegerField {
  const char* name;
  Index Descriptor::* member;
  Index least;
  const char* doc;
};

// In the order of MPSGraph's factory; the enums follow the integers there too.
constexpr IntegerField kIntegers[] = {
    {"stride_in_x", &Descriptor::stride_in_x, 1, "Stride along the width."},
    {"stride_in_y", &Descriptor::stride_in_y, 1, "Stride along the height."},
    {"dilation_rate_in_x", &Descriptor::dilation_rate_in_x, 1, "Tap distance along the width."},
    {"dilation_rate_in_y", &Descriptor::dilation_rate_in_y, 1, "Tap distance along the height."},
    {"groups", &Descriptor::groups, 1, "Number of channel groups."},
    {"padding_left", &Descriptor::padding_left, 0, "Zeros before the forward source's columns."},
    {"padding_right", &Descriptor::padding_right, 0, "Zeros after the forward source's columns."},
    {"padding_top", &Descriptor::padding_top, 0, "Zeros before the forward source's rows."},
    {"padding_bottom", &Descriptor::padding_bottom, 0, "Zeros after the forward source's rows."},
};

void set_integer(Descriptor& d, const IntegerField& field, const py::handle& value) {
  const Index number = integer_argument(value, {kName, field.name});
  if (number < field.least) {
    refuse_value({kName, field.name}, "at least " + std::to_string(field.least),
                 std::to_string(number));
  }
  d.*field.member = number;
}

/// An enum member, or the integer of one.
template <class E>
E enum_argument(const py::handle& value, const char* field, int largest) {
  const Index number = integer_argument(value, {kName, field});
  if (number < 0 || number > largest) {
    refuse_value({kName, field}, type_name(py::cast(E{})), std::to_string(number));
  }
  return static_cast<E>(number);
}

PaddingStyle padding_style(const py::handle& value) {
  return enum_argument<PaddingStyle>(value, "padding_style", 4);
}

TensorNamedDataLayout layout(const py::handle& value, const char* field,
                             TensorNamedDataLayout first, TensorNamedDataLayout second,
                             const char* expected) {
  const auto chosen = enum_argument<TensorNamedDataLayout>(value, field, 10);
  if (chosen != first && chosen != second) {
    refuse_value({kName, field}, expected, text_of(py::cast(chosen).attr("name")));
  }
  return chosen;
}

TensorNamedDataLayout data_layout(const py::handle& value) {
  return layout(value, "data_layout", TensorNamedDataLayout::NCHW, TensorNamedDataLayout::NHWC,
                "NCHW or NHWC");
}

TensorNamedDataLayout weights_layout(const py::handle& value) {
  return layout(value, "weights_layout", TensorNamedDataLayout::OIHW, TensorNamedDataLayout::HWIO,
                "OIHW or HWIO");
}

void set_field(Descriptor& d, const std::string& name, const py::handle& value) {
  for (const IntegerField& field : kIntegers) {
    if (name == field.name) return set_integer(d, field, value);
  }
  if (name == "padding_style") {
    d.padding_style = padding_style(value);
  } else if (name == "data_layout") {
    d.data_layout = data_layout(value);
  } else if (name == "weights_layout") {
    d.weights_layout = weights_layout(value);
  } else {
    throw py::type_error(std::string(kName) + ": expected one of its fields, got '" + name + "'");
  }
}

Descriptor changed(Descriptor d, const py::dict& fields) {
  for (const auto& [name, value] : fields) {
    set_field(d, string_argument(name, {kName, "a field's name"}), value);
  }
  return d;
}

/// What __getstate__ gave, if nobody changed it.
Descriptor unpickled(const py::object& state) {
  const bool valid = py::isinstance<py::tuple>(state) && py::len(state) == 1;
  const py::object fields = valid ? py::object(py::tuple(state)[0]) : py::none();
  if (!py::isinstance<py::dict>(fields)) {
    refuse_type({kName, "state"}, "a tuple of one dict", text_of(py::repr(state)));
  }
  return changed({}, fields);
}

py::dict fields_of(const Descriptor& d) {
  py::dict fields;
  for (const IntegerField& field : kIntegers) fields[field.name] = d.*field.member;
  fields["padding_style"] = d.padding_style;
  fields["data_layout"] = d.data_layout;
  fields["weights_layout"] = d.weights_layout;
  return fields;
}

/// What evaluates to an equal descriptor, fields at their defaults left out.
std::string repr(const Descriptor& d) {
  const py::dict fields = fields_of(d), defaults = fields_of({});
  std::string text(kName);
  const char* separator = "(";
  for (const auto& [name, value] : fields) {
    if (value.equal(defaults[name])) continue;
    text.append(separator).append(py::cast<std::string>(name)).append("=");
    text.append(py::hasattr(value, "name")
                    ? py::cast<std::string>(py::str("{}.{}").format(
                          py::type::handle_of(value).attr("__name__"), value.attr("name")))
                    : py::cast<std::string>(py::repr(value)));
    separator = ", ";
  }
  return text + (*separator == '(' ? "()" : ")");
}

void bind_enums(py::module_& module) {
  py::native_enum<PaddingStyle>(module, "PaddingStyle", "enum.IntEnum",
                                "How the padding is found; MPSGraphPaddingStyle's values.")
      .value("EXPLICIT", PaddingStyle::Explicit)
      .value("TF_VALID", PaddingStyle::TfValid)
      .value("TF_SAME", PaddingStyle::TfSame)
      .value("EXPLICIT_OFFSET", PaddingStyle::ExplicitOffset)
      .value("ONNX_SAME_LOWER", PaddingStyle::OnnxSameLower)
      .finalize();
  py::native_enum<TensorNamedDataLayout>(
      module, "TensorNamedDataLayout", "enum.IntEnum",
      "Order of a tensor's axes; MPSGraphTensorNamedDataLayout's values.")
      .value("NCHW", TensorNamedDataLayout::NCHW)
      .value("NHWC", TensorNamedDataLayout::NHWC)
      .value("OIHW", TensorNamedDataLayout::OIHW)
      .value("HWIO", TensorNamedDataLayout::HWIO)
      .value("CHW", TensorNamedDataLayout::CHW)
      .value("HWC", TensorNamedDataLayout::HWC)
      .value("HW", TensorNamedDataLayout::HW)
      .value("NCDHW", TensorNamedDataLayout::NCDHW)
      .value("NDHWC", TensorNamedDataLayout::NDHWC)
      .value("OIDHW", TensorNamedDataLayout::OIDHW)
      .value("DHWIO", TensorNamedDataLayout::DHWIO)
      .finalize();
}

}  // namespace

void bind_descriptor(py::module_& module) {
  bind_enums(module);
  py::class_<Descriptor> cls(module, kName, py::is_final(), R"(Parameters of a 2-D convolution.

Mirrors ``MPSGraphConvolution2DOpDescriptor``. It always describes the *forward* convolution, also
for the transposed one: X is the width, Y the height, padding lies around the forward source (the
transposed convolution's result) and the weights' O axis counts the transposed convolution's source
channels. All parameters are keywords and settable properties.

Parameters
----------
stride_in_x, stride_in_y : int, default 1
dilation_rate_in_x, dilation_rate_in_y : int, default 1
groups : int, default 1
padding_left, padding_right, padding_top, padding_bottom : int, default 0
    Only looked at if `padding_style` is ``EXPLICIT``.
padding_style : PaddingStyle, default EXPLICIT
data_layout : TensorNamedDataLayout, default NCHW
    ``NCHW`` or ``NHWC``.
weights_layout : TensorNamedDataLayout, default OIHW
    ``OIHW`` or ``HWIO``.

Raises
------
ValueError
    If a stride, dilation rate or `groups` is below 1, a padding below 0, or a layout another.
TypeError
    If a value is not an integer, or a keyword is unknown.

Examples
--------
>>> from convtranspose import Convolution2DOpDescriptor
>>> d = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2, padding_left=1)
>>> d
Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2, padding_left=1)
>>> d.replace(groups=4).groups
4
)");
  cls.def(py::init([](const py::kwargs& fields) { return changed({}, fields); }));
  for (const IntegerField& field : kIntegers) {
    cls.def_property(
        field.name, [&field](const Descriptor& d) { return d.*field.member; },
        [&field](Descriptor& d, const py::object& value) { set_integer(d, field, value); },
        field.doc);
  }
  cls.def_property(
         "padding_style", [](const Descriptor& d) { return d.padding_style; },
         [](Descriptor& d, const py::object& v) { d.padding_style = padding_style(v); },
         "How the padding is found.")
      .def_property(
          "data_layout", [](const Descriptor& d) { return d.data_layout; },
          [](Descriptor& d, const py::object& v) { d.data_layout = data_layout(v); },
          "NCHW or NHWC.")
      .def_property(
          "weights_layout", [](const Descriptor& d) { return d.weights_layout; },
          [](Descriptor& d, const py::object& v) { d.weights_layout = weights_layout(v); },
          "OIHW or HWIO.")
      .def(
          "set_explicit_padding",
          [](Descriptor& d, const py::object& left, const py::object& right, const py::object& top,
             const py::object& bottom) {
            py::dict fields;
            fields["padding_left"] = left;
            fields["padding_right"] = right;
            fields["padding_top"] = top;
            fields["padding_bottom"] = bottom;
            d = changed(d, fields);
            d.padding_style = PaddingStyle::Explicit;
          },
          py::arg("left"), py::arg("right"), py::arg("top"), py::arg("bottom"),
          "Sets the four paddings and ``PaddingStyle.EXPLICIT``.")
      .def(
          "replace",
          [](const Descriptor& d, const py::kwargs& changes) { return changed(d, changes); },
          "A copy with the given fields changed.")
      .def("__eq__",
           [](const Descriptor& a, const py::object& b) -> py::object {
             if (!py::isinstance<Descriptor>(b)) {
               return py::reinterpret_borrow<py::object>(Py_NotImplemented);
             }
             return py::bool_(a == b.cast<const Descriptor&>());
           })
      .def("__repr__", &repr)
      .def("__copy__", [](const Descriptor& d) { return d; })
      .def(
          "__deepcopy__", [](const Descriptor& d, const py::dict&) { return d; }, py::arg("memo"))
      // Python's own for protocols 0 and 1 makes an instance of pybind11's base class, which ends
      // the process.
      .def("__reduce__",
           [](const py::object& self) {
             return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"),
                                   py::make_tuple(py::type::of(self)), self.attr("__getstate__")());
           })
      .def(py::pickle([](const Descriptor& d) { return py::make_tuple(fields_of(d)); },
                      [](const py::object& state) { return unpickled(state); }));
  require_init(cls);
}

}  // namespace convtranspose::python
