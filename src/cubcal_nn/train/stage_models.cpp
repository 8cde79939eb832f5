#include "cubcal_nn/train/stage_models.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/train/checkpoint.h"

namespace cubcal {

namespace {

template <class Look>
void look_at_kept(const std::string& folder, const Look& look) {
  try {
    look();
  } catch (const Error& error) {
    throw kept_not_usable("model '" + folder + "' that the run kept", error);
  }
}

}  // namespace

void check_kept_model(const std::string& folder, const Provenance& kept, std::int64_t finished) {
  look_at_kept(folder, [&] {
    const Provenance found = load_model(folder).description.provenance;
    if (found.stage != kept.stage || found.recipe_hash != kept.recipe_hash) {
      throw DataError("it is of another stage or run");
    }
    if (found.epoch != kept.epoch && found.epoch <= finished) {
      throw DataError("it is of epoch " + std::to_string(found.epoch) + ", not " +
                      std::to_string(kept.epoch));
    }
  });
}

void check_kept_description(const std::string& folder) {
  look_at_kept(folder, [&] { read_model_description(folder); });
}

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
