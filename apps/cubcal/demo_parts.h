#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/data/image_set.h"
#include "cubcal/recipe/recipe.h"

/// The networks of 'cubcal demo', each a run of the recipe recipes/phantom.toml with a few keys
/// changed, in a folder of its own.
namespace cubcal::app {

struct DemoOptions {
  std::string folder;
  std::uint64_t seed = 1;
  bool quick = false;
};

struct DemoPart {
  std::string name;    ///< "bnn+cub", also the name of the part's folder
  std::string folder;  ///< the run's
  Recipe recipe;
  std::size_t passes;  ///< of the logits; a deterministic network has one

  std::string model() const;
  /// The part's logits of a split: "<folder>/val.npz".
  std::string logits(const std::string& split) const;
};

/// Deterministic, MC dropout, BNN, BNN + AvUC and BNN + CUB, the last four made from the first.
std::vector<DemoPart> demo_parts(const DemoOptions& options);

/// Trains the part and draws its logits of val, test and ood; what is there already is not made
/// again. Throws ArgumentError where the folder holds a part made with other settings.
void make_demo_part(const DemoPart& part, const ImageSet& set, const std::string& resume_command);

}  // namespace cubcal::app
