#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal_nn/experiment/run_part.h"

/// The networks of 'cubcal demo', each a run of the recipe recipes/phantom.toml with a few keys
/// changed, in a folder of its own.
namespace cubcal::app {

struct DemoOptions {
  std::string folder;
  std::uint64_t seed = 1;
  bool quick = false;
};

/// Deterministic, MC dropout, BNN, BNN + AvUC and BNN + CUB, the last four made from the first.
std::vector<RunPart> demo_parts(const DemoOptions& options);

}  // namespace cubcal::app
