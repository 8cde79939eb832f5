#include "cubcal_nn/infer/adaptive_prediction.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace cubcal {

namespace {

/// All that one image has seen.
struct ImagePasses {
  SequentialDecision sequence;
  std::vector<float> logits;  ///< [s, K]
};

McOptions block_options(const McOptions& mc, const std::vector<std::int64_t>& images,
                        std::size_t first, std::size_t last) {
  McOptions options = mc;
  options.first_pass = mc.first_pass + first;
  options.passes = last - first;
  options.progress = {};
  options.samples.clear();
  for (const std::int64_t i : images) {
    options.samples.push_back(mc.samples.empty() ? i : mc.samples[static_cast<std::size_t>(i)]);
  }
  return options;
}

void add_block(const NdArray& logits, const std::vector<std::int64_t>& images,
               std::vector<ImagePasses>& seen) {
  const std::size_t classes = logits.shape()[2];
  const float* z = logits.as<float>();
  for (std::size_t s = 0; s < logits.shape()[0]; ++s) {
    for (const std::int64_t i : images) {
      ImagePasses& image = seen[static_cast<std::size_t>(i)];
      image.logits.insert(image.logits.end(), z, z + classes);
      image.sequence.add_pass(std::vector<double>(z, z + classes));
      z += classes;
    }
  }
}

Predictive room_for(std::size_t samples, std::size_t classes) {
  Predictive predictive;
  predictive.samples = samples;
  predictive.classes = classes;
  predictive.probabilities.resize(samples * classes);
  predictive.predicted.resize(samples);
  predictive.confidence.resize(samples);
  predictive.entropy.resize(samples);
  predictive.aleatoric.resize(samples);
  return predictive;
}

/// Puts sample i of the part at places[i] of the whole.
void put(const Predictive& part, const std::vector<std::size_t>& places, Predictive& whole) {
  for (std::size_t i = 0; i < part.samples; ++i) {
    std::copy_n(&part.probabilities[i * part.classes], part.classes,
                &whole.probabilities[places[i] * part.classes]);
    whole.predicted[places[i]] = part.predicted[i];
    whole.confidence[places[i]] = part.confidence[i];
    whole.entropy[places[i]] = part.entropy[i];
    whole.aleatoric[places[i]] = part.aleatoric[i];
  }
}

/// Images with equally many passes are predicted together.
void predict_groups(const std::vector<ImagePasses>& seen, std::size_t classes,
                    const std::optional<Calibration>& calibration, AdaptivePrediction& result) {
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < seen.size(); ++i) groups[seen[i].sequence.passes()].push_back(i);
  for (const auto& [passes, images] : groups) {
    NdArray logits(DType::kF32, {passes, images.size(), classes});
    float* target = logits.as<float>();
    for (std::size_t s = 0; s < passes; ++s) {
      for (const std::size_t i : images) {
        target = std::copy_n(&seen[i].logits[s * classes], classes, target);
      }
    }
    const McLogits view(logits);
    const Predictive unscaled = predict(view);
    put(unscaled, images, result.unscaled);
    put(calibration ? apply_calibration(*calibration, view, unscaled) : unscaled, images,
        result.calibrated);
  }
}

}  // namespace

AdaptivePrediction predict_adaptively(McEngine& engine, const Network& network,
                                      const at::Tensor& images, const McOptions& mc,
                                      const AdaptiveOptions& adaptive,
                                      const DecisionOptions& decision,
                                      const std::optional<Calibration>& calibration) {
  const auto classes = static_cast<std::size_t>(network.options().classes);
  const std::size_t total = drawn_passes(network, mc);
  AdaptiveOptions stopping = adaptive;
  if (network.trunk_is_deterministic()) stopping.first = std::max<std::size_t>(2, total);

  const auto count = static_cast<std::size_t>(images.size(0));
  std::vector<ImagePasses> seen(count, {SequentialDecision(classes, total, stopping, decision,
                                                           calibration ? &*calibration : nullptr),
                                        {}});
  std::vector<std::int64_t> open(count);
  std::iota(open.begin(), open.end(), 0);
  std::size_t done = 0;
  while (!open.empty() && done < total) {
    const std::size_t look = next_look(done, total, stopping);
    const at::Tensor chosen =
        open.size() == count
            ? images
            : images.index_select(0, at::tensor(open, at::kLong).to(images.device()));
    add_block(engine.run(chosen, block_options(mc, open, done, look)).logits, open, seen);
    done = look;
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](std::int64_t i) {
                                return seen[static_cast<std::size_t>(i)].sequence.settled();
                              }),
               open.end());
    if (mc.progress) mc.progress(count - open.size(), count);
  }

  AdaptivePrediction result;
  result.unscaled = room_for(count, classes);
  result.calibrated = room_for(count, classes);
  predict_groups(seen, classes, calibration, result);
  for (const ImagePasses& image : seen) {
    result.passes.push_back(image.sequence.passes());
    result.risk.push_back(image.sequence.risk());
  }
  return result;
}

}  // namespace cubcal
