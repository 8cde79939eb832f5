#pragma once

#include <optional>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

/// Samples, or their weight, in each AvU state at one threshold (see AvuState).
struct AvuCounts {
  double accurate_certain = 0;
  double accurate_uncertain = 0;
  double inaccurate_certain = 0;
  double inaccurate_uncertain = 0;

  /// AvU = (n_AC + n_IU) / N (paper, section on AvU), certain meaning U <= u_th (avu_state in
  /// boundary/regions.h).
  double avu() const;
};

/// At the threshold of the facts' options.
AvuCounts avu_counts(const SampleFacts& facts, SampleWeights weights = {});

struct AvuPoint {
  double t;          ///< position between the smallest (0) and the largest (1) uncertainty
  double threshold;  ///< u_lo + t (u_hi - u_lo), nats
  double avu;
};

/// AvU at 21 thresholds spread evenly between the smallest and the largest U.
std::vector<AvuPoint> avu_curve(const SampleFacts& facts, SampleCounts counts = {});

/// Area under a curve of AvU over t, by trapezoids.
double avu_area(const std::vector<AvuPoint>& curve);

/// Mean uncertainty of the right and of the wrong answers; undefined where there are none.
struct UncertaintySeparation {
  std::optional<double> correct;
  std::optional<double> incorrect;
  std::optional<double> delta;  ///< incorrect - correct; undefined unless both are defined
};

UncertaintySeparation uncertainty_separation(const SampleFacts& facts, SampleCounts counts = {});

/// Mean epistemic uncertainty (mutual information), nats.
double mean_mutual_information(const SampleFacts& facts, SampleCounts counts = {});

}  // namespace cubcal
