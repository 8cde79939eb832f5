#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>

#include "cubcal/io/folder_lock.h"
#include "cubcal/record/run_folder.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/train/alarms.h"
#include "cubcal_nn/train/append_file.h"
#include "cubcal_nn/train/checkpoint.h"
#include "cubcal_nn/train/observer.h"
#include "cubcal_nn/train/stage_models.h"
#include "cubcal_nn/train/training_batches.h"
#include "cubcal_nn/train/training_step.h"

namespace cubcal {

/// What the stages of a run share. The references outlive the stage.
struct StageContext {
  const ImageSet& set;
  const RunOptions& options;
  const RunFolder& folder;
  const Preprocessing& preprocessing;
  const ModelDescription& description;  ///< as the stage's models are saved
  c10::Device device;
  CheckpointHead& head;  ///< its state is the run's
  AppendFile* metrics;   ///< null where files are another rank's
  AppendFile* events;    ///< TensorBoard; null: none
  TrainObserver& observer;
  const FolderLock* lock;  ///< of the folder; null where files are another rank's
  RankSplit split;
};

enum class StageEnd { kFinished, kStopped };

/// The loop of one stage, from wherever the state says it is to its end.
///
/// After every epoch: validation and the line of metrics; then the model folders `best` and `last`
/// and the checkpoint, unless the last checkpoint is younger than RunOptions::save_every_seconds. A
/// run that is killed anywhere in between repeats what came after its last checkpoint and writes
/// the same again.
class StageTrainer {
 public:
  StageTrainer(StageContext context, std::unique_ptr<Network> network);

  /// Puts weights and momenta of the checkpoint in place. Throws DataError where a model that was
  /// kept before it, and would not be written again, is no longer there.
  void restore(const std::string& checkpoint);
  /// Weights, momenta and the objective's state are rank 0's; nothing happens with one process.
  void take_over_first();
  /// Throws TrainingDiverged.
  StageEnd run();

 private:
  StageContext context_;
  TrainingState& state_;
  const StageOptions& options_;
  std::unique_ptr<Objective> objective_;
  EarlyStopOptions early_stop_;
  std::unique_ptr<Network> network_;
  TrainingBatches batches_;
  TrainingStep step_;
  StageModels models_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
  AlarmContext alarm_context_;
  std::set<AlarmKind> raised_;
  double epoch_seconds_ = 0;

  bool gaussian() const { return has_gaussians(options_.method.kind); }
  KlScale kl_scale() const;
  bool is_over() const;
  void report_start();
  bool run_steps();
  bool stop_requested();
  void run_step();
  bool end_epoch();
  EpochReport make_report(const MetricValues& validation) const;
  void keep_models(const EpochReport& report);
  bool is_time_to_save() const;
  void log(const EpochReport& report);
  void raise_alarms(const EpochReport& report);
  void write_checkpoint_now();
};

}  // namespace cubcal
