#include "cubcal_nn/kernels/noise.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>

#include "cubcal/core/check.h"
#include "cubcal/core/philox.h"
#include "cubcal_nn/kernels/noise_device.h"
#include "cubcal_nn/kernels/normal_blocks.h"
#include "cubcal_nn/kernels/philox_lanes.h"

namespace cubcal {

namespace {

using Words = NoiseWords;

/// Draws for different purposes must differ even where seed, stream and pass agree.
enum class Purpose : std::uint32_t { kNormal, kUniform, kDropout };

std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high_word(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

/// 128 bits that stand for the whole key: two words become the Philox key of the draw, two the
/// upper half of its counter.
Words derive(const NoiseKey& key, Purpose purpose) {
  return philox4x32(
      {low_word(key.stream), high_word(key.stream), key.pass, static_cast<std::uint32_t>(purpose)},
      {low_word(key.seed), high_word(key.seed)});
}

constexpr std::int64_t kChunk = kNormalBlock;

/// Row `row` of an array of rows: its values do not depend on how many rows there are.
void uniform_chunk(std::uint32_t first_block, std::uint32_t row, const Words& derived,
                   float (&out)[kChunk]) {
  std::uint32_t words[4][kPhiloxLanes];
  philox_lanes(first_block, row, derived, words);
  for (int lane = 0; lane < kPhiloxLanes; ++lane) {
    for (int k = 0; k < 4; ++k) {
      out[4 * lane + k] = static_cast<float>(words[k][lane] >> 8) * 0x1p-24F;
    }
  }
}

/// Calls make(start, chunk) for every chunk of [0, count) and copies it to its place.
template <class MakeChunk>
void fill_chunks(float* out, std::int64_t count, const MakeChunk& make) {
  const std::int64_t chunks = (count + kChunk - 1) / kChunk;
  at::parallel_for(0, chunks, 64, [&](std::int64_t first, std::int64_t last) {
    float values[kChunk];
    for (std::int64_t start = first * kChunk; start < std::min(last * kChunk, count);
         start += kChunk) {
      make(start, values);
      std::copy(values, values + std::min(kChunk, count - start), out + start);
    }
  });
}

void check_target(const at::Tensor& out, std::int64_t first) {
  if (!out.is_contiguous() || !at::isFloatingType(out.scalar_type())) {
    throw ArgumentError("noise must be written to a contiguous tensor of floating point numbers");
  }
  if (first < 0 || first % 4 != 0) {
    throw ArgumentError("noise begins at a multiple of four, not at value " +
                        std::to_string(first));
  }
  if (first + out.numel() > (std::int64_t{1} << 34)) {
    throw ArgumentError("one draw of noise has at most 2^34 values, not " +
                        std::to_string(first + out.numel()));
  }
}

/// The one place where noise meets a type or device: fill() writes float32, on the CPU unless
/// `on_device`, and the result is converted and copied where the target is something else.
template <class Fill>
void fill_tensor(at::Tensor& out, bool on_device, const Fill& fill) {
  const c10::NoGradGuard no_grad;
  const auto made_on = on_device ? out.device() : at::Device(at::kCPU);
  if (out.device() == made_on && out.scalar_type() == at::kFloat) {
    fill(out.data_ptr<float>(), out.numel());
    return;
  }
  at::Tensor values = at::empty(out.sizes(), at::TensorOptions().dtype(at::kFloat).device(made_on));
  fill(values.data_ptr<float>(), values.numel());
  out.copy_(values);
}

}  // namespace

NoiseWords normal_words(const NoiseKey& key) { return derive(key, Purpose::kNormal); }

NoiseWords dropout_words(const NoiseKey& key, std::uint32_t layer) {
  // The layer is folded into the stream; steps and layers are far below 2^32.
  NoiseKey layer_key = key;
  layer_key.stream ^= std::uint64_t{layer + 1} << 40;
  return derive(layer_key, Purpose::kDropout);
}

void normal_noise(at::Tensor out, const NoiseKey& key, std::int64_t first) {
  check_target(out, first);
  const Words derived = normal_words(key);
  const bool on_device = out.is_cuda() && has_device_noise();
  fill_tensor(out, on_device, [&](float* values, std::int64_t count) {
    if (on_device) {
      normal_noise_on_device(values, first, count, derived);
      return;
    }
    fill_chunks(values, count, [&](std::int64_t start, float(&chunk)[kChunk]) {
      normal_block(first + start, derived, chunk);
    });
  });
}

void uniform_noise(at::Tensor out, const NoiseKey& key) {
  check_target(out, 0);
  const Words derived = derive(key, Purpose::kUniform);
  fill_tensor(out, false, [&](float* values, std::int64_t count) {
    fill_chunks(values, count, [&](std::int64_t start, float(&chunk)[kChunk]) {
      uniform_chunk(static_cast<std::uint32_t>(start / 4), 0, derived, chunk);
    });
  });
}

at::Tensor dropout_mask(const std::vector<std::int64_t>& samples, std::int64_t features,
                        double rate, std::uint32_t layer, const NoiseKey& key,
                        const at::TensorOptions& options) {
  check_in_closed("the dropout rate", rate, 0.0, 0.999);
  const Words derived = dropout_words(key, layer);
  const auto rows = static_cast<std::int64_t>(samples.size());
  at::Tensor mask = at::empty({rows, features}, at::TensorOptions().dtype(at::kFloat));
  float* values = mask.data_ptr<float>();
  const auto threshold = static_cast<float>(rate);
  const auto kept = static_cast<float>(1.0 / (1.0 - rate));
  for (std::int64_t row = 0; row < rows; ++row) {
    float* first = values + row * features;
    const auto sample = static_cast<std::uint32_t>(samples[static_cast<std::size_t>(row)]);
    fill_chunks(first, features, [&](std::int64_t start, float(&chunk)[kChunk]) {
      uniform_chunk(static_cast<std::uint32_t>(start / 4), sample, derived, chunk);
    });
    for (std::int64_t i = 0; i < features; ++i) first[i] = first[i] < threshold ? 0.0F : kept;
  }
  return mask.to(options);
}

}  // namespace cubcal
