#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

/// A shard is one of n equal parts of a job that processes share without talking to each other:
/// which images are whose follows from their names alone.
namespace cubcal {

struct Shard {
  std::size_t index = 1;  ///< from 1 on
  std::size_t count = 1;

  bool operator==(const Shard& other) const { return index == other.index && count == other.count; }
};

inline constexpr std::size_t kMostShards = 100'000;

/// "2/4".
std::string shard_text(const Shard& shard);

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

/// "2/4", "auto" or "auto/4". With "auto" the scheduler's variables say which one it is:
/// SLURM_ARRAY_TASK_ID with SLURM_ARRAY_TASK_COUNT and _MIN, of an array that counts from 0 or 1
/// without gaps; or JOB_COMPLETION_INDEX of a Kubernetes Indexed Job, which does not say of how
/// many, so that "auto/4" is needed. With a number the array must count from 1, and may be a part
/// of it, as when a few shards are run again. Throws ArgumentError for anything else.
Shard parse_shard(const std::string& text, const Environment& environment);

/// From 1 to `count`: which shard a name belongs to. The same on every machine, whatever other
/// names there are.
std::size_t shard_of(std::uint64_t content_hash, std::size_t count);
std::size_t shard_of(const std::string& name, std::size_t count);

/// "answers.jsonl" becomes "answers.02-of-16.jsonl", so that every shard can be given the same
/// name, and names sort as shards do.
std::string shard_path(const std::string& path, const Shard& shard);

}  // namespace cubcal
