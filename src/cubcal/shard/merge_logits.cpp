#include "cubcal/shard/merge_logits.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/io/json_text.h"

namespace cubcal {

namespace {

constexpr const char* kPlaces = "places";
constexpr const char* kHead = "shard";
/// Arrays that are not of samples: the same in every shard.
constexpr const char* kShared[] = {"class_names", "weights_hash"};

/// A shard that has rows.
struct Part {
  std::unique_ptr<NpzReader> npz;
  std::vector<std::size_t> places;
};

std::vector<std::size_t> places_of(const NpzReader& npz, const ShardHead& head) {
  const NdArray array = npz.read(kPlaces);
  if (array.dtype() != DType::kI64 || array.shape() != std::vector<std::size_t>{head.rows}) {
    throw DataError(npz.where(kPlaces) + " must be int64 of " + std::to_string(head.rows));
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < head.rows; ++i) {
    places.push_back(static_cast<std::size_t>(array.as<std::int64_t>()[i]));
  }
  return places;
}

void check_places(const std::vector<Part>& parts, std::size_t images) {
  std::vector<bool> seen(images, false);
  for (const Part& part : parts) {
    for (const std::size_t place : part.places) {
      if (place >= images) {
        throw DataError(part.npz->where(kPlaces) + " names image " + std::to_string(place) +
                        ", and there are " + std::to_string(images));
      }
      if (seen[place]) {
        throw DataError("the row of image " + std::to_string(place) + " is there twice, once in '" +
                        part.npz->path() + "'");
      }
      seen[place] = true;
    }
  }
}

/// [.., N, ..] where N is axis `axis`: rows of the parts go to their places.
NdArray array_of_parts(const std::vector<Part>& parts, const std::string& name, std::size_t axis,
                       std::size_t images) {
  NdArray whole;
  std::size_t outer = 1;
  std::size_t row_bytes = 0;
  for (const Part& part : parts) {
    const NdArray array = part.npz->read(name);
    std::vector<std::size_t> shape = array.shape();
    if (shape.size() <= axis || shape[axis] != part.places.size()) {
      throw DataError(part.npz->where(name) + " must have " + std::to_string(part.places.size()) +
                      " samples");
    }
    shape[axis] = images;
    if (&part == &parts.front()) {
      whole = NdArray(array.dtype(), shape);
      for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
      if (outer == 0) throw DataError(part.npz->where(name) + " has no pass");
      row_bytes = whole.byte_size() / outer / images;
    } else if (array.dtype() != whole.dtype() || shape != whole.shape()) {
      throw DataError(part.npz->where(name) + " has another type or shape than that of '" +
                      parts.front().npz->path() + "'");
    }
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < part.places.size(); ++i) {
        std::memcpy(whole.bytes() + (o * images + part.places[i]) * row_bytes,
                    array.bytes() + (o * part.places.size() + i) * row_bytes, row_bytes);
      }
    }
  }
  return whole;
}

std::vector<std::string> joined_text(const std::vector<Part>& parts, const std::string& name,
                                     std::size_t images) {
  std::vector<std::string> whole(images);
  for (const Part& part : parts) {
    const std::vector<std::string> texts = part.npz->read_text(name);
    if (texts.size() != part.places.size()) {
      throw DataError(part.npz->where(name) + " must have " + std::to_string(part.places.size()) +
                      " samples");
    }
    for (std::size_t i = 0; i < texts.size(); ++i) whole[part.places[i]] = texts[i];
  }
  return whole;
}

std::vector<std::string> shared_text(const std::vector<Part>& parts, const std::string& name) {
  std::vector<std::string> texts = parts.front().npz->read_text(name);
  for (const Part& part : parts) {
    if (part.npz->read_text(name) == texts) continue;
    throw DataError(part.npz->where(name) + " is another than that of '" +
                    parts.front().npz->path() + "'");
  }
  return texts;
}

}  // namespace

void add_shard_arrays(NpzWriter& npz, const ShardHead& head,
                      const std::vector<std::int64_t>& places) {
  npz.add(kPlaces, ArrayView<const std::int64_t>(places), {places.size()});
  npz.add_text(kHead, {to_json(head).dump()});
}

ShardHead logits_shard_head(const std::string& path) {
  const NpzReader npz(path);
  const std::string where = "'" + path + "'";
  if (!npz.has(kHead) || !npz.has(kPlaces)) {
    throw DataError(where + " is not a shard that can be merged: it lacks '" +
                    (npz.has(kHead) ? kPlaces : kHead) + "'");
  }
  const std::vector<std::string> text = npz.read_text(kHead);
  if (text.size() != 1) throw DataError(npz.where(kHead) + " must be one text");
  return shard_head_from(parse_json(text.front(), where), where);
}

void merge_logits(const std::vector<ShardFile>& shards, const std::string& output) {
  std::vector<Part> parts;
  for (const ShardFile& shard : shards) {
    if (shard.head.rows == 0) continue;
    auto npz = std::make_unique<NpzReader>(shard.path);
    std::vector<std::size_t> places = places_of(*npz, shard.head);
    parts.push_back({std::move(npz), std::move(places)});
  }
  if (parts.empty()) throw DataError("the shards have no row");
  const std::size_t images = shards.front().head.images;
  check_places(parts, images);
  const NpzReader& first = *parts.front().npz;
  for (const Part& part : parts) {
    if (part.npz->names() == first.names()) continue;
    throw DataError("'" + part.npz->path() + "' has other arrays than '" + first.path() + "'");
  }
  NpzWriter writer(output);
  for (const std::string& name : first.names()) {
    if (name == kPlaces || name == kHead) continue;
    const bool is_shared =
        std::find(std::begin(kShared), std::end(kShared), name) != std::end(kShared);
    if (is_shared) {
      writer.add_text(name, shared_text(parts, name));
    } else if (first.peek(name).is_text()) {
      writer.add_text(name, joined_text(parts, name, images));
    } else {
      writer.add(name, array_of_parts(parts, name, name == "logits" ? 1 : 0, images));
    }
  }
  writer.finish();
}

}  // namespace cubcal
