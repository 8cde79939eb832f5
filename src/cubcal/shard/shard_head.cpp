#include "cubcal/shard/shard_head.h"

#include <map>

#include "cubcal/core/error.h"
#include "cubcal/io/json_fields.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "cubcal-shard";
constexpr std::size_t kVersion = 1;
constexpr std::size_t kNamed = 10;  ///< missing shards in a sentence

/// "weights_hash is "a" in 'x' and "b" in 'y'" of the first field that differs.
std::string first_difference(const Json& a, const Json& b, const ShardFile& in_a,
                             const ShardFile& in_b) {
  const auto text = [](const Json& json, const std::string& key) {
    return json.contains(key) ? json.at(key).dump() : std::string("not there");
  };
  Json keys = a;
  keys.update(b);
  for (const auto& [key, ignored] : keys.items()) {
    if (text(a, key) == text(b, key)) continue;
    return key + " is " + text(a, key) + " in '" + in_a.path + "' and " + text(b, key) + " in '" +
           in_b.path + "'";
  }
  return "'" + in_a.path + "' and '" + in_b.path + "' differ";
}

void check_pair(const ShardFile& first, const ShardFile& other) {
  const ShardHead& a = first.head;
  const ShardHead& b = other.head;
  const auto refuse = [&](const std::string& what, const std::string& difference) {
    throw DataError("shards of " + what + " cannot be merged: " + difference);
  };
  const auto differ = [&](const Json& x, const Json& y) {
    return first_difference(x, y, first, other);
  };
  if (a.kind != b.kind) {
    refuse("different kinds",
           "'" + first.path + "' holds " + a.kind + " and '" + other.path + "' " + b.kind);
  }
  if (a.model != b.model) refuse("different models", differ(a.model, b.model));
  if (a.settings != b.settings) refuse("different settings", differ(a.settings, b.settings));
  if (a.images != b.images || a.data_hash != b.data_hash) {
    refuse("different images", differ({{"images", a.images}, {"data_hash", a.data_hash}},
                                      {{"images", b.images}, {"data_hash", b.data_hash}}));
  }
  if (a.shard.count != b.shard.count) {
    refuse("different numbers", "'" + first.path + "' is " + shard_text(a.shard) + " and '" +
                                    other.path + "' " + shard_text(b.shard));
  }
}

}  // namespace

bool ShardHead::same_job(const ShardHead& other) const {
  return shard.count == other.shard.count && kind == other.kind && images == other.images &&
         data_hash == other.data_hash && model == other.model && settings == other.settings;
}

Json to_json(const ShardHead& head) {
  return {{"format", kFormat},           {"version", kVersion},
          {"kind", head.kind},           {"shard", head.shard.index},
          {"shards", head.shard.count},  {"images", head.images},
          {"rows", head.rows},           {"unreadable", head.unreadable},
          {"data_hash", head.data_hash}, {"rows_hash", head.rows_hash},
          {"model", head.model},         {"settings", head.settings},
          {"processor", head.processor}, {"time", head.time}};
}

ShardHead shard_head_from(const Json& json, const std::string& where) {
  const JsonFields fields(json, "shard");
  try {
    if (!fields.has("format") || fields.text("format") != kFormat) {
      throw DataError("it does not begin as one");
    }
    if (fields.count("version") != kVersion) {
      throw DataError("it is of version " + std::to_string(fields.count("version")) +
                      ", and cubcal reads " + std::to_string(kVersion));
    }
    ShardHead head;
    head.kind = fields.text("kind");
    head.shard = {fields.count("shard"), fields.count("shards")};
    head.images = fields.count("images");
    head.rows = fields.count("rows");
    head.unreadable = fields.count("unreadable");
    head.data_hash = fields.text("data_hash");
    head.rows_hash = fields.text("rows_hash");
    head.model = fields.at("model");
    head.settings = fields.at("settings");
    head.processor = fields.text("processor");
    head.time = fields.text("time");
    if (!head.model.is_object() || !head.settings.is_object()) {
      throw DataError("its model and settings must be objects");
    }
    if (head.shard.index < 1 || head.shard.index > head.shard.count ||
        head.shard.count > kMostShards || head.rows > head.images || head.unreadable > head.rows) {
      throw DataError("its numbers contradict each other");
    }
    return head;
  } catch (const DataError& error) {
    throw DataError(where + " is not a shard that can be merged: " + error.what());
  }
}

void check_one_job(const std::vector<ShardFile>& shards) {
  if (shards.empty()) throw ArgumentError("there is no shard to merge");
  std::map<std::size_t, const ShardFile*> known;
  std::size_t rows = 0;
  for (const ShardFile& shard : shards) {
    check_pair(shards.front(), shard);
    const auto [place, is_new] = known.emplace(shard.head.shard.index, &shard);
    if (!is_new) {
      throw DataError("shard " + shard_text(shard.head.shard) + " is there twice: '" +
                      place->second->path + "' and '" + shard.path + "'");
    }
    rows += shard.head.rows;
  }
  const ShardHead& head = shards.front().head;
  std::string missing;
  std::size_t count = 0;
  for (std::size_t i = 1; i <= head.shard.count; ++i) {
    if (known.count(i) > 0 || ++count > kNamed) continue;
    missing += (missing.empty() ? "" : ", ") + std::to_string(i);
  }
  if (count > kNamed) missing += " and " + std::to_string(count - kNamed) + " more";
  if (count > 0) {
    throw DataError("of " + std::to_string(head.shard.count) + " shards " + missing +
                    (count == 1 ? " is missing" : " are missing"));
  }
  if (rows != head.images) {
    throw DataError("the shards have " + std::to_string(rows) + " rows together, and the job had " +
                    std::to_string(head.images) + " images");
  }
}

std::string processor_warning(const std::vector<ShardFile>& shards) {
  for (const ShardFile& shard : shards) {
    const ShardFile& first = shards.front();
    if (shard.head.processor == first.head.processor) continue;
    return "'" + first.path + "' was computed on " + first.head.processor + " and '" + shard.path +
           "' on " + shard.head.processor + ": their last digits may be rounded otherwise";
  }
  return "";
}

}  // namespace cubcal
