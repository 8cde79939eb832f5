#include "cubcal/infer/content_hash.h"

#include <ATen/core/Tensor.h>

namespace cubcal {

namespace {

void add_tensor(ContentHash& hash, const at::Tensor& tensor) {
  if (!tensor.defined()) return hash.add(std::string());
  for (const std::int64_t extent : tensor.sizes()) hash.add(std::to_string(extent));
  const at::Tensor values = tensor.cpu().contiguous();
  hash.add(values.data_ptr(), values.nbytes());
}

}  // namespace

void ContentHash::add(const void* bytes, std::size_t count) {
  const auto* values = static_cast<const unsigned char*>(bytes);
  std::uint64_t state = state_;
  for (std::size_t i = 0; i < count; ++i) state = (state ^ values[i]) * 1099511628211ULL;
  state_ = state;
}

void ContentHash::add(const std::string& text) {
  const auto length = static_cast<std::uint64_t>(text.size());
  add(&length, sizeof length);
  add(text.data(), text.size());
}

std::string ContentHash::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(state_ >> shift) & 15U];
  return text;
}

std::string content_hash(const std::string& text) {
  ContentHash hash;
  hash.add(text.data(), text.size());
  return hash.text();
}

std::string content_hash(const ImageSet& set) {
  ContentHash hash;
  for (const std::string& name : set.class_names) hash.add(name);
  for (const ImageSplit& split : set.splits) {
    hash.add(split.name);
    add_tensor(hash, split.images);
    add_tensor(hash, split.labels);
    add_tensor(hash, split.groups);
  }
  return hash.text();
}

}  // namespace cubcal
