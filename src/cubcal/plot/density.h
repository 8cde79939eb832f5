#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace cubcal::plot {

struct DensityOptions {
  std::optional<double> lower;  ///< values cannot lie below: the estimate is reflected there
  std::optional<double> upper;  ///< values cannot lie above: the estimate is reflected there
  std::optional<double>
      bandwidth;             ///< standard deviation of the kernel; by default Silverman's rule
  std::size_t points = 256;  ///< grid points; more are taken where the kernel is narrow
};

struct Density {
  std::vector<double> x;
  std::vector<double> y;
  double bandwidth;
};

/// Silverman's rule 0.9 min(sd, IQR / 1.34) n^(-1/5). Where the quartiles coincide the standard
/// deviation stands alone; where all values are equal the result is a thousandth of their size.
double silverman_bandwidth(const std::vector<double>& values);

/// Gaussian kernel density estimate on a regular grid. At a bound the part of each kernel beyond it
/// is folded back, so the density integrates to 1 over what can occur. Throws ArgumentError for no
/// values, a value that is not finite or outside the bounds, or a bandwidth that is not positive.
Density estimate_density(const std::vector<double>& values, const DensityOptions& options = {});

}  // namespace cubcal::plot
