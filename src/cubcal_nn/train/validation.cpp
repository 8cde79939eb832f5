#include "cubcal_nn/train/validation.h"

#include <ATen/ATen.h>

#include <cstring>
#include <numeric>

#include "cubcal/core/error.h"
#include "cubcal/uncertainty/predictive.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/ranks/share.h"

namespace cubcal {

namespace {

MetricValues values_of(NdArray logits, const ImageSplit& split) {
  const at::Tensor labels = split.labels.cpu().contiguous();
  return metric_values(
      sample_facts(predict(McLogits(std::move(logits))),
                   ArrayView<const std::int64_t>(labels.data_ptr<std::int64_t>(),
                                                 static_cast<std::size_t>(labels.numel())),
                   MetricOptions{}));
}

/// Of every image, from what each rank has of its share.
NdArray gathered(const NdArray& own, const Share& share, std::int64_t images, RankGroup& group) {
  const auto passes = static_cast<std::int64_t>(own.shape()[0]);
  const auto classes = static_cast<std::int64_t>(own.shape()[2]);
  const at::Tensor whole = at::zeros({passes, images, classes}, at::kFloat);
  whole.narrow(1, share.first, share.count)
      .copy_(at::from_blob(const_cast<std::byte*>(own.bytes()), {passes, share.count, classes},
                           at::kFloat));
  group.sum({whole});
  NdArray result(DType::kF32, {own.shape()[0], static_cast<std::size_t>(images), own.shape()[2]});
  std::memcpy(result.bytes(), whole.data_ptr<float>(), result.byte_size());
  return result;
}

/// Rank 0's values for all; where it could make none of the logits, none of them has any.
MetricValues values_of_first(NdArray logits, const ImageSplit& split, RankGroup& group) {
  constexpr auto kCount = static_cast<std::int64_t>(kMetricCount);
  const at::Tensor packed = at::zeros({2 * kCount + 1}, at::kDouble);
  double* known = packed.data_ptr<double>();
  double* numbers = known + kCount;
  double* refused = numbers + kCount;
  if (group.is_first()) {
    try {
      const MetricValues values = values_of(std::move(logits), split);
      for (std::size_t i = 0; i < kMetricCount; ++i) {
        const std::optional<double>& value = values[static_cast<Metric>(i)];
        known[i] = value ? 1 : 0;
        numbers[i] = value.value_or(0);
      }
    } catch (const DataError&) {
      *refused = 1;
    }
  }
  group.share_first({packed});
  if (*refused > 0) throw DataError("the logits cannot be evaluated");
  MetricValues values;
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    if (known[i] > 0) values[static_cast<Metric>(i)] = numbers[i];
  }
  return values;
}

}  // namespace

MetricValues validate(Network& network, const ImageSplit& split, const Preprocessing& preprocessing,
                      const ValidationOptions& options, const ComputeOptions& compute,
                      std::uint64_t seed, const std::function<bool()>& interrupted,
                      const RankSplit& ranks) {
  McOptions mc;
  const bool stochastic = network.options().kind != LayerKind::kDeterministic;
  mc.passes = stochastic ? static_cast<std::size_t>(options.passes) : 1;
  mc.seed = seed;
  mc.batch = options.batch;
  mc.compute = compute;
  mc.interrupted = interrupted;
  McEngine engine(network, preprocessing);
  if (ranks.group == nullptr) return values_of(engine.run(split.images, mc).logits, split);
  const bool shared_out = split.size() >= ranks.ranks();
  const Share own =
      shared_out ? share_of(split.size(), ranks.rank(), ranks.ranks()) : Share{0, split.size()};
  mc.samples.resize(static_cast<std::size_t>(own.count));
  std::iota(mc.samples.begin(), mc.samples.end(), own.first);
  NdArray logits = engine.run(split.images.narrow(0, own.first, own.count), mc).logits;
  if (shared_out) logits = gathered(logits, own, split.size(), *ranks.group);
  return values_of_first(std::move(logits), split, *ranks.group);
}

}  // namespace cubcal
