#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal_nn/recipe/toml.h"

namespace cubcal {

/// A table of a recipe that is read key by key and then held to have had no other keys. Every error
/// is an ArgumentError that names the file, the line and the key.
class StrictTable {
 public:
  /// `table` may be null: then every key is absent. `path` is "" for the whole recipe, else "data"
  /// or "data.phantom"; `source` names the file.
  StrictTable(const toml::table* table, std::string path, std::string source);

  bool present() const { return table_ != nullptr; }

  // Each leaves the value as it is where the key is absent.
  void read(const char* key, bool& value);
  void read(const char* key, double& value);
  void read(const char* key, int& value);
  void read(const char* key, std::int64_t& value);
  void read(const char* key, std::uint64_t& value);  ///< size_t too
  void read(const char* key, std::string& value);
  void read(const char* key, std::vector<std::string>& value);
  void read(const char* key, std::vector<std::int64_t>& value);
  void read(const char* key, std::optional<double>& value);
  void read(const char* key, std::optional<std::int64_t>& value);

  /// Text that `parse` turns into a value; what it throws is told with file, line and key.
  template <class Value, class Parse>
  void read_as(const char* key, Value& value, const Parse& parse) {
    std::string text;
    if (find(key) == nullptr) return;
    read(key, text);
    try {
      value = parse(text);
    } catch (const std::exception& error) {
      refuse(key, error.what());
    }
  }

  StrictTable section(const char* key);

  /// The keys there are, for tables whose keys are names of the user's.
  std::vector<std::string> keys() const;

  /// Throws where a key was never asked for, and names the nearest one that was.
  void finish() const;

  bool has(const char* key) const { return table_ != nullptr && table_->contains(key); }

 private:
  const toml::table* table_;
  std::string path_;
  std::string source_;
  std::vector<std::string> known_;

  const toml::node* find(const char* key);
  std::string full_name(const std::string& key) const;
  [[noreturn]] void refuse(const char* key, const std::string& why) const;
  [[noreturn]] void refuse_type(const char* key, const char* accepted) const;
  std::string place(const toml::node& node) const;
};

}  // namespace cubcal
