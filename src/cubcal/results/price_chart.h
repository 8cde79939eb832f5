#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/plot/chart.h"

namespace cubcal::results {

/// AvU of some runs and what may suffer from it.
struct PricedRuns {
  std::vector<double> price;
  std::vector<double> avu;  ///< of the same runs

  /// Where both are defined.
  void add(const std::optional<double>& price_of_run, const std::optional<double>& avu_of_run);
};

struct PricedMethod {
  std::string title;  ///< plain text
  PricedRuns runs = {};
  /// Settings of one method lie on a curve, in the order of their mean AvU: the runs that mean is
  /// of, which should be of the same seeds for all of them. Empty for no setting.
  PricedRuns on_curve = {};
  /// The runs, or those of which it is known, when one temperature divides all their logits: for
  /// each temperature, from the softest to the sharpest. May be empty.
  std::vector<PricedRuns> scaled = {};
};

/// Whether `name` is the method itself or, as "bnn+cub-auto" of "bnn+cub", a setting of it.
bool is_setting_of(const std::string& method, const std::string& name);

/// What a better AvU costs: a disc for every run, AvU against `price` (markup, the label of that
/// axis), and where it is known a line of the method's colour through the means of what one
/// temperature would make of its runs. Methods without runs are left out.
plot::Chart price_chart(const std::string& price, const std::vector<PricedMethod>& methods);

}  // namespace cubcal::results
