#pragma once

#include <string>

#include "cubcal/benefit/benefit_curve.h"
#include "cubcal/plot/chart.h"

namespace cubcal {

/// The decision curve: a line for each strategy, with a band for the subject where there are
/// intervals. Strategies that are far worse than the others leave the axes.
plot::Chart benefit_curve_chart(const BenefitCurve& curve, double width = 560);

/// The same as SVG.
std::string benefit_chart(const BenefitCurve& curve);

}  // namespace cubcal
