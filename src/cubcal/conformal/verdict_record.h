#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/conformal/verdict_rule.h"

namespace cubcal {

/// What a rule did with images that no verdict may accept.
struct ProbeRates {
  std::string name;
  VerdictRates rates;
};

/// What became of a rule on images that nothing was fitted on.
struct VerdictOutcome {
  std::optional<VerdictRates> id;      ///< images like those of training
  std::vector<VerdictRates> by_class;  ///< of the same, by label
  std::optional<VerdictRates> ood;     ///< outliers, whose answers are all wrong
};

/// A rule as the field `verdict` of model.json keeps it: with whose scores it is for, and what was
/// promised and achieved. Its ID scores lie elsewhere.
struct VerdictRecord : VerdictRule {
  VerdictRecord() = default;
  VerdictRecord(VerdictRule rule) : VerdictRule(std::move(rule)) {}  // NOLINT: meant to convert

  std::string detector;            ///< whose score it is
  std::size_t passes = 0;          ///< of the prediction whose U the threshold is for
  std::string calibration;         ///< hash of the calibration it is for; empty: none
  VerdictOutcome achieved;         ///< empty for models of versions that kept none
  std::vector<ProbeRates> probes;  ///< empty for models of versions that made none
};

nlohmann::ordered_json verdict_record_to_json(const VerdictRecord& record);
/// Fields that are none of a record are passed over. Throws DataError naming the field that is
/// missing or outside its domain.
VerdictRecord verdict_record_from_json(const nlohmann::ordered_json& json);

}  // namespace cubcal
