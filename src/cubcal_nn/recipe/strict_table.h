#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/core/option_reader.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/recipe/toml.h"

namespace cubcal {

/// A table of a recipe that is read key by key and then held to have had no other keys. Every error
/// is an ArgumentError that names the file, the line and the key.
class StrictTable : public OptionReader {
 public:
  /// `table` may be null: then every key is absent. `path` is "" for the whole recipe, else "data"
  /// or "data.phantom"; `source` names the file.
  StrictTable(const toml::table* table, std::string path, std::string source);

  bool present() const { return table_ != nullptr; }

  /// From now on every key that is read is noted here with the value in force, its default where
  /// the key is absent. Null: no longer. Sections note to the same list.
  void note_to(Settings* settings) { settings_ = settings; }

  // Each leaves the value as it is where the key is absent.
  void read(const char* key, bool& value) override;
  void read(const char* key, double& value) override;
  void read(const char* key, int& value) override;
  void read(const char* key, std::int64_t& value) override;
  void read(const char* key, std::uint64_t& value);  ///< size_t too
  void read(const char* key, std::string& value) override;
  void read(const char* key, std::vector<std::string>& value);
  void read(const char* key, std::vector<std::int64_t>& value);
  void read(const char* key, std::vector<std::vector<double>>& value);
  void read(const char* key, std::optional<double>& value);
  void read(const char* key, std::optional<std::int64_t>& value);
  /// [low, high].
  void read(const char* key, std::optional<std::pair<double, double>>& value);

  /// Text that `parse` turns into a value, which `name` turns back; what `parse` throws is told
  /// with file, line and key.
  template <class Value, class Parse, class Name>
  void read_named(const char* key, Value& value, const Parse& parse, const Name& name) {
    if (find(key) != nullptr) {
      const std::string text = text_at(key);
      try {
        value = parse(text);
      } catch (const std::exception& error) {
        refuse(key, error.what());
      }
    }
    note(key, std::string(name(value)));
  }
  using OptionReader::read_named;

  StrictTable section(const char* key);

  /// The keys there are, for tables whose keys are names of the user's.
  std::vector<std::string> keys() const;

  /// Throws where a key was never asked for, and names the nearest one that was.
  void finish() const;

  bool has(const char* key) const { return table_ != nullptr && table_->contains(key); }
  /// Whether the key is there and holds text.
  bool has_text(const char* key) const { return has(key) && table_->get(key)->is_string(); }
  [[noreturn]] void refuse(const char* key, const std::string& why) const override;

 private:
  const toml::table* table_;
  std::string path_;
  std::string source_;
  std::vector<std::string> known_;
  Settings* settings_ = nullptr;

  const toml::node* find(const char* key);
  std::string text_at(const char* key) const;
  std::string full_name(const std::string& key) const;
  [[noreturn]] void refuse_type(const char* key, const char* accepted) const;
  std::string place(const toml::node& node) const;
  template <class Value>
  void note(const char* key, const Value& value);
};

}  // namespace cubcal
