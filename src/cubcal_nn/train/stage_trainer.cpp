#include "cubcal_nn/train/stage_trainer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal_nn/losses/class_weights.h"
#include "cubcal_nn/train/epoch_log.h"
#include "cubcal_nn/train/tensorboard.h"
#include "cubcal_nn/train/validation.h"

namespace cubcal {

namespace {

/// Epochs are numbered over all stages, so that a second stage sees batches of its own.
std::uint64_t epoch_key(std::int64_t stage, std::int64_t epoch) {
  return (static_cast<std::uint64_t>(stage) << 20) | static_cast<std::uint64_t>(epoch);
}

/// So are steps; 0 is the stream of prediction.
std::uint64_t noise_stream(std::int64_t stage, std::int64_t step) {
  return (static_cast<std::uint64_t>(stage + 1) << 32) | static_cast<std::uint64_t>(step);
}

/// The best epoch must be one that was trained with the objective's own terms.
EarlyStopOptions effective_early_stop(const StageOptions& options) {
  EarlyStopOptions early_stop = options.early_stop;
  early_stop.min_epochs =
      std::max(early_stop.min_epochs, options.method.objective->warmup_epochs() + 1);
  return early_stop;
}

/// A fresh copy, or as the state of a run that goes on has it.
std::unique_ptr<Objective> stage_objective(const StageOptions& options,
                                           const TrainingState& state) {
  std::unique_ptr<Objective> objective = options.method.objective->clone();
  if (state.objective.is_null()) return objective;
  try {
    objective->restore(state.objective);
  } catch (const nlohmann::json::exception&) {
    throw DataError("the checkpoint holds no state that the loss of '" + options.method.name +
                    "' can go on with");
  }
  return objective;
}

at::Tensor class_weight_tensor(const StageContext& context, const StageOptions& stage) {
  const double power = stage.class_weight_power.value_or(context.options.class_weight_power);
  if (power == 0) return {};
  const std::vector<double> weights =
      class_weights(class_counts(context.set.split("train"), context.set.classes()), power);
  return at::tensor(weights, at::kDouble).to(context.device, at::kFloat);
}

BatchOptions batch_options(const RunOptions& run, const StageOptions& stage,
                           const RankSplit& split) {
  BatchOptions options;
  if (split.over_in(stage.training_passes()) == SplitOver::kImages) {
    options.rank = split.rank();
    options.ranks = split.ranks();
  }
  options.batch = stage.batch;
  options.seed = run.seed;
  const AugmentationOptions augmentation = run.augmentation_in_force();
  if (changes_images(augmentation)) options.augmentation = augmentation;
  return options;
}

bool all_finite(const ParameterStore& store) {
  const c10::NoGradGuard no_grad;
  for (const at::Tensor& values : {store.mu(), store.rho(), store.point(), store.buffer_values()}) {
    if (!at::isfinite(values).all().item<bool>()) return false;
  }
  return true;
}

void describe_validation(AlarmContext& alarms, const ImageSplit& split, std::size_t classes) {
  const std::vector<std::int64_t> counts = class_counts(split, classes);
  const auto missing = std::count(counts.begin(), counts.end(), 0);
  alarms.classes = classes - static_cast<std::size_t>(missing);
  alarms.commonest_share = static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
                           static_cast<double>(std::max<std::int64_t>(1, split.size()));
}

double unix_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string model_folder(const StageContext& context,
                         std::string (RunFolder::*which)(std::size_t, std::size_t) const) {
  return (context.folder.*which)(static_cast<std::size_t>(context.head.state.stage),
                                 context.options.stages.size());
}

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    seconds_ += taken.count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

StageTrainer::StageTrainer(StageContext context, std::unique_ptr<Network> network)
    : context_(context),
      state_(context.head.state),
      options_(context.options.stages[static_cast<std::size_t>(state_.stage)]),
      objective_(stage_objective(options_, state_)),
      early_stop_(effective_early_stop(options_)),
      network_(std::move(network)),
      batches_(context.set.split("train"), context.preprocessing,
               batch_options(context.options, options_, context.split), context.device),
      step_(*network_, options_, *objective_, kl_scale(), class_weight_tensor(context, options_),
            context.options.seed, context.options.compute, context.split),
      models_(*network_, model_folder(context, &RunFolder::best),
              model_folder(context, &RunFolder::last)) {
  const bool is_done = state_.epoch == options_.epochs && state_.step == 0;
  if (!is_done && (state_.epoch >= options_.epochs || state_.step > batches_.per_epoch())) {
    throw DataError("the checkpoint in '" + context.folder.path + "' is of epoch " +
                    std::to_string(state_.epoch) + ", step " + std::to_string(state_.step) +
                    ", and the stage has " + std::to_string(options_.epochs) + " epochs of " +
                    std::to_string(batches_.per_epoch()) + " steps");
  }
  objective_->check({options_.epochs, static_cast<std::int64_t>(context.set.classes())});
  alarm_context_.chance_after_epochs = context.options.chance_after_epochs;
  alarm_context_.gaussian = gaussian();
  alarm_context_.kl_is_mean = options_.kl.reduction == KlReduction::kMean;
  describe_validation(alarm_context_, context.set.split("val"), context.set.classes());
}

KlScale StageTrainer::kl_scale() const {
  const std::int64_t images = context_.set.split("train").size();
  return {images, std::min(options_.batch, images)};
}

void StageTrainer::restore(const std::string& checkpoint) {
  restore_checkpoint(checkpoint, network_->parameters(), step_.optimiser());
  // Until a first best is found, and until the stage is over, the next epoch writes them anew.
  Provenance kept = context_.description.provenance;
  const EarlyStop& stop = state_.early_stop;
  kept.epoch = stop.best ? stop.best_epoch + 1 : state_.epoch;
  if (stop.best || is_over()) {
    check_kept_model(model_folder(context_, &RunFolder::best), kept, state_.epoch);
  }
  kept.epoch = state_.epoch;
  if (is_over()) check_kept_model(model_folder(context_, &RunFolder::last), kept, state_.epoch);
}

bool StageTrainer::is_over() const {
  return state_.epoch >= options_.epochs || state_.early_stop.should_stop(early_stop_);
}

void StageTrainer::take_over_first() {
  RankGroup* group = context_.split.group;
  if (group == nullptr) return;
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : checkpoint_tensors(network_->parameters(), step_.optimiser())) {
    tensors.push_back(tensor);
  }
  group->share_first(tensors);
  const std::string state = group->text_of_first(objective_->state().dump());
  objective_->restore(nlohmann::json::parse(state));
}

void StageTrainer::report_start() {
  StageReport report;
  report.stage = state_.stage + 1;
  report.stages = static_cast<std::int64_t>(context_.options.stages.size());
  report.method = options_.method;
  report.epochs = options_.epochs;
  report.steps_per_epoch = batches_.per_epoch();
  report.training_images = context_.set.split("train").size();
  report.parameters = network_->parameters().parameter_count();
  report.passes = options_.training_passes();
  report.first_epoch = state_.epoch;
  report.first_step = state_.step;
  if (gaussian()) {
    report.kl_weight = describe_kl_weight(network_->parameters(), options_.kl, kl_scale());
  }
  context_.observer.stage_started(report);
}

StageEnd StageTrainer::run() {
  report_start();
  while (!is_over()) {
    if (!run_steps() || !end_epoch()) {
      write_checkpoint_now();
      return StageEnd::kStopped;
    }
  }
  StageResult result;
  result.epochs = state_.epoch;
  result.best_epoch = state_.early_stop.best_epoch;
  result.best = state_.early_stop.best.value_or(0);
  result.stopped_early = state_.epoch < options_.epochs;
  result.seconds = state_.stage_seconds;
  state_.finished.push_back(result);
  return StageEnd::kFinished;
}

/// Ranks stop after the same step, whichever of them was asked to.
bool StageTrainer::stop_requested() {
  const bool requested = context_.observer.stop_requested();
  return context_.split.group == nullptr ? requested : context_.split.group->any(requested);
}

/// The rest of the epoch's steps; false where the observer asks to stop.
bool StageTrainer::run_steps() {
  const int every = context_.options.checkpoint_every_steps;
  while (state_.step < batches_.per_epoch()) {
    run_step();
    if (stop_requested()) return false;
    if (every > 0 && state_.step % every == 0 && state_.step < batches_.per_epoch()) {
      write_checkpoint_now();
    }
  }
  return true;
}

void StageTrainer::run_step() {
  double seconds = 0;
  StepNumbers numbers;
  {
    const Stopwatch watch(seconds);
    const std::int64_t stage_step = state_.epoch * batches_.per_epoch() + state_.step;
    StepOptions step;
    step.stream = noise_stream(state_.stage, stage_step);
    step.learning_rate =
        learning_rate(options_.learning_rate, {stage_step, batches_.per_epoch(), options_.epochs});
    const Batch batch = batches_.make(epoch_key(state_.stage, state_.epoch), state_.step);
    numbers = step_.run(batch, step);
    if (!std::isfinite(numbers.terms.loss)) {
      throw loss_not_finite(numbers.terms, objective_->terms(), state_.stage + 1, state_.epoch,
                            state_.step, step.learning_rate);
    }
    state_.images += batch.labels.size(0);
  }
  objective_->observe(numbers);
  const LossTerms& terms = numbers.terms;
  state_.sums.loss += terms.loss;
  state_.sums.cross_entropy += terms.cross_entropy;
  state_.sums.kl += terms.kl;
  state_.sums.correct += terms.correct;
  add_numbers(state_.sums.own, terms.own);
  epoch_seconds_ += seconds;
  state_.stage_seconds += seconds;
  context_.observer.step_done({state_.stage + 1, state_.epoch, state_.step, terms.loss});
  ++state_.step;
}

/// Validation, models, log and checkpoint; false where the observer asked to stop meanwhile.
bool StageTrainer::end_epoch() {
  take_over_first();  // unlike processors may have come apart by a last digit
  if (!all_finite(network_->parameters())) throw weights_not_finite(state_.stage + 1, state_.epoch);
  double seconds = 0;
  MetricValues validation;
  // Ranks go through it together: one that left would keep the others waiting.
  const auto interrupted = [this] {
    return context_.split.group == nullptr && context_.observer.stop_requested();
  };
  try {
    const Stopwatch watch(seconds);
    validation = validate(*network_, context_.set.split("val"), context_.preprocessing,
                          context_.options.validation, context_.options.compute,
                          context_.options.seed, interrupted, context_.split);
  } catch (const Interrupted&) {
    return false;
  } catch (const DataError&) {  // the split was checked before: only logits can be refused
    throw predictions_not_finite(state_.stage + 1, state_.epoch);
  }
  epoch_seconds_ += seconds;
  state_.stage_seconds += seconds;

  EpochReport report = make_report(validation);
  report.best = state_.early_stop.observe(early_stop_, state_.epoch, validation);
  keep_models(report);
  objective_->end_epoch();
  state_.sums = {};
  state_.images = 0;
  state_.step = 0;
  ++state_.epoch;
  log(report);
  if (is_time_to_save()) write_checkpoint_now();
  epoch_seconds_ = 0;
  context_.observer.epoch_done(report);
  raise_alarms(report);
  return true;
}

EpochReport StageTrainer::make_report(const MetricValues& validation) const {
  const auto steps = static_cast<double>(batches_.per_epoch());
  EpochReport report;
  report.stage = state_.stage + 1;
  report.epoch = state_.epoch;
  report.steps = (state_.epoch + 1) * batches_.per_epoch();
  report.learning_rate = learning_rate(options_.learning_rate,
                                       {report.steps - 1, batches_.per_epoch(), options_.epochs});
  const LossTerms& sums = state_.sums;
  report.terms = {sums.loss / steps, sums.cross_entropy / steps, sums.kl / steps, sums.correct, {}};
  for (const auto& [key, sum] : sums.own) report.terms.own.emplace_back(key, sum / steps);
  report.train_accuracy = sums.correct / static_cast<double>(state_.images);
  report.kl_share = sums.loss > 0 ? sums.kl / sums.loss : 0;
  report.term_names = objective_->terms();
  report.values = objective_->values();
  report.loss_summary = objective_->summary(report.terms);
  report.sigma = sigma_statistics(network_->parameters());
  report.validation = validation;
  report.seconds = epoch_seconds_;
  return report;
}

void StageTrainer::keep_models(const EpochReport& report) {
  if (!context_.split.is_first()) return;
  ModelDescription description = context_.description;
  description.provenance.epoch = state_.epoch + 1;
  description.provenance.metrics.clear();
  for (const MetricInfo& info : metric_infos()) {
    const std::optional<double>& value = report.validation[info.metric];
    if (value) description.provenance.metrics[info.key] = *value;
  }
  // Until a first best is found the last one stands in for it.
  models_.keep(description, report.best || !state_.early_stop.best);
}

bool StageTrainer::is_time_to_save() const {
  if (is_over()) return true;
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - saved_;
  return age.count() >= context_.options.save_every_seconds;
}

void StageTrainer::log(const EpochReport& report) {
  if (context_.metrics == nullptr) return;
  const EpochRecord epoch = epoch_record(report);
  context_.metrics->append(epoch_line(epoch));
  state_.metrics_bytes = context_.metrics->length();
  if (context_.events == nullptr) return;
  std::vector<std::pair<std::string, double>> scalars = epoch_scalars(epoch);
  const std::string prefix = "stage" + std::to_string(report.stage) + "/";
  for (auto& [tag, value] : scalars) tag.insert(0, prefix);
  context_.events->append(scalar_event(unix_time(), report.epoch + 1, scalars));
  state_.events_bytes = context_.events->length();
}

void StageTrainer::raise_alarms(const EpochReport& report) {
  count_one_answer(report, alarm_context_);
  for (const Alarm& alarm : epoch_alarms(report, alarm_context_, *objective_)) {
    if (raised_.insert(alarm.kind).second) context_.observer.warning(alarm.text);
  }
}

void StageTrainer::write_checkpoint_now() {
  if (!context_.split.is_first()) return;
  if (!all_finite(network_->parameters())) throw weights_not_finite(state_.stage + 1, state_.epoch);
  context_.lock->check();
  state_.objective = objective_->state();
  models_.write();
  context_.metrics->sync();
  if (context_.events != nullptr) context_.events->sync();
  write_checkpoint(context_.folder.checkpoint(), context_.head, &network_->parameters(),
                   &step_.optimiser());
  saved_ = std::chrono::steady_clock::now();
}

}  // namespace cubcal
