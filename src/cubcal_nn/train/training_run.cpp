#include "cubcal_nn/train/training_run.h"

#include <ATen/Parallel.h>

#include <filesystem>

#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/kernels/compute_scope.h"
#include "cubcal_nn/kernels/named_device.h"
#include "cubcal_nn/losses/class_weights.h"
#include "cubcal_nn/train/alarms.h"
#include "cubcal_nn/train/finished_run.h"
#include "cubcal_nn/train/first_weights.h"
#include "cubcal_nn/train/normalisation.h"
#include "cubcal_nn/train/stage_models.h"
#include "cubcal_nn/train/stage_trainer.h"
#include "cubcal_nn/train/tensorboard.h"

namespace cubcal {

namespace {

ComputeFacts current_compute(const RankSplit& split) {
  ComputeFacts facts;
  facts.threads = at::get_num_threads();
  facts.convolution = convolution_backend();
  facts.ranks = split.ranks();
  facts.over = split.over;
  return facts;
}

std::string ranks_text(const ComputeFacts& facts) {
  if (facts.ranks == 1) return "one process";
  return std::to_string(facts.ranks) + " ranks over " + name_of(kSplitNames, facts.over);
}

/// The record of the whole run tells of them.
void check_finished_stages(const RunFolder& folder, std::size_t stages,
                           const TrainingState& state) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.stage); ++i) {
    check_kept_description(folder.best(i, stages));
    check_kept_description(folder.last(i, stages));
  }
}

/// Takes up the checkpoint where there is one.
CheckpointHead first_head(const RunFolder& folder, const RunOptions& options,
                          const Provenance& provenance, TrainObserver& observer,
                          const RankSplit& split) {
  CheckpointHead fresh;
  fresh.compute = current_compute(split);
  fresh.recipe_hash = provenance.recipe_hash;
  fresh.data_hash = provenance.data_hash;
  std::optional<CheckpointHead> found = read_checkpoint_head(folder.checkpoint());
  if (!found) {
    const bool starts_there = options.stages.front().start == StageStart::kPrevious;
    if (starts_there) fresh.pretrained_hash = first_weights_hash(options.pretrained);
    return fresh;
  }
  const auto refuse = [&](const char* what) {
    return DataError(std::string("the run in '") + folder.path + "' was started with " + what +
                     ": resume it as it was, or train into another folder");
  };
  if (found->recipe_hash != fresh.recipe_hash) throw refuse("another recipe");
  if (found->data_hash != fresh.data_hash) throw refuse("other data");
  const std::size_t stages = options.stages.size();
  if (found->state.stage > static_cast<std::int64_t>(stages)) throw refuse("more stages");
  check_finished_stages(folder, stages, found->state);
  if (found->compute.threads != fresh.compute.threads) {
    observer.warning("the run was started with " + std::to_string(found->compute.threads) +
                     " threads and goes on with " + std::to_string(fresh.compute.threads) +
                     ", so its last bits may differ from those of a run that was not interrupted: "
                     "use the option 'threads' " +
                     std::to_string(found->compute.threads));
  }
  if (ranks_text(found->compute) != ranks_text(fresh.compute)) {
    observer.warning("the run was trained by " + ranks_text(found->compute) + " and goes on with " +
                     ranks_text(fresh.compute) +
                     ", so its last bits may differ from those of a run that was not interrupted");
    found->compute.ranks = fresh.compute.ranks;
    found->compute.over = fresh.compute.over;
  }
  return *found;
}

/// Rank 0's, for all of them.
CheckpointHead common_head(const RunFolder& folder, const RunOptions& options,
                           const Provenance& provenance, TrainObserver& observer,
                           const RankSplit& split) {
  if (split.group == nullptr) return first_head(folder, options, provenance, observer, split);
  std::string text;
  if (split.is_first()) {
    text = checkpoint_head_text(first_head(folder, options, provenance, observer, split));
  }
  return parse_checkpoint_head(split.group->text_of_first(text));
}

std::optional<AppendFile> open_events(const RunOptions& options, const RunFolder& folder,
                                      TrainingState& state) {
  if (!options.tensorboard) return std::nullopt;
  std::optional<AppendFile> events;
  events.emplace(folder.events(), state.events_bytes);
  if (state.events_bytes == 0) {
    events->append(event_file_start(0));
    state.events_bytes = events->length();
  }
  return events;
}

/// Ready for the next stage; what is counted over the whole run stays.
void begin_next_stage(TrainingState& state) {
  TrainingState next;
  next.stage = state.stage + 1;
  next.finished = state.finished;
  next.metrics_bytes = state.metrics_bytes;
  next.events_bytes = state.events_bytes;
  state = next;
}

/// What a later stage would refuse after hours of an earlier one.
void check_stage_for(const ImageSet& set, const StageOptions& stage, const RunOptions& options) {
  stage.method.objective->check({stage.epochs, static_cast<std::int64_t>(set.classes())});
  const double power = stage.class_weight_power.value_or(options.class_weight_power);
  if (power != 0) class_weights(class_counts(set.split("train"), set.classes()), power);
}

/// What is to be warned of; throws where there can be no training.
std::vector<SetFinding> checked_findings(const ImageSet& set, const RunOptions& options) {
  check_run_options(options);
  check_image_set(set);
  named_device(options.device);
  for (const StageOptions& stage : options.stages) check_stage_for(set, stage, options);
  if (set.split("val").size() == 0) {
    throw DataError("split 'val' of '" + set.name + "' has no images");
  }
  std::vector<SetFinding> findings = examine_image_set(set);
  for (const SetFinding& finding : findings) {
    if (finding.is_leak && !options.allow_leaks) throw data_leak(finding);
  }
  return findings;
}

/// What "auto" came to is a setting as well.
Provenance settled(Provenance provenance, const RunPreprocessing& prepared) {
  for (auto& [key, value] : provenance.settings) {
    if (key == "data.normalise" && prepared.with != NormaliseWith::kGiven) {
      value = std::string("\"") + name_of(kNormaliseNames, prepared.with) + "\"";
    }
  }
  return provenance;
}

bool has_tensors(const TrainingState& state) { return state.epoch > 0 || state.step > 0; }

}  // namespace

RunStatus run_status(const RunFolder& folder, std::size_t stages) {
  const std::optional<CheckpointHead> head = read_checkpoint_head(folder.checkpoint());
  if (!head) return RunStatus::kEmpty;
  const bool is_trained = head->state.stage == static_cast<std::int64_t>(stages);
  return is_trained && std::filesystem::exists(folder.record()) ? RunStatus::kFinished
                                                                : RunStatus::kUnfinished;
}

void check_training(const ImageSet& set, const RunOptions& options) {
  checked_findings(set, options);
  run_preprocessing(set, options);
}

RunResult train(const ImageSet& set, const RunOptions& options, const RunFolder& folder,
                const Provenance& given_provenance, TrainObserver& observer,
                const RankSplit& split) {
  check_split(options, split.over, split.ranks());
  const std::vector<SetFinding> findings = checked_findings(set, options);
  const c10::Device device = named_device(options.device);
  const RunPreprocessing prepared = run_preprocessing(set, options);
  const Preprocessing& preprocessing = prepared.preprocessing;
  const Provenance provenance = settled(given_provenance, prepared);
  observer.run_started({prepared, options.augmentation_in_force()});
  for (const SetFinding& finding : findings) observer.warning(data_alarm(finding));

  std::optional<FolderLock> lock;
  if (split.is_first()) {
    make_folders(folder.path);
    lock.emplace(folder.path);
  }
  const std::size_t stages = options.stages.size();
  CheckpointHead head = common_head(folder, options, provenance, observer, split);
  ComputeSettings compute;
  compute.convolution = head.compute.convolution;
  const ComputeScope computing(compute);
  std::optional<AppendFile> metrics;
  std::optional<AppendFile> events;
  if (split.is_first()) {
    metrics.emplace(folder.metrics(), head.state.metrics_bytes);
    events = open_events(options, folder, head.state);
  }

  std::string previous = options.pretrained;
  for (std::int64_t done = 0; done < head.state.stage; ++done) {
    previous = folder.best(static_cast<std::size_t>(done), stages);
  }
  while (head.state.stage < static_cast<std::int64_t>(stages)) {
    const auto index = static_cast<std::size_t>(head.state.stage);
    const StageOptions& stage = options.stages[index];
    ModelDescription description;
    description.network = options.network;
    description.head = options.head;
    description.class_names = set.class_names;
    description.kind = stage.method.kind;
    description.dropout_rate = stage.dropout_rate;
    description.preprocessing = preprocessing;
    description.prior_sigma = stage.kl.prior_sigma;
    description.provenance = provenance;
    description.provenance.seed = options.seed;
    description.provenance.stage = stage.method.name;
    StageOptions start = stage;
    // Restored, or taken over, just below.
    if (has_tensors(head.state) || !split.is_first()) start.start = StageStart::kScratch;
    StageTrainer trainer({set, options, folder, preprocessing, description, device, head,
                          metrics ? &*metrics : nullptr, events ? &*events : nullptr, observer,
                          lock ? &*lock : nullptr, split},
                         make_stage_network(description, start, options.seed, previous,
                                            options.pretrained_import, device));
    if (has_tensors(head.state) && split.is_first()) trainer.restore(folder.checkpoint());
    trainer.take_over_first();
    if (trainer.run() == StageEnd::kStopped) return {false, head.state.finished};
    previous = folder.best(index, stages);
    begin_next_stage(head.state);
    if (!split.is_first()) continue;
    lock->check();
    write_checkpoint(folder.checkpoint(), head, nullptr, nullptr);
  }
  if (split.is_first()) {
    write_run_record(folder.record(), finished_run(folder, options, provenance, head, split));
  }
  return {true, head.state.finished};
}

}  // namespace cubcal
