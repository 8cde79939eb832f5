#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace cubcal {

/// What error messages call a JSON text, and how it may look.
struct JsonText {
  std::string subject;           ///< "the header of 'a.safetensors'"
  std::size_t deepest = 0;       ///< objects and lists inside each other; more are refused
  std::uint64_t first_byte = 0;  ///< where the text begins in its file
};

/// Parses a JSON object from outside. Throws DataError for text that is not JSON, that nests deeper
/// than allowed or has a key twice (of which a parser would keep one and hide the other).
nlohmann::json parse_strict_json(const std::string& text, const JsonText& about);

/// A tensor's shape; `where` names the tensor in the DataError for anything but a list of
/// non-negative integers.
std::vector<std::size_t> parse_shape(const nlohmann::json& entry, const std::string& where);

}  // namespace cubcal
