#pragma once

#include <cstddef>
#include <string>

namespace cubcal {

/// Where the parts of a run lie.
struct RunFolder {
  std::string path;

  std::string recipe() const { return path + "/recipe.toml"; }
  std::string checkpoint() const { return path + "/checkpoint.safetensors"; }
  std::string metrics() const { return path + "/metrics.jsonl"; }
  /// TensorBoard looks for "tfevents" in the name.
  std::string events() const { return path + "/events.out.tfevents.cubcal"; }
  /// What was said of the training, with the time of each line.
  std::string log() const { return path + "/train.log"; }
  std::string record() const { return path + "/record.json"; }
  /// Model folders. Those of the last stage are the run's own; earlier ones lie in "stage1" and so
  /// on.
  std::string best(std::size_t stage = 0, std::size_t stages = 1) const {
    return stage_path(stage, stages) + "/best";
  }
  std::string last(std::size_t stage = 0, std::size_t stages = 1) const {
    return stage_path(stage, stages) + "/last";
  }

  /// What is made of the run's model afterwards: logits of a split, the table of detectors and
  /// calibrations by the name of their method.
  std::string logits(const std::string& split) const { return path + "/" + split + ".npz"; }
  std::string detectors() const { return path + "/ood.json"; }
  std::string calibration(const std::string& method) const {
    return path + "/calibration-" + method + ".json";
  }

 private:
  std::string stage_path(std::size_t stage, std::size_t stages) const {
    return stage + 1 == stages ? path : path + "/stage" + std::to_string(stage + 1);
  }
};

}  // namespace cubcal
