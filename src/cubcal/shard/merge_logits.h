#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/io/npz.h"
#include "cubcal/shard/shard_head.h"

namespace cubcal {

/// Adds to an .npz of logits what makes it a shard: the place of each sample and the head.
void add_shard_arrays(NpzWriter& npz, const ShardHead& head,
                      const std::vector<std::int64_t>& places);

/// The head of the shard of logits at the path. Throws DataError where it is none.
ShardHead logits_shard_head(const std::string& path);

/// Writes the arrays of all shards as an unsharded run would have written them: samples in their
/// order, other arrays once. Holds one array of the result at a time. The shards have passed
/// check_one_job. Throws DataError where arrays are not alike, or places missing or there twice.
void merge_logits(const std::vector<ShardFile>& shards, const std::string& output);

}  // namespace cubcal
