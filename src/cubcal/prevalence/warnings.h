#pragma once

#include <string>
#include <vector>

#include "cubcal/prevalence/study.h"

namespace cubcal {

/// Below so many effective samples, or a tenth of the samples, numbers of another prevalence hang
/// on a few.
inline constexpr double kFewEffectiveSamples = 100;
inline constexpr double kSmallEffectiveShare = 0.1;
/// A confusion matrix of a higher condition hardly tells classes apart.
inline constexpr double kHighCondition = 10;
/// A mean probability that misses the share of the labels by more is made for another prevalence.
inline constexpr double kLargeMiss = 0.05;

/// One sentence for each reason not to trust the study; none where there is no such reason.
std::vector<std::string> prevalence_warnings(const PrevalenceStudy& study);

}  // namespace cubcal
