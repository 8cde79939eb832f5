#include "json_out.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace cubcal::python {

namespace py = pybind11;

namespace {

/// Documents have few keys and have each of them often.
PyObject* key_text(const std::string& key) {
  // Kept until the process ends: Python may be gone before static objects are.
  static auto* const known = new std::unordered_map<std::string, PyObject*>();
  const auto found = known->find(key);
  if (found != known->end()) return found->second;
  return known->emplace(key, py::str(key).release().ptr()).first->second;
}

using Members = nlohmann::ordered_json::object_t;

void set(const py::dict& dict, PyObject* key, const nlohmann::ordered_json& value) {
  if (PyDict_SetItem(dict.ptr(), key, to_python(value).ptr()) != 0) throw py::error_already_set();
}

py::dict dict_of(const Members& members) {
  py::dict dict;
  for (const auto& [key, value] : members) set(dict, key_text(key), value);
  return dict;
}

/// Of rows that have all the same keys, as tables do: a copy of the first with other values takes
/// half the time of a new dict.
py::list rows_of(const nlohmann::ordered_json& json) {
  const auto& first = json.front().get_ref<const Members&>();
  const py::dict pattern = dict_of(first);
  std::vector<PyObject*> keys;
  for (const auto& member : first) keys.push_back(key_text(member.first));
  py::list list(json.size());
  py::ssize_t place = 0;
  for (const auto& row : json) {
    py::dict dict = py::reinterpret_steal<py::dict>(PyDict_Copy(pattern.ptr()));
    std::size_t next = 0;
    for (const auto& member : row.get_ref<const Members&>()) set(dict, keys[next++], member.second);
    PyList_SET_ITEM(list.ptr(), place++, dict.release().ptr());
  }
  return list;
}

bool is_table(const nlohmann::ordered_json& json) {
  if (json.size() < 2 || !json.front().is_object()) return false;
  const auto& first = json.front().get_ref<const Members&>();
  return std::all_of(json.begin(), json.end(), [&](const nlohmann::ordered_json& row) {
    return row.is_object() && row.size() == first.size() &&
           std::equal(first.begin(), first.end(), row.get_ref<const Members&>().begin(),
                      [](const auto& a, const auto& b) { return a.first == b.first; });
  });
}

py::list list_of(const nlohmann::ordered_json& json) {
  if (is_table(json)) return rows_of(json);
  py::list list(json.size());
  py::ssize_t place = 0;
  for (const auto& value : json) {
    PyList_SET_ITEM(list.ptr(), place++, to_python(value).release().ptr());
  }
  return list;
}

}  // namespace

py::object to_python(const nlohmann::ordered_json& json) {
  using Kind = nlohmann::ordered_json::value_t;
  switch (json.type()) {
    case Kind::object: return dict_of(json.get_ref<const Members&>());
    case Kind::array: return list_of(json);
    case Kind::string: return py::str(json.get_ref<const std::string&>());
    case Kind::boolean: return py::bool_(json.get<bool>());
    case Kind::number_integer: return py::int_(json.get<std::int64_t>());
    case Kind::number_unsigned: return py::int_(json.get<std::uint64_t>());
    case Kind::number_float: return py::float_(json.get<double>());
    default: return py::none();
  }
}

}  // namespace cubcal::python
