#include "cubcal/record/decision_hash.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCovered[] = {"identity",    "network",       "layers",     "dropout_rate",
                                    "class_names", "preprocessing", "thresholds", "calibration",
                                    "verdict",     "weights_hash"};

}  // namespace

std::string decision_hash(const Json& document) {
  ContentHash hash;
  for (const char* field : kCovered) {
    hash.add(std::string(field));
    if (!document.contains(field)) continue;
    // In the order of the keys, which another program may have changed.
    hash.add(nlohmann::json(document[field]).dump());
  }
  return hash.text();
}

void check_decision_hash(const Json& document) {
  if (!document.is_object() || !document.contains(kDecisionHashField)) return;
  if (document[kDecisionHashField] == decision_hash(document)) return;
  throw DataError(
      "name, classes, preprocessing, thresholds, calibration or verdict of the model are not those "
      "it was written with: its hash is another, so it was changed by hand or damaged");
}

}  // namespace cubcal
