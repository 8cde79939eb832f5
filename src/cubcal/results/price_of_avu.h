#pragma once

#include <map>
#include <string>
#include <vector>

#include "cubcal/results/record_grid.h"

namespace cubcal::results {

/// What each method pays for its AvU, outliers included where there are some, and last the plain
/// Bayesian network sharpened by one temperature to the AvU of the paper's method: a loss that
/// costs no less than that bought nothing.
ResultTable price_table(const Grid& grid);

/// The number of each method's colour (see price_colour): a known method has the same one in every
/// experiment.
std::map<std::string, std::size_t> method_colours(const std::vector<std::string>& methods);

/// What a better AvU costs in one experiment, as charts in one SVG: AvU of every run on the whole
/// data against accuracy, ECE, NLL and, where there are outliers, their AUROC. The plain Bayesian
/// network and the settings of the paper's loss, variants among them, are joined by a line through
/// their means over the same seeds; where records tell, a line of each method's colour is what one
/// temperature makes of it. A known method has the same colour in every experiment. Empty where no
/// methods are to be compared besides the network they start from, or no record tells AvU and a
/// price.
std::string price_figure(const std::vector<ResultRecord>& records);

}  // namespace cubcal::results
