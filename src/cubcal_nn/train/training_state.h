#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cubcal_nn/losses/avuc_loss.h"
#include "cubcal_nn/losses/beta_schedule.h"
#include "cubcal_nn/train/early_stop.h"
#include "cubcal_nn/train/training_step.h"

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
  std::int64_t images = 0;  ///< seen in the epoch so far
  BetaSchedule::State beta;
  AvucThreshold avuc;
  EarlyStop early_stop;
  double stage_seconds = 0;
  std::vector<StageResult> finished;  ///< stages
  // The run's open files are cut back to these lengths when it is resumed.
  std::uint64_t metrics_bytes = 0;
  std::uint64_t events_bytes = 0;
};

nlohmann::json to_json(const TrainingState& state);
/// Throws DataError where the object is not what to_json writes.
TrainingState training_state_from_json(const nlohmann::json& object);

}  // namespace cubcal
