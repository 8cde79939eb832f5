#pragma once

#include <string>
#include <vector>

#include "cubcal/report/sections.h"

namespace cubcal::report {

/// The first method less another one, on the same images.
struct MethodDifference {
  std::string label;  ///< of the other
  PairedDifference paired;
  MetricValues p_values;  ///< corrected over the methods by Holm's procedure, metric by metric
};

struct MethodDifferences {
  std::vector<MethodDifference> all;
  std::vector<std::string> reasons;  ///< a sentence for each method that cannot be compared so
};

/// Whether all runs are of the images of the first, as far as files, labels and groups tell; runs
/// of others can be shown side by side, and none of them called better.
bool have_same_images(const std::vector<Method>& methods);

/// Of the first run of the first method and the first run of each other that has the same images.
MethodDifferences method_differences(const std::vector<Method>& methods,
                                     const BootstrapOptions& options);

}  // namespace cubcal::report
