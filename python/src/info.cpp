// SPDX-License-Identifier: MIT
#include <algorithm>

#include "arguments.hpp"

namespace convtranspose::python {

void bind_info(py::module_& module) {
  module.attr("__version__") = CONVTRANSPOSE_VERSION;
  module.def("active_isa", [] { return std::string(active_isa()); });
  module.def("available_isas", [] {
    py::list names;
    for (const std::string_view name : available_isas()) names.append(std::string(name));
    return py::tuple(names);
  });
  module.def(
      "set_isa",
      [](const py::object& name) { set_isa(string_argument(name, {"set_isa", "name"})); },
      py::arg("name"));
  module.def("get_num_threads", &get_num_threads);
  module.def(
      "set_num_threads",
      [](const py::object& count) {
        const Index n = integer_argument(count, {"set_num_threads", "count"});
        set_num_threads(static_cast<int>(std::clamp<Index>(n, -1, 1 << 20)));
      },
      py::arg("count"));
  module.def("get_fast_math", [] {
    const FastMath level = get_fast_math();
    return level == FastMath::Aggressive ? py::object(py::str("aggressive"))
                                         : py::object(py::bool_(level == FastMath::On));
  });
  module.def(
      "set_fast_math",
      [](const py::object& level) {
        const auto value = fast_math_argument(level, {"set_fast_math", "level"});
        if (!value) throw py::type_error("set_fast_math: level: expected a level, got None");
        set_fast_math(*value);
      },
      py::arg("level"));
  module.def("measure_fma_peak", &measure_fma_peak, py::call_guard<py::gil_scoped_release>());
  module.def("build_info", [] {
    const BuildInfo info = build_info();
    py::dict d;
    d["version"] = std::string(info.version);
    d["compiler"] = std::string(info.compiler);
    d["eigen"] = std::string(info.eigen);
    d["build_type"] = std::string(info.build_type);
    d["pybind11"] = PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
        PYBIND11_VERSION_MINOR) "." PYBIND11_TOSTRING(PYBIND11_VERSION_PATCH);
    return d;
  });
}

}  // namespace convtranspose::python
