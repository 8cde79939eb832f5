#include "cubcal_nn/train/run_record.h"

#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "cubcal/io/atomic_file.h"
#include "cubcal/version.h"
#include "cubcal_nn/infer/model_folder.h"

namespace cubcal {

using nlohmann::ordered_json;

namespace {

ordered_json model_record(const std::string& folder) {
  const ModelDescription description = read_model_description(folder);
  return {{"epoch", description.provenance.epoch}, {"validation", description.provenance.metrics}};
}

}  // namespace

void write_run_record(const RunFolder& folder, const RunOptions& options,
                      const Provenance& provenance, const CheckpointHead& head) {
  ordered_json record;
  record["format"] = "cubcal-run";
  record["version"] = 1;
  record["program"] = std::string("cubcal ") + kVersion;
  record["libtorch"] = TORCH_VERSION;
  record["device"] = options.device;
  record["precision"] = precision_name(options.compute.precision);
  record["threads"] = head.compute.threads;
  record["convolution"] = convolution_backend_name(head.compute.convolution);
  record["seed"] = options.seed;
  record["network"] = options.network;
  record["data"] = {{"name", provenance.data}, {"hash", provenance.data_hash}};
  record["recipe"] = {{"text", provenance.recipe}, {"hash", provenance.recipe_hash}};
  record["recipe"]["settings"] = settings_json(provenance.settings);
  ordered_json& stages = record["stages"];
  stages = ordered_json::array();
  for (std::size_t i = 0; i < head.state.finished.size(); ++i) {
    const StageResult& result = head.state.finished[i];
    const StageOptions& stage = options.stages[i];
    ordered_json entry;
    entry["method"] = stage.method.name;
    entry["epochs"] = result.epochs;
    entry["stopped_early"] = result.stopped_early;
    entry["monitored"] = stage.early_stop.metric;
    entry["seconds"] = result.seconds;
    entry["best"] = model_record(folder.best(i, options.stages.size()));
    entry["last"] = model_record(folder.last(i, options.stages.size()));
    stages.push_back(entry);
  }
  refuse_link(folder.record());
  write_file_atomically(folder.record(), record.dump(2) + "\n");
}

}  // namespace cubcal
