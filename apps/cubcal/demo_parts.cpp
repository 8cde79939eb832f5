#include "demo_parts.h"

#include "phantom_recipe.h"

namespace cubcal::app {

namespace {

const std::vector<std::string> kQuick = {"data.phantom.train=300",
                                         "data.phantom.val=100",
                                         "data.phantom.test=100",
                                         "data.phantom.ood=40",
                                         "data.phantom.image_size=16",
                                         "stage1.epochs=4",
                                         "stage2.epochs=2",
                                         "stage2.passes=2",
                                         "stage2.beta_warmup_epochs=1"};

Recipe phantom_recipe(const std::vector<std::string>& overrides) {
  return parse_recipe(kPhantomRecipe, "recipes/phantom.toml", overrides);
}

RunPart demo_part(const DemoOptions& options, const ExperimentRun& run, const std::string& start) {
  std::vector<std::string> overrides = run.overrides;
  overrides.push_back("seed=" + std::to_string(options.seed));
  if (options.quick) overrides.insert(overrides.end(), kQuick.begin(), kQuick.end());
  if (!start.empty()) overrides.push_back(text_override("model.pretrained", start));
  RunPart part{run.method, options.folder + "/" + run.method, phantom_recipe(overrides)};
  if (options.quick) part.passes = 20;
  return part;
}

}  // namespace

std::vector<RunPart> demo_parts(const DemoOptions& options) {
  std::vector<RunPart> parts;
  for (const ExperimentRun& run : experiment_runs(phantom_recipe({}).experiment, 1)) {
    parts.push_back(demo_part(options, run, parts.empty() ? "" : parts.front().model()));
  }
  return parts;
}

}  // namespace cubcal::app
