#include "cubcal_nn/train/run_options.h"

#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal {

namespace {

void check_stage(const StageOptions& stage, bool has_previous) {
  check_at_least("epochs", static_cast<double>(stage.epochs), 1);
  check_in_closed("epochs", static_cast<double>(stage.epochs), 1, 1 << 20);
  check_at_least("batch", static_cast<double>(stage.batch), 1);
  check_in_closed("passes", static_cast<double>(stage.training_passes()), 1, 1 << 16);
  check_in_open("norm_momentum", stage.norm_momentum, 0, 1);
  check_sgd_options(stage.sgd);
  check_learning_rate_options(stage.learning_rate, stage.epochs);
  check_early_stop_options(stage.early_stop, stage.epochs);
  check_finite("initial_rho", stage.initial_rho);
  check_positive("moped delta", stage.moped.delta);
  check_positive("moped sigma_floor", stage.moped.sigma_floor);
  check_positive("prior_sigma", stage.kl.prior_sigma);
  check_at_least("kl_weight", stage.kl.weight, 0);
  if (stage.method.objective == nullptr) throw ArgumentError("a stage's method needs an objective");
  stage.method.objective->check({stage.epochs, 0});
  if (stage.class_weight_power) {
    check_in_closed("a stage's class_weight_power", *stage.class_weight_power, 0, 4);
  }
  if (stage.start == StageStart::kPrevious && !has_previous) {
    throw ArgumentError(
        "a stage that starts from earlier weights needs a stage before it or a pretrained model");
  }
  if (stage.dropout_rate && stage.method.kind != LayerKind::kMcDropout) {
    throw ArgumentError("dropout_rate is an option of method mc-dropout, not of " +
                        stage.method.name);
  }
}

}  // namespace

std::int64_t StageOptions::training_passes() const {
  if (passes) return *passes;
  return has_gaussians(method.kind) ? 5 : 1;
}

double StageOptions::norm_momentum_of_pass() const {
  if (norm_momentum_per == NormMomentumPer::kPass) return norm_momentum;
  return 1 - std::pow(1 - norm_momentum, 1.0 / static_cast<double>(training_passes()));
}

void check_split(const RunOptions& options, SplitOver over, int ranks) {
  RankSplit split;
  split.over = over;
  for (const StageOptions& stage : options.stages) {
    const std::int64_t passes = stage.training_passes();
    const bool over_images = split.over_in(passes) == SplitOver::kImages;
    const std::int64_t shared_out = over_images ? stage.batch : passes;
    if (shared_out % ranks == 0) continue;
    throw ArgumentError(std::string(over_images ? "a batch" : "a step") + " of " +
                        std::to_string(shared_out) + (over_images ? " images" : " passes") +
                        " (method " + stage.method.name + ") cannot be shared out equally over " +
                        std::to_string(ranks) + " ranks: set " +
                        (over_images ? "batch" : "passes") + " to a multiple of them");
  }
}

void check_run_options(const RunOptions& options) {
  if (options.stages.empty()) {
    throw ArgumentError("a run needs at least one stage: give stage1, stage2 or both");
  }
  check_network_name(options.network);
  bool has_previous = !options.pretrained.empty();
  bool from_gaussian = false;
  for (const StageOptions& stage : options.stages) {
    check_stage(stage, has_previous);
    const bool to_gaussian = has_gaussians(stage.method.kind);
    if (from_gaussian && !to_gaussian && stage.start == StageStart::kPrevious) {
      throw ArgumentError("method " + stage.method.name +
                          " has point weights and cannot start from the Gaussian ones of the "
                          "stage before it");
    }
    from_gaussian = to_gaussian;
    has_previous = true;
  }
  check_augmentation_options(options.augmentation);
  check_in_closed("class_weight_power", options.class_weight_power, 0, 4);
  check_in_closed("validation passes", static_cast<double>(options.validation.passes), 1, 1 << 16);
  check_at_least("validation batch", static_cast<double>(options.validation.batch), 1);
  check_at_least("save_every_seconds", options.save_every_seconds, 0);
  check_at_least("checkpoint_every_steps", options.checkpoint_every_steps, 0);
}

}  // namespace cubcal
