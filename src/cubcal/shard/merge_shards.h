#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cubcal {

struct MergeResult {
  std::string kind;  ///< "predictions" or "logits"
  std::size_t shards = 0;
  std::size_t images = 0;
  std::size_t unreadable = 0;
  std::string warning;  ///< one sentence, or empty
};

/// Puts the shards of one job together into the file that an unsharded run writes, byte for byte.
/// Which kind they are is seen by how they begin. Throws DataError as check_one_job does.
MergeResult merge_shards(const std::vector<std::string>& paths, const std::string& output);

}  // namespace cubcal
