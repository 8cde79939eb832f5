#include "model_warnings.h"

#include "cubcal/io/utf8.h"

namespace cubcal::app {

std::vector<std::string> model_warnings(const ModelFacts& model) {
  std::vector<std::string> warnings;
  if (model.verdict_passes != 0 && model.passes != model.verdict_passes) {
    warnings.push_back("the thresholds of the model's verdict are for " +
                       std::to_string(model.verdict_passes) + " passes, and --mc says " +
                       std::to_string(model.passes));
  }
  if (model.probes_accepted * 100 > model.probes) {
    warnings.push_back("the model's verdict by " + *model.detector + " accepts " +
                       std::to_string(model.probes_accepted) + " of " +
                       std::to_string(model.probes) +
                       " images of noise, blank images and others that no verdict may accept");
  }
  if (model.status == "retired") {
    warnings.push_back(printable(model.name) + ", version " + model.version +
                       ", is retired and not to be used any longer");
  }
  return warnings;
}

}  // namespace cubcal::app
