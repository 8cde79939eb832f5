#include "cubcal/record/model_mark.h"

#include <nlohmann/json.hpp>

#include "cubcal/io/json_fields.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

/// Null is not a calibration; what is not there is not known.
std::optional<std::string> calibration_in(const Json& json) {
  const auto found = json.find("calibration");
  if (found == json.end() || !(found->is_null() || found->is_string())) return std::nullopt;
  return text_in(json, "calibration");
}

}  // namespace

std::string ModelMark::text() const {
  const std::string title = !name.empty() ? name : served;
  std::string text = title.empty() ? "a model" : in_quotes(title);
  if (!version.empty()) text += " " + printable(version);
  if (weights_hash.empty()) return text;
  text += " (weights " + printable(weights_hash);
  if (!decision_hash.empty()) text += ", decision " + printable(decision_hash);
  return text + ")";
}

ModelMark model_mark(const Json& json) {
  const auto model = json.find("model");
  const bool is_served = model != json.end() && model->is_object();
  const Json& fields = is_served ? *model : json;
  return {is_served ? text_in(fields, "name") : std::string(),
          text_in(fields, "model_name"),
          text_in(fields, "model_version"),
          text_in(fields, "weights_hash"),
          text_in(fields, "decision_hash"),
          calibration_in(fields)};
}

}  // namespace cubcal
