#pragma once

#include <pybind11/pybind11.h>

#include <nlohmann/json.hpp>

namespace cubcal::python {

/// A document as dicts, lists, numbers, texts and None.
pybind11::object to_python(const nlohmann::ordered_json& json);

}  // namespace cubcal::python
