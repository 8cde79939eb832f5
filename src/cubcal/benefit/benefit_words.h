#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/benefit/benefit_curve.h"

/// A decision curve in words and rows, the same on a screen and on a page. `level` is that of its
/// intervals; nothing where it has none.
namespace cubcal {

/// "NB = TP/N − pt/(1−pt)·FP/N − 0.02·R/N".
std::string benefit_formula(const BenefitCurve& curve);

/// What a referred case yields: no number holds without it.
std::string expert_words(const Expert& expert);

/// What the values are: "net benefit: diseases found per patient" or "cost of 1000 patients".
const char* benefit_unit(const BenefitCurve& curve);

/// The table of strategies by threshold: value of each, interval of the subject, what it misses.
std::vector<std::string> benefit_header(const BenefitCurve& curve, std::optional<double> level);
std::vector<std::string> benefit_row(const BenefitCurve& curve, std::size_t point,
                                     std::optional<double> level);

/// "The policy is best of the 5 at thresholds 0.05 to 0.07; refer all is at 0.08 to 0.5."
std::string best_words(const BenefitCurve& curve, std::optional<double> level);

/// What the policy gains or loses on answering everything, where that is most. Needs a policy.
std::string gain_words(const BenefitCurve& curve, std::optional<double> level);

}  // namespace cubcal
