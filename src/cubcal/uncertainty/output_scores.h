#pragma once

#include <string>
#include <vector>

#include "cubcal/uncertainty/mc_logits.h"
#include "cubcal/uncertainty/predictive.h"

/// Scores from a network's output alone, which need no fit; a higher one = more OOD.
///   confidence          1 - c
///   uncertainty         U = H(mean softmax), nats
///   mutual-information  U - mean over passes of H(p_s), nats
///   energy              -mean over passes of ln sum_k exp z_k (Liu et al. 2020), unscaled logits
namespace cubcal {

struct OutputScore {
  const char* name;
  const char* title;
};

const std::vector<OutputScore>& output_score_entries();

/// `predictive` is the prediction from the logits, calibrated or not. Throws ArgumentError that
/// lists the known names.
std::vector<double> output_scores(const std::string& name, const McLogits& logits,
                                  const Predictive& predictive);

}  // namespace cubcal
