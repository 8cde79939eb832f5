#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/core/named_values.h"
#include "cubcal_nn/batches/augmentation.h"
#include "cubcal_nn/bayes/kl.h"
#include "cubcal_nn/bayes/moped.h"
#include "cubcal_nn/infer/weight_import.h"
#include "cubcal_nn/kernels/precision.h"
#include "cubcal_nn/ranks/rank_split.h"
#include "cubcal_nn/train/early_stop.h"
#include "cubcal_nn/train/flat_sgd.h"
#include "cubcal_nn/train/learning_rate.h"
#include "cubcal_nn/train/training_method.h"

namespace cubcal {

/// Where a stage's first weights come from.
enum class StageStart {
  kPrevious,  ///< the stage before or the pretrained model; by MOPED if this one is Gaussian
  kScratch    ///< drawn anew
};

/// What batch norm's momentum is a share of.
enum class NormMomentumPer {
  kStep,  ///< of one step of all passes
  kPass   ///< of each pass, as in PyTorch: five passes move the statistics five times in a step
};

struct StageOptions {
  TrainingMethod method = training_method(kDeterministicMethod);
  StageStart start = StageStart::kScratch;
  std::int64_t epochs = 20;
  std::int64_t batch = 64;
  /// S, draws of the weights (or dropout masks) per step; unset: 5 for Gaussian networks, else 1.
  std::optional<std::int64_t> passes;
  /// Share by which batch norm's running statistics move towards a batch.
  double norm_momentum = 0.1;
  NormMomentumPer norm_momentum_per = NormMomentumPer::kStep;
  SgdOptions sgd;
  LearningRateOptions learning_rate;
  EarlyStopOptions early_stop;
  std::optional<double> class_weight_power;  ///< unset: the run's
  double initial_rho = -3.0;                 ///< of Gaussian weights drawn anew
  MopedOptions moped;                        ///< of Gaussian weights made from a point network
  std::optional<double> dropout_rate;        ///< mc-dropout: replaces the network's own rates
  /// The true bound is nothing but KL for a set of a few thousand images and as many weights.
  KlOptions kl{KlReduction::kMean};

  std::int64_t training_passes() const;
  /// Batch norm sees every pass, so its statistics move S times in a step: by this share each
  /// time.
  double norm_momentum_of_pass() const;
};

/// Where the mean and the standard deviation come from that images are normalised with.
enum class NormaliseWith {
  kAutomatic,  ///< those of the weights a run starts from, else the training split's
  kTrain,      ///< fitted on the training split
  kImageNet,   ///< what torchvision's and Keras' weights were trained with
  kModel,      ///< those of the model folder a run starts from
  kGiven
};

/// Without kGiven, which has numbers instead of a name.
inline constexpr NamedValue<NormaliseWith> kNormaliseNames[] = {
    {"auto", NormaliseWith::kAutomatic},
    {"train", NormaliseWith::kTrain},
    {"imagenet", NormaliseWith::kImageNet},
    {"model", NormaliseWith::kModel}};

struct NormaliseOptions {
  NormaliseWith with = NormaliseWith::kAutomatic;
  std::vector<double> mean = {};  ///< of kGiven: one per channel, of values in [0, 1]
  std::vector<double> standard_deviation = {};
};

struct ValidationOptions {
  std::int64_t passes = 10;  ///< draws, the same ones after every epoch
  std::int64_t batch = 256;
};

/// A whole run: one stage, or a deterministic one and then a Bayesian one made from it.
struct RunOptions {
  std::string network = "small-resnet";
  HeadKind head = HeadKind::kOwn;
  /// What the first stage starts from: a model folder, or a file of weights (.pth, .safetensors) of
  /// the same network; empty: nothing.
  std::string pretrained = {};
  ImportOptions pretrained_import;  ///< of a file of weights
  std::vector<StageOptions> stages;
  std::int64_t input_size = 0;  ///< height and width the network sees, the middle; 0: the images'
  NormaliseOptions normalise;
  bool allow_leaks = false;  ///< train though splits share images or groups
  bool augment = true;
  AugmentationOptions augmentation;  ///< of no effect where `augment` is off
  double class_weight_power = 0;     ///< class weights n_k^-power: 0 none, 1 balanced
  ValidationOptions validation;
  std::uint64_t seed = 1;      ///< everything random follows from it
  std::string device = "cpu";  ///< "cpu", "cuda" or "cuda:N"
  ComputeOptions compute;
  /// Models and checkpoint are written at the end of an epoch, but no more often than this.
  double save_every_seconds = 15;
  int checkpoint_every_steps = 0;        ///< besides the ends of epochs; 0: none
  bool tensorboard = false;              ///< also write a TensorBoard event file
  std::int64_t chance_after_epochs = 5;  ///< accuracy at chance is told of after them; 0: never

  /// What is done to training images; everything off where they are not augmented.
  AugmentationOptions augmentation_in_force() const {
    return augment ? augmentation : AugmentationOptions{};
  }
};

/// Throws ArgumentError where a stage's batch, or its passes, cannot be shared out equally.
void check_split(const RunOptions& options, SplitOver over, int ranks);

/// Throws ArgumentError where a field is outside its domain or two of them disagree.
void check_run_options(const RunOptions& options);

}  // namespace cubcal
