#include "cubcal/metrics/selective.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/core/tolerances.h"
#include "cubcal/metrics/value_order.h"

namespace cubcal {

std::vector<std::uint32_t> order_by_certainty(const SampleFacts& facts, Certainty certainty) {
  if (certainty == Certainty::kEntropy) return facts.by_entropy;
  std::vector<double> doubts(facts.samples);
  for (std::size_t i = 0; i < facts.samples; ++i) doubts[i] = -facts.confidence[i];
  return ascending_order(doubts);
}

namespace {

/// Tells `take` the risk at every number of answers, in `order`.
template <class Take>
void walk_risks(const SampleFacts& facts, const std::vector<std::uint32_t>& order,
                SampleCounts counts, Take take) {
  double errors = 0.0;
  double answered = 0.0;
  for (const std::uint32_t i : order) {
    for (std::uint32_t copy = 0; copy < counts[i]; ++copy) {
      errors += 1.0 - facts.correct[i];
      answered += 1.0;
      take(errors / answered);
    }
  }
}

}  // namespace

std::vector<double> risk_coverage(const SampleFacts& facts, Certainty certainty) {
  std::vector<double> risk;
  risk.reserve(facts.samples);
  walk_risks(facts, order_by_certainty(facts, certainty), {},
             [&](double each) { risk.push_back(each); });
  return risk;
}

double area_under_risk_coverage(const std::vector<double>& risk) {
  double area = 0.0;
  for (const double each : risk) area += each;
  return area / static_cast<double>(risk.size());
}

double area_under_risk_coverage(const SampleFacts& facts, SampleCounts counts) {
  double area = 0.0;
  double answered = 0.0;
  walk_risks(facts, facts.by_entropy, counts, [&](double risk) {
    area += risk;
    answered += 1.0;
  });
  return area / answered;
}

double accuracy_at_coverage(const std::vector<double>& risk, double coverage) {
  check_positive("coverage", coverage);
  check_in_closed("coverage", coverage, 0.0, 1.0);
  const double wanted = coverage * static_cast<double>(risk.size());
  const double answered = std::ceil(wanted - kCountSlack);
  const std::size_t last = static_cast<std::size_t>(std::max(1.0, answered)) - 1;
  return 1.0 - risk[std::min(last, risk.size() - 1)];
}

std::optional<double> coverage_at_risk(const std::vector<double>& risk, double target) {
  check_in_closed("the risk target", target, 0.0, 1.0);
  for (std::size_t i = risk.size(); i > 0; --i) {
    if (risk[i - 1] <= target) return static_cast<double>(i) / static_cast<double>(risk.size());
  }
  return std::nullopt;
}

}  // namespace cubcal
