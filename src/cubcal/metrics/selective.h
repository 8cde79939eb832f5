#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

/// Selective prediction: answer the samples one is most certain of and refer the rest.
namespace cubcal {

enum class Certainty { kEntropy, kConfidence };

/// Sample indices, most certain first; samples of equal certainty keep their order.
std::vector<std::uint32_t> order_by_certainty(const SampleFacts& facts, Certainty certainty);

/// risk[i] is the error rate among the i + 1 most certain samples (coverage (i + 1) / N).
/// Samples of equal certainty keep the order of the file, as in the reference cases.
std::vector<double> risk_coverage(const SampleFacts& facts, Certainty certainty);

/// AURC: the mean of that curve over its N points. 0 is perfect; lower is better.
double area_under_risk_coverage(const std::vector<double>& risk);

/// AURC by U, of samples that are there as often as `counts` says.
double area_under_risk_coverage(const SampleFacts& facts, SampleCounts counts = {});

/// Accuracy among the ceil(coverage N) most certain samples; coverage in (0, 1].
double accuracy_at_coverage(const std::vector<double>& risk, double coverage);

/// The largest coverage whose risk is at or below `target`; undefined when every coverage exceeds
/// it.
std::optional<double> coverage_at_risk(const std::vector<double>& risk, double target);

}  // namespace cubcal
