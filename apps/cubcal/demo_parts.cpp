#include "demo_parts.h"

#include "phantom_recipe.h"

namespace cubcal::app {

namespace {

RunPart demo_part(const DemoOptions& options, const std::string& name,
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
  RunPart part{name, options.folder + "/" + name,
               parse_recipe(kPhantomRecipe, "recipes/phantom.toml", overrides)};
  if (options.quick) part.passes = 20;
  return part;
}

}  // namespace

std::vector<RunPart> demo_parts(const DemoOptions& options) {
  std::vector<RunPart> parts;
  parts.push_back(demo_part(options, "deterministic", {"stages=[1]"}));
  const std::string start = "model.pretrained='" + parts.front().model() + "'";
  parts.push_back(demo_part(options, "mc-dropout",
                            {"stages=[2]", start, "stage2.method='mc-dropout'", "stage2.passes=1",
                             "stage2.dropout_rate=0.3"}));
  for (const char* method : {"bnn", "bnn+avuc", "bnn+cub"}) {
    parts.push_back(demo_part(
        options, method, {"stages=[2]", start, "stage2.method='" + std::string(method) + "'"}));
  }
  return parts;
}

}  // namespace cubcal::app
