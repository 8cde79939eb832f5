#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/plot/chart.h"

namespace cubcal::results {

/// AvU of some runs and what may suffer from it.
struct PricedRuns {
  std::vector<double> price;
  std::vector<double> avu;                          ///< of the same runs
  std::vector<std::optional<std::uint64_t>> seeds;  ///< of the same runs, where known

  /// Where price and AvU are defined.
  void add(const std::optional<double>& price_of_run, const std::optional<double>& avu_of_run,
           const std::optional<std::uint64_t>& seed);
};

struct PricedMethod {
  std::string title;  ///< plain text
  /// Settings of one method lie on a curve.
  bool is_setting = false;
  PricedRuns runs = {};
  /// The runs, or those of which it is known, when one temperature divides all their logits: for
  /// each temperature, from the softest to the sharpest. May be empty.
  std::vector<PricedRuns> scaled = {};
  /// Which of the colours; where it is not given, its place among the methods.
  std::optional<std::size_t> colour = {};
};

/// Whether `name` is the method itself or a setting of it, as "bnn+cub-auto" is of "bnn+cub", and
/// "bnn", where the weight of the loss is 0.
bool is_setting_of(const std::string& method, const std::string& name);

/// How many methods a chart tells apart by colour.
std::size_t price_colours();
/// The colour of that number, from the first again after the last.
plot::Colour price_colour(std::size_t number);

/// What a better AvU costs: a disc for every run, AvU against `price` (markup, the label of that
/// axis); a curve through the means of settings over the same seeds, in the order of their AvU, for
/// the settings and seeds that have the most runs; and where it is known a line of the method's
/// colour through the means of what one temperature would make of its runs. Methods without runs
/// are left out.
plot::Chart price_chart(const std::string& price, const std::vector<PricedMethod>& methods);

}  // namespace cubcal::results
