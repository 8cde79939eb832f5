#include "cubcal/record/model_identity.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLongestVersion = 50;
constexpr std::size_t kLongestUse = 4000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void check_text(const char* what, const std::string& text, std::size_t least, std::size_t most) {
  const bool has_control = std::any_of(text.begin(), text.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < ' '; });
  if (text.size() >= least && text.size() <= most && !has_control && is_utf8(text)) return;
  throw ArgumentError(std::string(what) + " of a model must be a line of " +
                      (least > 0 ? "1 to " : "at most ") + std::to_string(most) +
                      " bytes of UTF-8 text");
}

/// It names a folder, on whatever system the model goes to.
void check_version(const std::string& version) {
  const bool fits = !version.empty() && version.size() <= kLongestVersion &&
                    std::isalnum(static_cast<unsigned char>(version.front())) != 0 &&
                    std::all_of(version.begin(), version.end(), [](char c) {
                      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ||
                             c == '-' || c == '_' || c == '+';
                    });
  if (fits) return;
  throw ArgumentError("the version of a model must be 1 to " + std::to_string(kLongestVersion) +
                      " letters, digits, '.', '-', '_' or '+', a letter or digit first, not " +
                      in_quotes(version));
}

/// The parts of "1.10" by length and digits, which sort as the numbers do whatever their size.
std::optional<std::vector<std::pair<std::size_t, std::string>>> version_numbers(
    const std::string& version) {
  std::vector<std::pair<std::size_t, std::string>> parts;
  for (std::size_t start = 0; start <= version.size();) {
    const std::size_t end = std::min(version.find('.', start), version.size());
    std::string digits = version.substr(start, end - start);
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    parts.emplace_back(digits.size(), digits);
    start = end + 1;
  }
  return parts;
}

}  // namespace

void check_identity(const ModelIdentity& identity) {
  check_text("the name", identity.name, 1, kLongestName);
  check_version(identity.version);
  check_text("the intended use", identity.intended_use, 0, kLongestUse);
  check_text("the date", identity.made, 0, kLongestVersion);
}

std::string next_version(const std::string& version) {
  std::size_t start = version.size();
  while (start > 0 && is_digit(version[start - 1])) --start;
  if (start == version.size()) return version + ".2";
  std::string digits = version.substr(start);
  std::size_t place = digits.size();
  while (place > 0 && digits[place - 1] == '9') digits[--place] = '0';
  if (place > 0) {
    ++digits[place - 1];
  } else {
    digits.insert(digits.begin(), '1');
  }
  return version.substr(0, start) + digits;
}

bool comes_before(const std::string& version, const std::string& other) {
  const auto first = version_numbers(version);
  const auto second = version_numbers(other);
  return first && second && *first < *second;
}

Json identity_to_json(const ModelIdentity& identity) {
  return {{"name", identity.name},
          {"version", identity.version},
          {"intended_use", identity.intended_use},
          {"status", name_of(kModelStatuses, identity.status)},
          {"made", identity.made}};
}

ModelIdentity identity_from_json(const Json& json) {
  const JsonFields fields(json, "model's identity");
  ModelIdentity identity;
  identity.name = fields.text("name");
  identity.version = fields.text("version");
  if (fields.has("intended_use")) identity.intended_use = fields.text("intended_use");
  if (fields.has("made")) identity.made = fields.text("made");
  try {
    if (fields.has("status")) {
      identity.status = value_named(kModelStatuses, fields.text("status"), "the status of a model");
    }
    check_identity(identity);
  } catch (const ArgumentError& error) {
    throw DataError(error.what());
  }
  return identity;
}

std::optional<ModelIdentity> identity_in(const Json& document) {
  if (!document.is_object() || !document.contains(kIdentityField)) return std::nullopt;
  return identity_from_json(document[kIdentityField]);
}

}  // namespace cubcal
