#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
  /// Whether it is there and not null.
  bool knows(const char* name) const { return has(name) && !json_[name].is_null(); }
  const Json& at(const char* name) const;
  /// The fields of an object within this one.
  JsonFields object(const char* name) const { return {at(name), owner_}; }
  /// The same where the object may be absent or null, which gives nothing.
  std::optional<JsonFields> known_object(const char* name) const;
  /// The objects of a list; none where it is absent or null.
  std::vector<JsonFields> objects(const char* name) const;

  double number(const char* name) const;
  std::optional<double> number_or_null(const char* name) const;
  std::size_t count(const char* name) const;  ///< a whole number from 0 on
  std::size_t count(const char* name, std::size_t least, std::size_t most) const;
  std::int64_t whole_number(const char* name) const;  ///< of either sign
  std::string text(const char* name) const;
  std::vector<std::string> texts(const char* name) const;
  bool flag(const char* name) const;  ///< true or false
  std::vector<double> numbers(const char* name) const;
  std::map<std::string, double> named_numbers(const char* name) const;  ///< of an object

  /// What the field holds, by the type of `value`, which stays as it is where the field is absent
  /// or null.
  template <class Value>
  void read(const char* name, Value& value) const {
    if (knows(name)) take(name, value);
  }

  /// The error of a field that is not what is accepted.
  [[noreturn]] void refuse(const char* name, const std::string& accepted, const Json& value) const;

 private:
  void take(const char* name, std::string& value) const { value = text(name); }
  void take(const char* name, double& value) const { value = number(name); }
  void take(const char* name, bool& value) const { value = flag(name); }
  void take(const char* name, std::int64_t& value) const { value = whole_number(name); }
  void take(const char* name, std::size_t& value) const { value = count(name); }
  void take(const char* name, std::vector<std::string>& value) const { value = texts(name); }
  void take(const char* name, std::map<std::string, double>& value) const {
    value = named_numbers(name);
  }
  template <class Value>
  void take(const char* name, std::optional<Value>& value) const {
    take(name, value.emplace());
  }

  const Json& json_;
  const char* owner_;
};

/// The text of a field; empty where there is none, or it is not a text.
std::string text_in(const nlohmann::ordered_json& json, const char* name);

/// The value, or null.
nlohmann::ordered_json json_or_null(const std::optional<double>& value);
/// The text, or null where it is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

}  // namespace cubcal
