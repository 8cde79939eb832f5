#pragma once

#include <optional>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

/// The answers whose uncertainty is at most a threshold.
struct AcceptedAnswers {
  double threshold = 0;         ///< U, nats
  double share = 0;             ///< of all answers
  std::optional<double> error;  ///< share of wrong ones among them; undefined where there are none
};

AcceptedAnswers accepted_answers(const SampleFacts& facts, SampleWeights weights, double threshold);

/// The largest threshold, among the uncertainties there are, up to which the share of wrong answers
/// is `error` at most; answers of equal uncertainty stand or fall together. Found on the samples it
/// is tried on, which flatters. Nothing where even the most certain answers err more.
std::optional<double> threshold_for_error(const SampleFacts& facts, SampleWeights weights,
                                          double error);

}  // namespace cubcal
