#include "cubcal_nn/train/stage_models.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal/io/atomic_file.h"

namespace cubcal {

StageModels::StageModels(Network& network, std::string best_folder, std::string last_folder)
    : network_(network),
      best_folder_(std::move(best_folder)),
      last_folder_(std::move(last_folder)) {}

std::vector<at::Tensor> StageModels::copied_values() const {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> copies;
  for (const auto& [name, values] : network_.parameters().flat_values()) {
    copies.push_back(values.detach().clone());
  }
  return copies;
}

void StageModels::put_back(const std::vector<at::Tensor>& values) {
  const c10::NoGradGuard no_grad;
  const NamedTensors targets = network_.parameters().flat_values();
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i].second.copy_(values[i]);
}

void StageModels::keep(const ModelDescription& description, bool is_best) {
  last_ = Kept{description, copied_values()};
  if (is_best) best_ = last_;  // shares the copies, which nobody changes
}

void StageModels::write_kept(const std::string& folder, std::optional<Kept>& kept) {
  if (!kept) return;
  put_back(kept->values);
  refuse_link(folder);
  save_model(folder, kept->description, network_);
  kept.reset();
}

void StageModels::write() {
  if (!best_ && !last_) return;
  const std::vector<at::Tensor> now = copied_values();
  write_kept(best_folder_, best_);
  write_kept(last_folder_, last_);
  put_back(now);
}

}  // namespace cubcal
