#include "cubcal_nn/recipe/strict_table.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/core/nearest_name.h"

namespace cubcal {

StrictTable::StrictTable(const toml::table* table, std::string path, std::string source)
    : table_(table), path_(std::move(path)), source_(std::move(source)) {}

std::string StrictTable::full_name(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

/// A node without a line was put there by an override.
std::string StrictTable::place(const toml::node& node) const {
  const auto line = node.source().begin.line;
  return line > 0 ? source_ + ", line " + std::to_string(line) : "an override of " + source_;
}

void StrictTable::refuse(const char* key, const std::string& why) const {
  throw ArgumentError(place(*table_->get(key)) + ": '" + full_name(key) + "': " + why);
}

void StrictTable::refuse_type(const char* key, const char* accepted) const {
  throw ArgumentError(place(*table_->get(key)) + ": '" + full_name(key) + "' must be " + accepted);
}

const toml::node* StrictTable::find(const char* key) {
  known_.emplace_back(key);
  return table_ == nullptr ? nullptr : table_->get(key);
}

std::string StrictTable::text_at(const char* key) const {
  const toml::node* node = table_->get(key);
  if (!node->is_string()) refuse_type(key, "text in quotes");
  return node->as_string()->get();
}

template <class Value>
void StrictTable::note(const char* key, const Value& value) {
  if (settings_ != nullptr) settings_->emplace_back(full_name(key), nlohmann::json(value).dump());
}
template void StrictTable::note(const char* key, const std::string& value);

void StrictTable::read(const char* key, bool& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_boolean()) refuse_type(key, "true or false");
    value = node->as_boolean()->get();
  }
  note(key, value);
}

void StrictTable::read(const char* key, double& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_number()) refuse_type(key, "a number");
    value = *node->value<double>();
  }
  note(key, value);
}

void StrictTable::read(const char* key, std::int64_t& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_integer()) refuse_type(key, "a whole number");
    value = node->as_integer()->get();
  }
  note(key, value);
}

void StrictTable::read(const char* key, int& value) {
  std::int64_t wide = value;
  read(key, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    refuse_type(key, "a whole number of at most 31 bits");
  }
  value = static_cast<int>(wide);
}

void StrictTable::read(const char* key, std::uint64_t& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_integer()) refuse_type(key, "a whole number");
    const std::int64_t wide = node->as_integer()->get();
    if (wide < 0) refuse_type(key, "a whole number that is not negative");
    value = static_cast<std::uint64_t>(wide);
  }
  note(key, value);
}

void StrictTable::read(const char* key, std::string& value) {
  if (find(key) != nullptr) value = text_at(key);
  note(key, value);
}

void StrictTable::read(const char* key, std::vector<std::string>& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_array()) refuse_type(key, "a list of texts");
    value.clear();
    for (const toml::node& item : *node->as_array()) {
      if (!item.is_string()) refuse_type(key, "a list of texts");
      value.push_back(item.as_string()->get());
    }
  }
  note(key, value);
}

void StrictTable::read(const char* key, std::vector<std::int64_t>& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_array()) refuse_type(key, "a list of whole numbers");
    value.clear();
    for (const toml::node& item : *node->as_array()) {
      if (!item.is_integer()) refuse_type(key, "a list of whole numbers");
      value.push_back(item.as_integer()->get());
    }
  }
  note(key, value);
}

void StrictTable::read(const char* key, std::vector<std::vector<double>>& value) {
  if (const toml::node* node = find(key)) {
    if (!node->is_array()) refuse_type(key, "a list of lists of numbers");
    value.clear();
    for (const toml::node& row : *node->as_array()) {
      if (!row.is_array()) refuse_type(key, "a list of lists of numbers");
      value.emplace_back();
      for (const toml::node& item : *row.as_array()) {
        if (!item.is_number()) refuse_type(key, "a list of lists of numbers");
        value.back().push_back(*item.value<double>());
      }
    }
  }
  note(key, value);
}

void StrictTable::read(const char* key, std::optional<double>& value) {
  if (has(key)) {
    value.emplace();
    read(key, *value);
  } else {
    find(key);
  }
}

void StrictTable::read(const char* key, std::optional<std::int64_t>& value) {
  if (has(key)) {
    value.emplace();
    read(key, *value);
  } else {
    find(key);
  }
}

void StrictTable::read(const char* key, std::optional<std::pair<double, double>>& value) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  const toml::array* pair = node->as_array();
  const bool fits =
      pair != nullptr && pair->size() == 2 && (*pair)[0].is_number() && (*pair)[1].is_number();
  if (!fits) refuse_type(key, "a list of two numbers");
  value.emplace(*(*pair)[0].value<double>(), *(*pair)[1].value<double>());
  note(key, *value);
}

StrictTable StrictTable::section(const char* key) {
  const toml::node* node = find(key);
  if (node != nullptr && !node->is_table()) refuse_type(key, "a table");
  StrictTable section(node == nullptr ? nullptr : node->as_table(), full_name(key), source_);
  section.note_to(settings_);
  return section;
}

std::vector<std::string> StrictTable::keys() const {
  std::vector<std::string> names;
  if (table_ == nullptr) return names;
  for (const auto& [key, node] : *table_) names.emplace_back(key.str());
  return names;
}

void StrictTable::finish() const {
  if (table_ == nullptr) return;
  const std::set<std::string> known(known_.begin(), known_.end());
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (known.count(name) > 0) continue;
    const std::string nearest = nearest_name(name, known_);
    std::string message = place(node) + ": there is no key '" + full_name(name) + "'";
    if (!nearest.empty()) {
      message += "; did you mean '" + full_name(nearest) + "'?";
    } else {
      message += "; known are";
      for (std::size_t i = 0; i < known_.size(); ++i) message += (i > 0 ? ", " : " ") + known_[i];
    }
    throw ArgumentError(message);
  }
}

}  // namespace cubcal
