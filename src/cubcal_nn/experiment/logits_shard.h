#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/shard/shard_head.h"
#include "cubcal_nn/experiment/split_logits.h"

namespace cubcal {

/// The samples of a split that are of one shard.
struct LogitsShard {
  ShardHead head;
  ImageSplit part;
  std::vector<std::int64_t> places;  ///< in the split
};

/// A sample is of the shard that the name of its file says, or where there are no files its pixels.
/// `compute` says how it is computed.
LogitsShard logits_shard(const Shard& shard, const LoadedModel& model, const ImageSet& set,
                         const ImageSplit& split, const McOptions& options,
                         const std::string& compute);

/// Whether the path holds this very shard. Throws DataError where it holds another one.
bool is_finished(const LogitsShard& shard, const std::string& path);

/// Draws and writes them. Masks of MC dropout follow from the place in the whole split, as they do
/// in an unsharded run. A shard without samples has no logits.
void write_logits_shard(const std::string& path, const ImageSet& set, const LogitsShard& shard,
                        const LoadedModel& model, McOptions options, WorkObserver& observer);

}  // namespace cubcal
