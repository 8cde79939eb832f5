#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "evaluation.h"

namespace cubcal::app {

using Json = nlohmann::ordered_json;

/// The whole evaluation; undefined values are null.
std::string evaluation_json(const Evaluation& evaluation);

/// {"accuracy": 0.86, ...}: fractions and nats, counts as whole numbers, null where undefined.
Json metrics_json(const MetricValues& values);

/// {"accuracy": [low, high], ...}.
Json intervals_json(const MetricIntervals& intervals);

/// How the numbers were computed, for the reader of a report.
Json convention_json(const MetricOptions& options);

Json bootstrap_json(const BootstrapOptions& options, bool by_group);

}  // namespace cubcal::app
