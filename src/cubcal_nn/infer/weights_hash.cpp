#include "cubcal_nn/infer/weights_hash.h"

#include <algorithm>

#include "cubcal/core/content_hash.h"

namespace cubcal {

std::string weights_hash(std::vector<TensorView> views,
                         const std::optional<ScriptDescription>& script) {
  std::sort(views.begin(), views.end(),
            [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  ContentHash hash;
  for (const TensorView& view : views) {
    std::size_t bytes = dtype_size(view.dtype);
    for (const std::size_t extent : view.shape) bytes *= extent;
    hash.add(view.name);
    hash.add(view.bytes, bytes);
  }
  if (script) {
    for (const std::string& each : script->sha256) hash.add(each);
    hash.add(script->features + (script->one_by_one ? " one by one" : ""));
  }
  return hash.text();
}

std::string weights_hash(const StateDict& weights, const std::optional<ScriptDescription>& script) {
  std::vector<TensorView> views;
  for (const NamedArray& entry : weights) {
    views.push_back({entry.name, entry.values.dtype(), entry.values.shape(), entry.values.bytes()});
  }
  return weights_hash(std::move(views), script);
}

}  // namespace cubcal
