#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cubcal/shard/shard.h"

namespace cubcal {

/// What a shard says of itself, so that only shards of one job are put together. It is the first
/// line of a shard of predictions and the text `shard` of one of logits.
struct ShardHead {
  using Json = nlohmann::ordered_json;

  Shard shard;
  std::string kind;                ///< "predictions" or "logits"
  std::size_t images = 0;          ///< of all shards
  std::size_t rows = 0;            ///< of this one
  std::size_t unreadable = 0;      ///< of them: rows that say why there is no answer
  std::string data_hash;           ///< of all images' names, or of the image set
  std::string rows_hash;           ///< of this shard's rows; empty: not kept
  Json model = Json::object();     ///< what tells the model from others
  Json settings = Json::object();  ///< what else answers follow from
  std::string processor;           ///< the kind it was computed on: others may round otherwise
  std::string time;                ///< of its end

  /// Whether both are of one job: all but the shard and what is of the shard alone.
  bool same_job(const ShardHead& other) const;
};

nlohmann::ordered_json to_json(const ShardHead& head);
/// Throws DataError with `where` as the subject.
ShardHead shard_head_from(const nlohmann::ordered_json& json, const std::string& where);

/// A file and what it says of itself.
struct ShardFile {
  std::string path;
  ShardHead head;
};

/// Throws DataError, one sentence, unless these are all shards of one job, each once: where kind,
/// model, settings or images differ, where one is there twice, and where one is missing.
void check_one_job(const std::vector<ShardFile>& shards);

/// One sentence where shards were computed on different kinds of processors, whose last digits may
/// differ; else empty.
std::string processor_warning(const std::vector<ShardFile>& shards);

}  // namespace cubcal
