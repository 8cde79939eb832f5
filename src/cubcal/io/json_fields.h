#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cubcal {

/// The fields of a JSON object, each as what it must be. What is not so is a DataError that names
/// the field: "a calibration needs the field 't'", "the calibration's field 't' must be a number,
/// not string". Looks at the object, which must outlive it.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  /// `owner` is what errors say the field is of: "calibration".
  JsonFields(const Json& json, const char* owner) : json_(json), owner_(owner) {}

  bool has(const char* name) const { return json_.is_object() && json_.contains(name); }
  const Json& at(const char* name) const;
  /// The fields of an object within this one.
  JsonFields object(const char* name) const { return {at(name), owner_}; }

  double number(const char* name) const;
  std::optional<double> number_or_null(const char* name) const;
  std::size_t count(const char* name) const;          ///< a whole number from 0 on
  std::int64_t whole_number(const char* name) const;  ///< of either sign
  std::string text(const char* name) const;
  std::vector<std::string> texts(const char* name) const;

  /// The error of a field that is not what is accepted.
  [[noreturn]] void refuse(const char* name, const std::string& accepted, const Json& value) const;

 private:
  const Json& json_;
  const char* owner_;
};

/// The text of a field; empty where there is none, or it is no text.
std::string text_in(const nlohmann::ordered_json& json, const char* name);

/// The value, or null.
nlohmann::ordered_json json_or_null(const std::optional<double>& value);

}  // namespace cubcal
