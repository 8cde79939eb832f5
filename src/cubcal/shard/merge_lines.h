#pragma once

#include <string>
#include <vector>

#include "cubcal/shard/shard_head.h"

namespace cubcal {

/// Writes the rows of all shards in the order of their places, each as an unsharded run would have
/// written it. Memory grows with the number of shards and not with that of rows. The shards have
/// passed check_one_job. Throws DataError where rows are damaged, missing or there twice.
void merge_lines(const std::vector<ShardFile>& shards, const std::string& output);

}  // namespace cubcal
