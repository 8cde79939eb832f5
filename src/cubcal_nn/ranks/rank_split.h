#pragma once

#include "cubcal/core/named_values.h"
#include "cubcal_nn/ranks/rank_group.h"

namespace cubcal {

/// What ranks share out of a training step.
enum class SplitOver {
  kImages,  ///< each has a part of the batch, in all passes
  kPasses   ///< each has a part of the passes, over the whole batch
};

inline constexpr NamedValue<SplitOver> kSplitNames[] = {{"images", SplitOver::kImages},
                                                        {"passes", SplitOver::kPasses}};

/// How a run is trained by several processes; the default is by this one.
struct RankSplit {
  RankGroup* group = nullptr;  ///< null: there is but one process
  SplitOver over = SplitOver::kImages;
  /// Values of a piece of the gradient that is added up at once, a multiple of four: large, so that
  /// their number costs nothing, yet several in a large network, so that most of them are on their
  /// way before the last is known.
  std::int64_t piece = std::int64_t{1} << 21;

  int rank() const { return group == nullptr ? 0 : group->rank(); }
  int ranks() const { return group == nullptr ? 1 : group->size(); }
  /// Files and words are this process's.
  bool is_first() const { return rank() == 0; }
  /// A stage of one pass has nothing but images to share out.
  SplitOver over_in(std::int64_t passes) const { return passes > 1 ? over : SplitOver::kImages; }
};

}  // namespace cubcal
