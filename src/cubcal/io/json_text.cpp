#include "cubcal/io/json_text.h"

#include <unordered_set>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Json = nlohmann::json;

/// Sees the parts of a document as they are read and keeps only the keys of the objects open.
class JsonWatch final : public nlohmann::json_sax<Json> {
 public:
  JsonWatch(const std::string& name, const JsonLimits& limits) : name_(name), limits_(limits) {}

  bool null() override { return count(); }
  bool boolean(bool /*value*/) override { return count(); }
  bool number_integer(number_integer_t /*value*/) override { return count(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return count(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return count(); }
  bool string(string_t& /*value*/) override { return count(); }
  bool binary(binary_t& /*value*/) override { return count(); }
  bool start_object(std::size_t /*elements*/) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    std::unordered_set<std::string>& keys = keys_[depth_ - 1];
    if (keys.size() == limits_.keys) {
      throw DataError(name_ + " has an object of more than " + std::to_string(limits_.keys) +
                      " keys, the most accepted here");
    }
    if (!keys.insert(value).second) {
      throw DataError(name_ + " has the key " + in_quotes(value) + " twice");
    }
    return count();
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    throw DataError(name_ + " is not valid JSON at byte " + std::to_string(position));
  }

 private:
  bool count() {
    if (++values_ > limits_.values) {
      throw DataError(name_ + " holds more than " + std::to_string(limits_.values) +
                      " values, the most accepted here");
    }
    return true;
  }
  bool open() {
    if (++depth_ > limits_.depth) {
      throw DataError(name_ + " is nested too deeply: at most " + std::to_string(limits_.depth) +
                      " levels are accepted");
    }
    if (keys_.size() < depth_) keys_.emplace_back();
    keys_[depth_ - 1].clear();
    return count();
  }
  bool close() {
    --depth_;
    return true;
  }

  const std::string& name_;
  const JsonLimits& limits_;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
  std::vector<std::unordered_set<std::string>> keys_;  ///< one set for each level
};

}  // namespace

void check_json(const std::string& text, const std::string& name, const JsonLimits& limits) {
  // To the parser a NUL is the end, whatever follows it.
  if (const std::size_t end = text.find('\0'); end != std::string::npos) {
    throw DataError(name + " is not valid JSON at byte " + std::to_string(end + 1));
  }
  JsonWatch watch(name, limits);
  Json::sax_parse(text, &watch);
}

}  // namespace cubcal
