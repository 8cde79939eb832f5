#include "cubcal/benefit/cases.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

BenefitCases benefit_cases(const Predictive& predictive, ArrayView<const std::int64_t> labels,
                           const std::vector<std::uint8_t>& positive) {
  check_same_size("positive classes", positive.size(), "the classes", predictive.classes);
  const auto positives = std::count(positive.begin(), positive.end(), 1);
  if (positives == 0 || positives == static_cast<std::ptrdiff_t>(positive.size())) {
    throw ArgumentError("the positive classes must be some of the " +
                        std::to_string(positive.size()) + " classes, not " +
                        (positives == 0 ? "none" : "all") + " of them");
  }
  check_labels(labels, predictive.samples, predictive.classes);
  BenefitCases cases;
  for (std::size_t i = 0; i < predictive.samples; ++i) {
    double risk = 0;
    for (std::size_t k = 0; k < predictive.classes; ++k) {
      if (positive[k] != 0) risk += predictive.probabilities[i * predictive.classes + k];
    }
    cases.risk.push_back(std::min(risk, 1.0));
    cases.diseased.push_back(positive[static_cast<std::size_t>(labels[i])]);
  }
  return cases;
}

std::vector<Decision> decisions_by_uncertainty(const std::vector<double>& uncertainty,
                                               double refer_above,
                                               const std::vector<std::uint8_t>& out_of_scope) {
  check_at_least("the uncertainty above which cases are referred", refer_above, 0);
  if (!out_of_scope.empty()) {
    check_same_size("marks of scope", out_of_scope.size(), "the samples", uncertainty.size());
  }
  std::vector<Decision> decisions;
  for (std::size_t i = 0; i < uncertainty.size(); ++i) {
    const bool is_outside = !out_of_scope.empty() && out_of_scope[i] != 0;
    decisions.push_back(is_outside                     ? Decision::kOutOfScope
                        : uncertainty[i] > refer_above ? Decision::kRefer
                                                       : Decision::kAccept);
  }
  return decisions;
}

}  // namespace cubcal
