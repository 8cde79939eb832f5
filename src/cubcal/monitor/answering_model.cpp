#include "cubcal/monitor/answering_model.h"

#include <nlohmann/json.hpp>

#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

std::string text_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool differ(const std::string& first, const std::string& second) {
  return !first.empty() && !second.empty() && first != second;
}

}  // namespace

std::string ModelMark::text() const {
  const std::string title = !name.empty() ? name : served;
  std::string text = title.empty() ? "a model" : in_quotes(title);
  if (!version.empty()) text += " " + printable(version);
  text += " (weights " + printable(weights_hash);
  if (!decision_hash.empty()) text += ", decision " + printable(decision_hash);
  return text + ")";
}

ModelMark model_mark(const Json& json) {
  const auto model = json.find("model");
  const bool is_served = model != json.end() && model->is_object();
  const Json& fields = is_served ? *model : json;
  return {is_served ? text_in(fields, "name") : std::string(), text_in(fields, "model_name"),
          text_in(fields, "model_version"), text_in(fields, "weights_hash"),
          text_in(fields, "decision_hash")};
}

bool AnsweringModel::counts(const ModelMark& mark) const {
  const auto starts = [&](const std::string& hash) { return hash.rfind(only_, 0) == 0; };
  return only_.empty() || mark.served == only_ || mark.name == only_ || starts(mark.weights_hash) ||
         starts(mark.decision_hash);
}

void AnsweringModel::check(const ModelMark& mark, const std::string& where) {
  if (mark.weights_hash.empty()) return;
  if (first_.weights_hash.empty()) {
    first_ = mark;
    where_ = where;
    return;
  }
  if (differ(first_.weights_hash, mark.weights_hash) ||
      differ(first_.decision_hash, mark.decision_hash)) {
    throw OtherModel(where + " is of " + mark.text() + ", but " + where_ + " of " + first_.text() +
                     ": answers of one model alone can be compared");
  }
  if (first_.decision_hash.empty() && !mark.decision_hash.empty()) {
    first_ = mark;
    where_ = where;
  }
}

}  // namespace cubcal
