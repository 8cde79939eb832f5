#include "demo_parts.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <iostream>

#include "cubcal/infer/mc_engine.h"
#include "cubcal/infer/model_folder.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/train/training_run.h"
#include "interrupt.h"
#include "phantom_recipe.h"
#include "progress_bar.h"
#include "tensor_values.h"
#include "train_run.h"

namespace cubcal::app {

namespace {

DemoPart make_part(const DemoOptions& options, const std::string& name,
                   std::vector<std::string> overrides) {
  overrides.push_back("seed=" + std::to_string(options.seed));
  if (options.quick) {
    for (const char* change :
         {"data.phantom.train=300", "data.phantom.val=100", "data.phantom.test=100",
          "data.phantom.ood=40", "data.phantom.image_size=16", "stage1.epochs=4", "stage2.epochs=2",
          "stage2.passes=2", "stage2.beta_warmup_epochs=1"}) {
      overrides.emplace_back(change);
    }
  }
  return {name, options.folder + "/" + name,
          parse_recipe(kPhantomRecipe, "recipes/phantom.toml", overrides),
          options.quick ? std::size_t{20} : std::size_t{80}};
}

void draw_logits(const DemoPart& part, LoadedModel& model, const ImageSplit& split) {
  ProgressBar bar(part.name + ", logits of " + split.name);
  McOptions mc;
  mc.passes =
      part.recipe.run.stages.back().method == TrainingMethod::kDeterministic ? 1 : part.passes;
  mc.interrupted = InterruptWatch::interrupted;
  mc.progress = [&bar](std::size_t done, std::size_t of) { bar.show(done, of); };
  McEngine engine(*model.network, model.description.preprocessing);
  LogitsFile file;
  file.logits = engine.run(split.images, mc).logits;
  file.class_names = model.description.class_names;
  file.has_labels = !split.outliers;
  if (file.has_labels) file.labels = values_of(split.labels);
  if (split.groups.defined()) {
    for (const std::int64_t group : values_of(split.groups)) {
      file.groups.push_back(std::to_string(group));
    }
  }
  write_logits_file(part.logits(split.name), file);
}

/// Whether the part's run is finished; a run of other settings is refused.
bool is_trained(const DemoPart& part) {
  const RunFolder run{part.folder};
  if (!std::filesystem::exists(run.recipe())) return false;
  if (read_text_file(run.recipe(), 1 << 20) != part.recipe.text) {
    throw ArgumentError("'" + part.folder +
                        "' was made with other settings: give another --out, or remove it");
  }
  return run_status(run, part.recipe.run.stages.size()) == RunStatus::kFinished;
}

}  // namespace

std::string DemoPart::model() const { return folder + "/last"; }

std::string DemoPart::logits(const std::string& split) const {
  return folder + "/" + split + ".npz";
}

std::vector<DemoPart> demo_parts(const DemoOptions& options) {
  std::vector<DemoPart> parts;
  parts.push_back(make_part(options, "deterministic", {"stages=[1]"}));
  const std::string start = "model.pretrained='" + parts.front().model() + "'";
  parts.push_back(make_part(options, "mc-dropout",
                            {"stages=[2]", start, "stage2.method='mc-dropout'", "stage2.passes=1",
                             "stage2.dropout_rate=0.3"}));
  for (const char* method : {"bnn", "bnn+avuc", "bnn+cub"}) {
    parts.push_back(make_part(
        options, method, {"stages=[2]", start, "stage2.method='" + std::string(method) + "'"}));
  }
  return parts;
}

void make_demo_part(const DemoPart& part, const ImageSet& set, const std::string& resume_command) {
  if (is_trained(part)) {
    std::cout << part.name << ": trained before\n";
  } else {
    run_recipe(part.recipe, set, part.folder, "", resume_command);
  }
  std::optional<LoadedModel> model;
  const InterruptWatch watch;
  for (const char* split : {"val", "test", "ood"}) {
    if (std::filesystem::exists(part.logits(split))) continue;
    if (!model) model.emplace(load_model(part.model()));
    draw_logits(part, *model, set.split(split));
  }
}

}  // namespace cubcal::app
