#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cubcal/evaluation/evaluation.h"

namespace cubcal {

/// The whole evaluation; undefined values are null.
nlohmann::ordered_json evaluation_document(const Evaluation& evaluation);
/// The same as text.
std::string evaluation_json(const Evaluation& evaluation);

/// Of several files: {"cubcal": ..., "evaluations": [...]}, each with its `file`.
std::string evaluations_json(const std::vector<Evaluation>& evaluations);

/// `metrics`, `per_class`, `operating_points` and `confusion` (shares of each label's samples;
/// rows: labels), each with `intervals` where there are some; undefined values are null.
nlohmann::ordered_json clinical_json(const ClinicalResult& clinical,
                                     const std::vector<std::string>& class_names);

/// {"accuracy": 0.86, ...}: fractions and nats, counts as whole numbers, null where undefined.
nlohmann::ordered_json metrics_json(const MetricValues& values);

/// [low, high], or null.
nlohmann::ordered_json interval_json(const std::optional<Interval>& interval);

/// {"accuracy": [low, high], ...}.
nlohmann::ordered_json intervals_json(const MetricIntervals& intervals);

/// {"accuracy": 0.03, ...}, null where undefined: numbers that are none of the metrics' own unit.
nlohmann::ordered_json p_values_json(const MetricValues& p_values);

/// How the numbers were computed, for the reader of a report.
nlohmann::ordered_json convention_json(const MetricOptions& options);

nlohmann::ordered_json bootstrap_json(const BootstrapOptions& options, bool by_group);

}  // namespace cubcal
