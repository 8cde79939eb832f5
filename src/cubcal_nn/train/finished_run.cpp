#include "cubcal_nn/train/finished_run.h"

#include <torch/version.h>

#include "cubcal/version.h"
#include "cubcal_nn/infer/model_folder.h"

namespace cubcal {

namespace {

KeptModel kept_model(const std::string& folder) {
  const Provenance provenance = read_model_description(folder).provenance;
  return {provenance.epoch, provenance.metrics};
}

}  // namespace

RunRecord finished_run(const RunFolder& folder, const RunOptions& options,
                       const Provenance& provenance, const CheckpointHead& head,
                       const RankSplit& split) {
  RunRecord record;
  record.program = std::string("cubcal ") + kVersion;
  record.libtorch = TORCH_VERSION;
  record.device = options.device;
  record.precision = precision_name(options.compute.precision);
  record.threads = head.compute.threads;
  record.convolution = convolution_backend_name(head.compute.convolution);
  if (split.group != nullptr) {
    record.distributed = {split.ranks(), name_of(kSplitNames, split.over), split.group->backend()};
  }
  record.seed = options.seed;
  record.network = options.network;
  record.data = provenance.data;
  record.data_hash = provenance.data_hash;
  record.recipe = provenance.recipe;
  record.recipe_hash = provenance.recipe_hash;
  record.settings = provenance.settings;
  record.pretrained_hash = head.pretrained_hash;
  for (std::size_t i = 0; i < head.state.finished.size(); ++i) {
    const StageResult& result = head.state.finished[i];
    const StageOptions& stage = options.stages[i];
    record.stages.push_back({stage.method.name, result.epochs, result.stopped_early,
                             stage.early_stop.metric, result.seconds,
                             kept_model(folder.best(i, options.stages.size())),
                             kept_model(folder.last(i, options.stages.size()))});
  }
  return record;
}

}  // namespace cubcal
