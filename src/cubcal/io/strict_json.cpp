#include "cubcal/io/strict_json.h"

#include <nlohmann/json.hpp>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

using nlohmann::json;

json parse_strict_json(const std::string& text, const JsonText& about) {
  std::vector<std::set<std::string>> keys(about.deepest + 1);
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (level >= about.deepest) throw DataError(about.subject + " is nested too deeply");
      keys[level + 1].clear();
    } else if (event == json::parse_event_t::key) {
      const std::string& key = parsed.get_ref<const std::string&>();
      if (!keys[level].insert(key).second) {
        throw DataError(about.subject + " has the key " + in_quotes(key) + " twice");
      }
    }
    return true;
  };
  json object;
  try {
    object = json::parse(text, watch);
  } catch (const json::parse_error& error) {
    throw DataError(about.subject + " is not valid JSON at byte " +
                    std::to_string(about.first_byte + error.byte));
  } catch (const json::exception&) {
    throw DataError(about.subject + " is not valid JSON");
  }
  if (!object.is_object()) throw DataError(about.subject + " is not a JSON object");
  return object;
}

std::vector<std::size_t> parse_shape(const json& entry, const std::string& where) {
  std::vector<std::size_t> shape;
  bool counts = entry.is_array();
  for (std::size_t i = 0; counts && i < entry.size(); ++i) {
    counts = entry[i].is_number_unsigned();
    if (counts) shape.push_back(entry[i].get<std::size_t>());
  }
  if (!counts) {
    throw DataError("the shape of " + where + " is not a list of non-negative integers");
  }
  return shape;
}

}  // namespace cubcal
