#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "cubcal/metrics/metric_values.h"
#include "cubcal_nn/losses/objective.h"
#include "cubcal_nn/train/normalisation.h"
#include "cubcal_nn/train/run_options.h"
#include "cubcal_nn/train/sigma_statistics.h"

namespace cubcal {

/// Before the first stage: what is done to the images.
struct RunReport {
  RunPreprocessing images;
  AugmentationOptions augmentation;  ///< of training images; everything off where there is none
};

/// Before a stage starts or goes on.
struct StageReport {
  std::int64_t stage = 1;  ///< counted from 1
  std::int64_t stages = 1;
  TrainingMethod method;
  std::int64_t epochs = 1;
  std::int64_t steps_per_epoch = 1;
  std::int64_t training_images = 0;
  std::int64_t parameters = 0;
  std::int64_t passes = 1;
  std::string kl_weight;  ///< describe_kl_weight; empty for a network without Gaussian weights
  /// Where it goes on, for a run that was stopped; 0 and 0 for a fresh one.
  std::int64_t first_epoch = 0;
  std::int64_t first_step = 0;
};

struct StepReport {
  std::int64_t stage = 1;
  std::int64_t epoch = 0;  ///< counted from 0
  std::int64_t step = 0;   ///< of the epoch, counted from 0
  double loss = 0;
};

struct EpochReport {
  std::int64_t stage = 1;
  std::int64_t epoch = 0;    ///< counted from 0
  std::int64_t steps = 0;    ///< of the stage, all epochs so far
  double learning_rate = 0;  ///< of the last step
  LossTerms terms;           ///< means over the epoch's steps; `correct` is the sum
  double train_accuracy = 0;
  double kl_share = 0;               ///< of the loss
  std::vector<TermName> term_names;  ///< of the objective's own terms
  NamedNumbers values;               ///< of the objective: beta, a threshold
  std::string loss_summary;          ///< the objective's own terms in a few words; empty for none
  SigmaStatistics sigma;
  MetricValues validation;
  bool best = false;   ///< so far
  double seconds = 0;  ///< of this epoch, or of what was left of it when a run was resumed
};

/// Follows a run. The library reports and never prints; what to do with the reports is the
/// caller's. Every function has an empty default.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void run_started(const RunReport&) {}
  virtual void stage_started(const StageReport&) {}
  virtual void step_done(const StepReport&) {}
  virtual void epoch_done(const EpochReport&) {}
  /// One sentence that says what is wrong and what to do.
  virtual void warning(const std::string&) {}
  /// The run ends before its last epoch, with this error or because it was asked to stop.
  virtual void run_ended(const std::exception&) {}
  /// Asked after every step; true: write a checkpoint and end.
  virtual bool stop_requested() { return false; }
};

}  // namespace cubcal
