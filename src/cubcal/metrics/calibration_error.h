#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

/// One bin of a reliability table: what was observed against what it should equal.
struct ReliabilityBin {
  double low;            ///< open edge (closed for the first bin)
  double high;           ///< closed edge
  double count;          ///< samples in the bin, or their weight
  double mean_observed;  ///< accuracy (ECE), error rate (UCE), mean U (BCCE); 0 when empty
  double mean_target;    ///< mean c (ECE), mean U/ln K (UCE), mean U_ideal (BCCE); 0 when empty
};

struct CalibrationError {
  double value;  ///< sum over bins of |B|/N |mean observed - mean target|
  std::vector<ReliabilityBin> bins;
};

/// ECE: accuracy against mean confidence, binned on c.
CalibrationError expected_calibration_error(const SampleFacts& facts, SampleWeights weights = {});

/// UCE (Laves 2019): error rate against mean u = U / ln K, binned on u.
CalibrationError uncertainty_calibration_error(const SampleFacts& facts,
                                               SampleWeights weights = {});

/// BCCE (paper, Eq. bcce_main): mean U against mean U_ideal(c), in nats, binned on c.
CalibrationError boundary_curve_calibration_error(const SampleFacts& facts,
                                                  SampleWeights weights = {});

}  // namespace cubcal
