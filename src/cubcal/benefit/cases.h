#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/core/array_view.h"
#include "cubcal/decision.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

/// What the worth of a policy depends on, for each patient case.
struct BenefitCases {
  std::vector<double> risk;            ///< probability of disease: the sum over positive classes
  std::vector<std::uint8_t> diseased;  ///< whether the label is a positive class
  /// What the policy does with each. Empty: it answers everything, and there is no policy beside.
  std::vector<Decision> decisions;

  std::size_t size() const { return risk.size(); }
};

/// `positive` marks each class with 1 where it is the disease: some of them, not all. Throws
/// ArgumentError else, and DataError where the labels do not fit the prediction.
BenefitCases benefit_cases(const Predictive& predictive, ArrayView<const std::int64_t> labels,
                           const std::vector<std::uint8_t>& positive);

/// Out of scope where `out_of_scope` says so (empty: nowhere), else referred where U > refer_above.
std::vector<Decision> decisions_by_uncertainty(const std::vector<double>& uncertainty,
                                               double refer_above,
                                               const std::vector<std::uint8_t>& out_of_scope);

}  // namespace cubcal
