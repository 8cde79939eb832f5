#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cubcal/adaptive/sequential_decision.h"
#include "cubcal/uncertainty/mc_logits.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

/// What SequentialDecision would have done on passes that are all there.
struct AdaptiveReplay {
  std::size_t total = 0;             ///< S
  std::vector<std::size_t> passes;   ///< [N]: taken before stopping
  std::vector<double> risk;          ///< [N]: predicted at that moment; 0 after all passes
  std::vector<McDecision> decision;  ///< [N]: of the passes taken
  std::vector<McDecision> full;      ///< [N]: of all passes
};

/// Takes the passes in the order they have. They are logits, or with another `kind` probabilities,
/// which count as they are and go with no calibration. Throws ArgumentError for options outside
/// their domain, DataError for logits that are not finite or a calibration of another number of
/// classes. The result does not depend on the number of threads.
AdaptiveReplay replay_adaptive(const McLogits& logits, const AdaptiveOptions& adaptive = {},
                               const DecisionOptions& decision = {},
                               const std::optional<Calibration>& calibration = {},
                               NumberKind kind = NumberKind::kLogits);

/// How many samples are decided otherwise than by all passes.
struct AdaptiveChanges {
  std::size_t samples = 0;
  std::size_t predicted = 0;  ///< another class
  std::size_t refer = 0;      ///< accept became refer, or the other way
  std::size_t confident = 0;  ///< the other side of gamma
  std::size_t verdict = 0;    ///< another class or accept/refer
  std::size_t any = 0;        ///< another McDecision
  double mean_passes = 0;
  double mean_risk = 0;        ///< the share of `any` that was predicted
  std::size_t all_passes = 0;  ///< samples that took all of them
};

AdaptiveChanges changes(const AdaptiveReplay& replay);

}  // namespace cubcal
