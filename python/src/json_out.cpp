#include "json_out.h"

namespace cubcal::python {

namespace py = pybind11;

py::object to_python(const nlohmann::ordered_json& json) {
  using Kind = nlohmann::ordered_json::value_t;
  switch (json.type()) {
    case Kind::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[py::str(key)] = to_python(value);
      return std::move(dict);
    }
    case Kind::array: {
      py::list list(json.size());
      std::size_t place = 0;
      for (const auto& value : json) list[place++] = to_python(value);
      return std::move(list);
    }
    case Kind::string: return py::str(json.get_ref<const std::string&>());
    case Kind::boolean: return py::bool_(json.get<bool>());
    case Kind::number_integer: return py::int_(json.get<std::int64_t>());
    case Kind::number_unsigned: return py::int_(json.get<std::uint64_t>());
    case Kind::number_float: return py::float_(json.get<double>());
    default: return py::none();
  }
}

}  // namespace cubcal::python
