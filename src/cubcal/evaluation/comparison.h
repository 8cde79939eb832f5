#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cubcal/metrics/bootstrap.h"

namespace cubcal {

/// What became of one model beside the first.
struct Comparison {
  std::string name;  ///< "B", "C", ...
  std::string file;
  std::string title;
  MetricValues values;
  PairedDifference paired;
  MetricValues holm;  ///< p-values adjusted over the models that are compared with the first
};

/// All that 'cubcal compare' found, for its text and its JSON.
struct ComparisonResult {
  std::string file_a;
  std::string title_a;
  std::string matched_by;  ///< "files" or "order"
  std::size_t samples = 0;
  std::size_t classes = 0;
  bool by_group = false;
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  MetricValues values_a;
  std::vector<Comparison> others;
};

/// "A", "B", ...: what the models are called in their order, the first being compared with.
std::string model_name(std::size_t place);

/// Fills `holm` of each, adjusted over all of them, metric by metric.
void adjust_p_values(std::vector<Comparison>& others);

/// The whole comparison; undefined values are null.
nlohmann::ordered_json comparison_json(const ComparisonResult& result);

}  // namespace cubcal
