#include "run_part.h"

#include <filesystem>
#include <iostream>
#include <optional>

#include "cubcal/infer/model_folder.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/train/training_run.h"
#include "split_logits.h"
#include "train_run.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kMaxRecipeBytes = 1 << 20;

/// Whether the part's run is finished; a run of other settings is refused.
bool is_trained(const RunPart& part) {
  const RunFolder run{part.folder};
  if (!std::filesystem::exists(run.recipe())) return false;
  if (read_text_file(run.recipe(), kMaxRecipeBytes) != part.recipe.text) {
    throw ArgumentError("'" + part.folder +
                        "' was made with other settings: give another --out, or remove it");
  }
  return run_status(run, part.recipe.run.stages.size()) == RunStatus::kFinished;
}

}  // namespace

std::string RunPart::model() const { return folder + "/" + model_name; }

std::string RunPart::logits(const std::string& split) const {
  return folder + "/" + split + ".npz";
}

McOptions RunPart::mc() const {
  McOptions mc;
  const bool one = recipe.run.stages.back().method == TrainingMethod::kDeterministic;
  mc.passes = one ? 1 : passes;
  mc.compute = recipe.run.compute;
  return mc;
}

void make_part(const RunPart& part, const ImagesOfPart& images, const std::string& indent,
               const std::string& resume_command) {
  if (is_trained(part)) {
    std::cout << indent << part.name << ": trained before\n";
  } else {
    run_recipe(part.recipe, images(), part.folder, indent, resume_command);
  }
  // The test logits are drawn last: where they are, the others are too.
  if (std::filesystem::exists(part.logits("test"))) return;
  const LoadedModel model = load_model(part.model(), c10::Device(part.recipe.run.device));
  const ImageSet& set = images();
  for (const char* name : {"ood", "val", "test"}) {
    if (!set.has_split(name) || std::filesystem::exists(part.logits(name))) continue;
    const ImageSplit& split = set.split(name);
    write_split_logits(part.logits(name), set, split, model.description,
                       draw_split(model, split, part.mc(), part.name + ", logits of " + name));
  }
}

}  // namespace cubcal::app
