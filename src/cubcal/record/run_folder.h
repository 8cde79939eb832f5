#pragma once

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
  std::string record() const { return path + "/record.json"; }
  /// Model folders. Those of the last stage are the run's own; earlier ones lie in "stage1" and so
  /// on.
  std::string best(std::size_t stage, std::size_t stages) const {
    return stage_path(stage, stages) + "/best";
  }
  std::string last(std::size_t stage, std::size_t stages) const {
    return stage_path(stage, stages) + "/last";
  }

 private:
  std::string stage_path(std::size_t stage, std::size_t stages) const {
    return stage + 1 == stages ? path : path + "/stage" + std::to_string(stage + 1);
  }
};

}  // namespace cubcal
