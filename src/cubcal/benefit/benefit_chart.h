#pragma once

#include <string>

#include "cubcal/benefit/benefit_curve.h"

namespace cubcal {

/// The decision curve as SVG: a line for each strategy, with a band for the subject where there are
/// intervals. Strategies that are far worse than the others leave the axes.
std::string benefit_chart(const BenefitCurve& curve);

}  // namespace cubcal
