#include "cubcal/io/json_fields.h"

#include <limits>

#include "cubcal/core/error.h"

namespace cubcal {

const JsonFields::Json& JsonFields::at(const char* name) const {
  if (!has(name)) {
    throw DataError("a " + std::string(owner_) + " needs the field '" + name + "'");
  }
  return json_[name];
}

void JsonFields::refuse(const char* name, const std::string& accepted, const Json& value) const {
  throw DataError("the " + std::string(owner_) + "'s field '" + name + "' must be " + accepted +
                  ", not " + value.type_name() + (value.is_number() ? " " + value.dump() : ""));
}

std::optional<JsonFields> JsonFields::known_object(const char* name) const {
  if (!knows(name)) return std::nullopt;
  if (!at(name).is_object()) refuse(name, "an object", at(name));
  return object(name);
}

std::vector<JsonFields> JsonFields::objects(const char* name) const {
  std::vector<JsonFields> list;
  if (!knows(name)) return list;
  if (!at(name).is_array()) refuse(name, "a list of objects", at(name));
  for (const Json& entry : at(name)) {
    if (!entry.is_object()) refuse(name, "a list of objects", entry);
    list.emplace_back(entry, owner_);
  }
  return list;
}

double JsonFields::number(const char* name) const {
  const Json& value = at(name);
  if (!value.is_number()) refuse(name, "a number", value);
  return value.get<double>();
}

std::optional<double> JsonFields::number_or_null(const char* name) const {
  if (at(name).is_null()) return std::nullopt;
  return number(name);
}

std::size_t JsonFields::count(const char* name) const {
  const Json& value = at(name);
  if (!value.is_number_unsigned()) refuse(name, "a whole number from 0 on", value);
  return value.get<std::size_t>();
}

std::size_t JsonFields::count(const char* name, std::size_t least, std::size_t most) const {
  const std::size_t value = count(name);
  if (value < least || value > most) {
    refuse(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
           at(name));
  }
  return value;
}

std::int64_t JsonFields::whole_number(const char* name) const {
  const Json& value = at(name);
  const bool is_large = value.is_number_unsigned() &&
                        value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
  if (is_large) refuse(name, "a whole number below 2^63", value);
  if (!value.is_number_integer()) refuse(name, "a whole number", value);
  return value.get<std::int64_t>();
}

std::string JsonFields::text(const char* name) const {
  const Json& value = at(name);
  if (!value.is_string()) refuse(name, "text", value);
  return value.get<std::string>();
}

std::vector<std::string> JsonFields::texts(const char* name) const {
  const Json& value = at(name);
  if (!value.is_array()) refuse(name, "a list of texts", value);
  std::vector<std::string> list;
  for (const Json& entry : value) {
    if (!entry.is_string()) refuse(name, "a list of texts", entry);
    list.push_back(entry.get<std::string>());
  }
  return list;
}

bool JsonFields::flag(const char* name) const {
  const Json& value = at(name);
  if (!value.is_boolean()) refuse(name, "true or false", value);
  return value.get<bool>();
}

std::vector<double> JsonFields::numbers(const char* name) const {
  const Json& value = at(name);
  if (!value.is_array()) refuse(name, "a list of numbers", value);
  std::vector<double> list;
  for (const Json& entry : value) {
    if (!entry.is_number()) refuse(name, "a list of numbers", entry);
    list.push_back(entry.get<double>());
  }
  return list;
}

std::map<std::string, double> JsonFields::named_numbers(const char* name) const {
  const JsonFields inside = object(name);
  if (!inside.json_.is_object()) refuse(name, "an object of numbers", inside.json_);
  std::map<std::string, double> values;
  for (const auto& [key, value] : inside.json_.items()) values[key] = inside.number(key.c_str());
  return values;
}

nlohmann::ordered_json json_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

std::string text_in(const nlohmann::ordered_json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace cubcal
