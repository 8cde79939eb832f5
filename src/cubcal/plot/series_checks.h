#pragma once

#include "cubcal/plot/series.h"

/// Each throws ArgumentError with a sentence that names the series and says what is wrong in it.
namespace cubcal::plot {

void check(const LineSeries& series);
void check(const BandSeries& series);
void check(const RegionSeries& series);
void check(const ScatterSeries& series);
void check(const DensitySeries& series);
void check(const BarSeries& series);
void check(const ReliabilitySeries& series);
void check(const HeatMap& map);
void check(const ReferenceLine& line);
void check(const Annotation& annotation);

}  // namespace cubcal::plot
