#include "cubcal_nn/experiment/logits_shard.h"

#include <ATen/ATen.h>

#include <filesystem>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/npz.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/shard/merge_logits.h"
#include "cubcal/version.h"
#include "cubcal_nn/kernels/compute_facts.h"

namespace cubcal {

namespace {

std::size_t shard_of_sample(const ImageSplit& split, std::size_t sample, std::size_t count) {
  if (!split.files.empty()) return shard_of(split.files[sample], count);
  const at::Tensor image = split.images[static_cast<std::int64_t>(sample)].contiguous();
  ContentHash hash;
  hash.add(image.data_ptr(), image.nbytes());
  return shard_of(hash.value(), count);
}

std::vector<std::string> taken(const std::vector<std::string>& texts,
                               const std::vector<std::int64_t>& places) {
  std::vector<std::string> part;
  if (texts.empty()) return part;
  for (const std::int64_t place : places) part.push_back(texts[static_cast<std::size_t>(place)]);
  return part;
}

ImageSplit samples_at(const ImageSplit& split, const std::vector<std::int64_t>& places) {
  const at::Tensor index = at::tensor(places, at::kLong);
  ImageSplit part;
  part.name = split.name;
  part.outliers = split.outliers;
  part.images = split.images.index_select(0, index);
  part.labels = split.labels.index_select(0, index);
  if (split.groups.defined()) part.groups = split.groups.index_select(0, index);
  part.files = taken(split.files, places);
  part.label_names = taken(split.label_names, places);
  for (const std::vector<std::string>& column : split.metadata) {
    part.metadata.push_back(taken(column, places));
  }
  return part;
}

}  // namespace

LogitsShard logits_shard(const Shard& shard, const LoadedModel& model, const ImageSet& set,
                         const ImageSplit& split, const McOptions& options,
                         const std::string& compute) {
  LogitsShard result;
  const auto samples = static_cast<std::size_t>(split.size());
  for (std::size_t i = 0; i < samples; ++i) {
    if (shard_of_sample(split, i, shard.count) == shard.index) {
      result.places.push_back(static_cast<std::int64_t>(i));
    }
  }
  result.part = samples_at(split, result.places);
  ShardHead& head = result.head;
  head.shard = shard;
  head.kind = "logits";
  head.images = samples;
  head.rows = result.places.size();
  head.data_hash = content_hash(set);
  head.model = {{"network", model.description.network},
                {"weights_hash", model.weights_hash},
                {"program", std::string("cubcal ") + kVersion}};
  head.settings = {{"split", split.name},
                   {"seed", options.seed},
                   {"passes", drawn_passes(*model.network, options)},
                   {"mean", options.mean_weights},
                   {"features", options.features},
                   {"compute", compute}};
  head.processor = processor_text(model.network->options().device);
  return result;
}

bool is_finished(const LogitsShard& shard, const std::string& path) {
  if (!std::filesystem::exists(path)) return false;
  const ShardHead there = logits_shard_head(path);
  if (there.same_job(shard.head) && there.shard == shard.head.shard) return true;
  throw DataError("'" + path +
                  "' is a shard of another model, of other images or with other settings: remove "
                  "it, or name another file");
}

void write_logits_shard(const std::string& path, const ImageSet& set, const LogitsShard& shard,
                        const LoadedModel& model, McOptions options, WorkObserver& observer) {
  ShardHead head = shard.head;
  McOutput output;
  if (head.rows > 0) {
    options.samples = shard.places;
    output = draw_split(model, shard.part, options, "predicting", observer);
  }
  head.time = utc_time();
  NpzWriter npz(path);
  if (head.rows > 0) add_split_logits(npz, set, shard.part, model, output);
  add_shard_arrays(npz, head, shard.places);
  npz.finish();
}

}  // namespace cubcal
