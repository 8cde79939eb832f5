#include "cubcal/shard/shard.h"

#include <filesystem>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"

namespace cubcal {

namespace {

constexpr const char* kSlurmId = "SLURM_ARRAY_TASK_ID";
constexpr const char* kSlurmCount = "SLURM_ARRAY_TASK_COUNT";
constexpr const char* kSlurmFirst = "SLURM_ARRAY_TASK_MIN";
constexpr const char* kSlurmLast = "SLURM_ARRAY_TASK_MAX";
constexpr const char* kKubernetesIndex = "JOB_COMPLETION_INDEX";

/// The variable's number. Throws where it is not set or none.
std::size_t number_in(const Environment& environment, const char* name) {
  const char* text = environment(name);
  if (text == nullptr) {
    throw ArgumentError(std::string("the option 'shard' auto needs ") + name +
                        ", which is not set: give the number of shards as in 'auto/16'");
  }
  const std::optional<std::size_t> number = parse_whole<std::size_t>(text);
  if (number) return *number;
  throw ArgumentError(std::string("the environment variable ") + name +
                      " must be a whole number from 0 on, not '" + text + "'");
}

[[noreturn]] void refuse(const std::string& text) {
  throw ArgumentError(
      "the option 'shard' must be as '2/4', which is the second of four, 'auto' or "
      "'auto/4', with at most " +
      std::to_string(kMostShards) + " shards, not '" + text + "'");
}

/// A whole array that counts from 0 or from 1: of a part of one nobody knows how many there are.
Shard slurm_array(const Environment& environment) {
  const std::size_t id = number_in(environment, kSlurmId);
  const std::size_t count = number_in(environment, kSlurmCount);
  const std::size_t first = number_in(environment, kSlurmFirst);
  const std::size_t last = number_in(environment, kSlurmLast);
  if (first > 1 || last < first || last - first + 1 != count || id < first || id > last) {
    throw ArgumentError(
        "the option 'shard' auto needs a job array that counts from 0 or 1 without gaps; for a "
        "part of one, give the number of shards as in 'auto/16'");
  }
  return {id - first + 1, count};
}

Shard from_environment(const Environment& environment, std::optional<std::size_t> count) {
  const bool slurm = environment(kSlurmId) != nullptr;
  const bool kubernetes = environment(kKubernetesIndex) != nullptr;
  if (slurm == kubernetes) {
    throw ArgumentError(std::string("the option 'shard' auto needs one of the environment "
                                    "variables ") +
                        kSlurmId + " and " + kKubernetesIndex + ", and " +
                        (slurm ? "both are set" : "neither is set"));
  }
  if (slurm) {
    return count ? Shard{number_in(environment, kSlurmId), *count} : slurm_array(environment);
  }
  if (!count) {
    throw ArgumentError(
        "the option 'shard' auto cannot tell how many completions the Kubernetes job has: give "
        "their number as in 'auto/16'");
  }
  return {number_in(environment, kKubernetesIndex) + 1, *count};
}

}  // namespace

std::string shard_text(const Shard& shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

Shard parse_shard(const std::string& text, const Environment& environment) {
  const std::size_t slash = text.find('/');
  const std::string first = text.substr(0, slash);
  std::optional<std::size_t> count;
  if (slash != std::string::npos) {
    count = parse_whole<std::size_t>(text.substr(slash + 1));
    if (!count || *count < 1 || *count > kMostShards) refuse(text);
  }
  Shard shard;
  if (first == "auto") {
    shard = from_environment(environment, count);
  } else {
    const std::optional<std::size_t> index = parse_whole<std::size_t>(first);
    if (!index || !count) refuse(text);
    shard = {*index, *count};
  }
  if (shard.index < 1 || shard.index > shard.count || shard.count > kMostShards) {
    throw ArgumentError("there is no shard " + shard_text(shard) + ": they count from 1 to " +
                        std::to_string(shard.count));
  }
  return shard;
}

std::size_t shard_of(std::uint64_t content_hash, std::size_t count) {
  // The low bits of FNV-1a follow from the low bits of the text alone: stirred (MurmurHash3's end).
  std::uint64_t mixed = content_hash;
  mixed = (mixed ^ (mixed >> 33)) * 0xff51afd7ed558ccdULL;
  mixed = (mixed ^ (mixed >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  mixed ^= mixed >> 33;
  return static_cast<std::size_t>(mixed % count) + 1;
}

std::size_t shard_of(const std::string& name, std::size_t count) {
  ContentHash hash;
  hash.add(name);
  return shard_of(hash.value(), count);
}

std::string shard_path(const std::string& path, const Shard& shard) {
  const std::string count = std::to_string(shard.count);
  std::string index = std::to_string(shard.index);
  index.insert(0, count.size() - index.size(), '0');
  const std::filesystem::path whole(path);
  std::filesystem::path name = whole.stem();
  name += "." + index + "-of-" + count;
  name += whole.extension();
  return (whole.parent_path() / name).string();
}

}  // namespace cubcal
