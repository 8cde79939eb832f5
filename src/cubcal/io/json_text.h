#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "cubcal/io/atomic_file.h"

namespace cubcal {

/// What a JSON document from outside may be. Copying and writing a document recurse over its depth,
/// and an ordered object looks through all its keys for each new one: both are safe within these
/// limits and are not beyond them.
struct JsonLimits {
  std::size_t depth = 32;          ///< objects and arrays within each other
  std::size_t keys = 1024;         ///< of one object
  std::size_t values = 1'000'000;  ///< of the whole document, keys included
};

/// Throws DataError, a sentence with `name` as its subject, where the text is not JSON, leaves the
/// limits or has an object with the same key twice. Builds nothing: time and memory are linear in
/// the text.
void check_json(const std::string& text, const std::string& name, const JsonLimits& limits = {});

/// The one way into the program for JSON text that it did not just write itself.
template <class Json = nlohmann::ordered_json>
Json parse_json(const std::string& text, const std::string& name, const JsonLimits& limits = {}) {
  check_json(text, name, limits);
  return Json::parse(text);
}

/// The same for a file of at most max_bytes.
template <class Json = nlohmann::ordered_json>
Json load_json(const std::string& path, std::size_t max_bytes) {
  return parse_json<Json>(read_text_file(path, max_bytes), "'" + path + "'");
}

}  // namespace cubcal
