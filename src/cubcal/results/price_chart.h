#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cubcal/plot/chart.h"

namespace cubcal::results {

/// The runs of one method: AvU and what may suffer from it.
struct PricedMethod {
  std::string title;  ///< plain text
  /// Settings of one method lie on a curve, in the order of their mean AvU.
  bool on_curve = false;
  std::vector<double> price;  ///< of each run
  std::vector<double> avu;    ///< of the same runs
  /// Price and AvU, means over the runs, when one temperature scales all their logits, from the
  /// softest to the sharpest; may be empty.
  std::vector<std::pair<double, double>> scaled = {};
};

/// Whether `name` is the method itself or, as "bnn+cub-auto" of "bnn+cub", a setting of it.
bool is_setting_of(const std::string& method, const std::string& name);

/// What a better AvU costs: a disc for every run, AvU against `price` (markup, the label of that
/// axis), and where it is known a line of the method's colour for what one temperature would do.
/// Methods without runs are left out.
plot::Chart price_chart(const std::string& price, const std::vector<PricedMethod>& methods);

}  // namespace cubcal::results
