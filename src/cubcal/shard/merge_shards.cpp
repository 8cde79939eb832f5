#include "cubcal/shard/merge_shards.h"

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/regular_file.h"
#include "cubcal/shard/lines_shard.h"
#include "cubcal/shard/merge_logits.h"

namespace cubcal {

namespace {

/// Whether the file is a zip archive, as .npz files are.
bool is_zip(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw DataError("'" + path + "' is a folder: a shard that is not finished, or none at all");
  }
  return head_of_file(path, 2) == "PK";
}

}  // namespace

MergeResult merge_shards(const std::vector<std::string>& paths, const std::string& output) {
  std::vector<ShardFile> shards;
  shards.reserve(paths.size());
  for (const std::string& path : paths) {
    shards.push_back({path, is_zip(path) ? logits_shard_head(path) : *finished_lines_shard(path)});
  }
  check_one_job(shards);
  const ShardHead& head = shards.front().head;
  if (head.kind == "logits") {
    merge_logits(shards, output);
  } else {
    merge_lines(shards, output);
  }
  MergeResult result{head.kind, shards.size(), head.images, 0, processor_warning(shards)};
  for (const ShardFile& shard : shards) result.unreadable += shard.head.unreadable;
  return result;
}

}  // namespace cubcal
