#pragma once

#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/train/observer.h"

/// Things that go wrong in training, as sentences that say what to do about them.
namespace cubcal {

/// The loss or the weights are no longer finite. The last checkpoint is from before.
class TrainingDiverged : public DataError {
 public:
  using DataError::DataError;
};

/// `own` names the terms of the objective.
TrainingDiverged loss_not_finite(const LossTerms& terms, const std::vector<TermName>& own,
                                 std::int64_t stage, std::int64_t epoch, std::int64_t step,
                                 double learning_rate);
TrainingDiverged weights_not_finite(std::int64_t stage, std::int64_t epoch);
/// The weights are finite, but so large that predictions are not.
TrainingDiverged predictions_not_finite(std::int64_t stage, std::int64_t epoch);

struct AlarmContext {
  std::int64_t chance_after_epochs = 5;  ///< 0: accuracy at chance is not told of
  std::size_t classes = 2;               ///< of which the validation split has images
  double commonest_share = 0;            ///< of the commonest class in the validation split
  bool gaussian = false;
  /// KL is a mean over weights, whose size says nothing of its pull: each weight's is tiny.
  bool kl_is_mean = false;
  std::int64_t epochs_of_one_answer = 0;  ///< in a row, the last among them
};

enum class AlarmKind {
  kSigmaCollapsed,  ///< noise_to_signal below 1e-3
  kSigmaExploded,   ///< noise_to_signal above 10
  kKlDominates,     ///< KL, unless a mean over weights, above nine tenths of the loss
  kObjective,       ///< what the objective says of itself
  kAtChance,        ///< accuracy of one answer to all images after `chance_after_epochs` epochs
  kFellToOneAnswer  ///< ... in two epochs running after that, having been better
};

struct Alarm {
  AlarmKind kind;
  std::string text;
};

/// Whether the recall of the classes, averaged over those there are, is that of one answer to all
/// images.
bool no_better_than_one_answer(const EpochReport& report, std::size_t classes);
/// Counts the epochs of one answer to which this one belongs.
void count_one_answer(const EpochReport& report, AlarmContext& context);

/// What is to be said of an epoch; mostly nothing.
std::vector<Alarm> epoch_alarms(const EpochReport& report, const AlarmContext& context,
                                const Objective& objective);

/// What is to be said of the data before training starts.
std::string data_alarm(const SetFinding& finding);
/// Splits share images or groups, and the run does not allow it.
DataError data_leak(const SetFinding& finding);

}  // namespace cubcal
