#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "cubcal/io/json_fields.h"
#include "cubcal_nn/losses/objective.h"
#include "cubcal_nn/train/early_stop.h"

namespace cubcal {

/// What a finished stage leaves to the record.
struct StageResult {
  std::int64_t epochs = 0;
  std::int64_t best_epoch = -1;  ///< counted from 0
  double best = 0;               ///< of the monitored metric
  bool stopped_early = false;
  double seconds = 0;
};

/// Everything about a run in progress that is not a tensor. With the flat buffers and momenta it is
/// all that a run needs to go on: learning rates, batches and noise follow from the place.
struct TrainingState {
  std::int64_t stage = 0;  ///< index of the stage that runs; the number of stages when all are done
  std::int64_t epoch = 0;  ///< of the stage, that runs
  std::int64_t step = 0;   ///< batches of the epoch that are done
  LossTerms sums;          ///< over the epoch's steps so far
  std::int64_t images = 0;   ///< seen in the epoch so far
  nlohmann::json objective;  ///< Objective::state(); null: that of a stage that begins
  EarlyStop early_stop;
  double stage_seconds = 0;
  std::vector<StageResult> finished;  ///< stages
  // The run's open files are cut back to these lengths when it is resumed.
  std::uint64_t metrics_bytes = 0;
  std::uint64_t events_bytes = 0;
};

/// What to_json writes. Version 1 had the sums as a list without names, and the states of CUB-Loss
/// and AvUC side by side whatever was trained.
inline constexpr int kTrainingStateVersion = 2;

nlohmann::json to_json(const TrainingState& state);
/// Throws DataError where the object is not what to_json wrote in that version, 1 or 2.
TrainingState training_state_from_json(const JsonFields& fields,
                                       std::int64_t version = kTrainingStateVersion);

}  // namespace cubcal
