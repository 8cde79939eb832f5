#include "cubcal_nn/experiment/run_part.h"

#include <filesystem>
#include <optional>
#include <sstream>

#include "cubcal/record/run_folder.h"
#include "cubcal_nn/experiment/split_logits.h"
#include "cubcal_nn/experiment/train_run.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/train/training_run.h"

namespace cubcal {

namespace {

/// "there 'epochs = 1', here 'epochs = 2'" of two texts that differ.
std::string first_difference(const std::string& there, const std::string& here) {
  std::istringstream lines_there(there), lines_here(here);
  std::string line_there, line_here;
  while (line_there == line_here) {
    const bool has_there = static_cast<bool>(std::getline(lines_there, line_there));
    const bool has_here = static_cast<bool>(std::getline(lines_here, line_here));
    if (!has_there) line_there = "nothing more";
    if (!has_here) line_here = "nothing more";
    if (!has_there && !has_here) break;
  }
  return "there '" + line_there + "', here '" + line_here + "'";
}

bool is_trained(const RunPart& part) {
  const RunFolder run{part.folder};
  return std::filesystem::exists(run.recipe()) &&
         run_status(run, part.recipe.run.stages.size()) == RunStatus::kFinished;
}

}  // namespace

std::string recipe_text(const RunPart& part) {
  const RunFolder run{part.folder};
  const std::string& here = part.recipe.text;
  if (!std::filesystem::exists(run.recipe())) return here;
  std::string there = read_recipe_text(run.recipe());
  if (there == here || (!part.start.empty() && differ_in_place_alone(there, here, part.start))) {
    return there;
  }
  throw ArgumentError("'" + part.folder + "' was made with other settings (" +
                      first_difference(there, here) +
                      "): give the option 'out' another folder, or remove it");
}

std::string RunPart::model() const { return folder + "/" + model_name; }

std::string RunPart::logits(const std::string& split) const {
  return RunFolder{folder}.logits(split);
}

McOptions RunPart::mc() const {
  McOptions mc;
  mc.passes = passes;
  mc.compute = recipe.run.compute;
  return mc;
}

void train_part(const RunPart& part, const ImagesOfPart& images, const std::string& indent,
                const std::string& resume_command, WorkObserver& observer) {
  Recipe recipe = part.recipe;
  recipe.text = recipe_text(part);
  if (is_trained(part)) {
    observer.line(indent + part.name + ": trained before");
  } else {
    run_recipe(recipe, images(), part.folder, indent, resume_command, observer);
  }
}

void draw_part_logits(const RunPart& part, const ImagesOfPart& images, WorkObserver& observer) {
  // The test logits are drawn last: where they are, the others are too.
  if (std::filesystem::exists(part.logits("test"))) return;
  const LoadedModel model = load_model(part.model(), c10::Device(part.recipe.run.device));
  const ImageSet& set = images();
  for (const char* name : {"ood", "val", "test"}) {
    if (!set.has_split(name) || std::filesystem::exists(part.logits(name))) continue;
    const ImageSplit& split = set.split(name);
    write_split_logits(
        part.logits(name), set, split, model,
        draw_split(model, split, part.mc(), part.name + ", logits of " + name, observer));
  }
}

void make_part(const RunPart& part, const ImagesOfPart& images, const std::string& indent,
               const std::string& resume_command, WorkObserver& observer) {
  train_part(part, images, indent, resume_command, observer);
  draw_part_logits(part, images, observer);
}

}  // namespace cubcal
