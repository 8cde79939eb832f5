#include "cubcal_nn/train/validation.h"

#include <ATen/ATen.h>

#include "cubcal/uncertainty/predictive.h"
#include "cubcal_nn/infer/mc_engine.h"

namespace cubcal {

MetricValues validate(Network& network, const ImageSplit& split, const Preprocessing& preprocessing,
                      const ValidationOptions& options, const ComputeOptions& compute,
                      std::uint64_t seed, const std::function<bool()>& interrupted) {
  McOptions mc;
  const bool stochastic = network.options().kind != LayerKind::kDeterministic;
  mc.passes = stochastic ? static_cast<std::size_t>(options.passes) : 1;
  mc.seed = seed;
  mc.batch = options.batch;
  mc.compute = compute;
  mc.interrupted = interrupted;
  const McOutput output = McEngine(network, preprocessing).run(split.images, mc);
  const at::Tensor labels = split.labels.cpu().contiguous();
  const SampleFacts facts =
      sample_facts(predict(McLogits(output.logits)),
                   ArrayView<const std::int64_t>(labels.data_ptr<std::int64_t>(),
                                                 static_cast<std::size_t>(labels.numel())),
                   MetricOptions{});
  return metric_values(facts);
}

}  // namespace cubcal
