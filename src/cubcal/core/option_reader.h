#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cubcal/core/named_values.h"

namespace cubcal {

/// Where options are read from by name: a table of a recipe, say. Each `read` leaves the value as
/// it is where the key is absent, and throws ArgumentError where the key holds another type.
class OptionReader {
 public:
  virtual ~OptionReader() = default;

  virtual void read(const char* key, bool& value) = 0;
  virtual void read(const char* key, double& value) = 0;
  virtual void read(const char* key, int& value) = 0;
  virtual void read(const char* key, std::int64_t& value) = 0;
  virtual void read(const char* key, std::string& value) = 0;

  /// Throws ArgumentError that says where the key stands.
  [[noreturn]] virtual void refuse(const char* key, const std::string& why) const = 0;

  /// Text that is the name of a value.
  template <class Value, std::size_t N>
  void read_named(const char* key, Value& value, const NamedValue<Value> (&table)[N]) {
    std::string name = name_of(table, value);
    read(key, name);
    try {
      value = value_named(table, name);
    } catch (const ArgumentError& error) {
      refuse(key, error.what());
    }
  }
};

}  // namespace cubcal
