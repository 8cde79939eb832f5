#pragma once

#include <cstddef>
#include <string>

#include "cubcal/core/error.h"

/// Values of an enumeration and the names users write for them, in one table each.
namespace cubcal {

template <class Value>
struct NamedValue {
  const char* name;
  Value value;
};

/// "fixed, share or auto".
template <class Value, std::size_t N>
std::string listed_names(const NamedValue<Value> (&table)[N]) {
  std::string text;
  for (std::size_t i = 0; i < N; ++i) {
    if (i > 0) text += i + 1 == N ? " or " : ", ";
    text += table[i].name;
  }
  return text;
}

/// Throws ArgumentError "must be fixed, share or auto, not 'half'" where the table has no such
/// name, with `subject` in front where there is one.
template <class Value, std::size_t N>
Value value_named(const NamedValue<Value> (&table)[N], const std::string& name,
                  const std::string& subject = {}) {
  for (const NamedValue<Value>& each : table) {
    if (name == each.name) return each.value;
  }
  throw ArgumentError((subject.empty() ? "" : subject + " ") + "must be " + listed_names(table) +
                      ", not '" + name + "'");
}

/// The first name of a value; every value of an enumeration is in its table.
template <class Value, std::size_t N>
const char* name_of(const NamedValue<Value> (&table)[N], Value value) {
  for (const NamedValue<Value>& each : table) {
    if (value == each.value) return each.name;
  }
  return "";
}

}  // namespace cubcal
