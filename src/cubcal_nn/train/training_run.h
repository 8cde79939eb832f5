#pragma once

#include <string>
#include <vector>

#include "cubcal/record/run_folder.h"
#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/train/observer.h"
#include "cubcal_nn/train/training_state.h"

namespace cubcal {

/// What there is in a run's folder.
enum class RunStatus {
  kEmpty,       ///< nothing that was trained
  kUnfinished,  ///< a checkpoint to go on from, if only to write the record
  kFinished
};

/// `stages` is the number of stages the run is to have.
RunStatus run_status(const RunFolder& folder, std::size_t stages);

/// What a run came to.
struct RunResult {
  bool finished = false;  ///< false: stopped by the observer, to be resumed
  std::vector<StageResult> stages;
};

/// Throws what train() would throw before it begins: ArgumentError for bad options, DataError for
/// a set that cannot be trained on or that has leaks. Writes nothing.
void check_training(const ImageSet& set, const RunOptions& options);

/// Trains, from the run's checkpoint where its folder has one and from the start where not.
///
/// A run is exact: on a CPU, with the same number of threads, its final weights are bit for bit the
/// same whether it ran through or was killed any number of times and resumed. A checkpoint with
/// another recipe or other data (by the hashes of `provenance`) is refused with DataError;
/// another number of threads is a warning. A resumed run takes the convolution path of its
/// checkpoint.
///
/// `provenance` is saved with the models; its stage, epoch and metrics are filled in here. Needs
/// splits "train" and "val". Throws ArgumentError for bad options, TrainingDiverged where the loss
/// is not finite; the folder then holds the last good checkpoint.
///
/// With `split` every rank calls it with the same set and options, and gets the same result: the
/// weights of one process to rounding, and the same bits each time with the same number of ranks.
/// Only rank 0 reads and writes the folder. A run goes on with another number of ranks to rounding,
/// which is a warning. Throws RankLost where a rank ends.
RunResult train(const ImageSet& set, const RunOptions& options, const RunFolder& folder,
                const Provenance& provenance, TrainObserver& observer, const RankSplit& split = {});

}  // namespace cubcal
