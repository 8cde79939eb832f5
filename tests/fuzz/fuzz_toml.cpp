#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal_nn/recipe/strict_table.h"
#include "cubcal_nn/recipe/toml_limits.h"

namespace {

/// Asks for the first keys as every kind of value.
void read_all(cubcal::StrictTable table) {
  const auto ask = [&](const std::string& key, auto value) {
    try {
      table.read(key.c_str(), value);
    } catch (const cubcal::ArgumentError&) {
    }
  };
  std::vector<std::string> keys = table.keys();
  keys.resize(std::min<std::size_t>(keys.size(), 100));
  for (const std::string& key : keys) {
    if (key.find('\0') != std::string::npos) continue;  // no key of a recipe's
    ask(key, false);
    ask(key, 0.0);
    ask(key, 0);
    ask(key, std::int64_t{0});
    ask(key, std::uint64_t{0});
    ask(key, std::string());
    ask(key, std::vector<std::string>());
    ask(key, std::vector<std::int64_t>());
    ask(key, std::vector<std::vector<double>>());
    ask(key, std::optional<double>());
    ask(key, std::optional<std::pair<double, double>>());
    try {
      read_all(table.section(key.c_str()));
    } catch (const cubcal::ArgumentError&) {
    }
  }
}

/// Takes the whole table for lists of texts, as a plan's variants are.
void read_lists(cubcal::StrictTable table) {
  std::vector<std::string> list;
  for (const std::string& key : table.keys()) table.read(key.c_str(), list);
  table.finish();
}

}  // namespace

// Any text within the limits is TOML or a parse error. The layer below recipes: those themselves
// need LibTorch (fuzz_recipe).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  toml::table table;
  try {
    cubcal::check_toml_depth(text, "input");
    table = toml::parse(text, std::string("input"));
  } catch (const cubcal::ArgumentError&) {
    return 0;
  } catch (const toml::parse_error&) {
    return 0;
  }
  cubcal::Settings settings;
  cubcal::StrictTable root(&table, "", "input");
  root.note_to(&settings);
  read_all(root);
  try {
    read_lists(cubcal::StrictTable(&table, "", "input"));
  } catch (const cubcal::ArgumentError&) {
  }
  try {
    cubcal::check_toml_numbers(table, "input");
  } catch (const cubcal::ArgumentError&) {
    return 0;
  }
  std::ostringstream written;
  written << table;
  return 0;
}
