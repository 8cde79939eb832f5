#pragma once

#include <cstdlib>
#include <memory>
#include <random>
#include <utility>

#include "cubcal_nn/kernels/device_numbers.cuh"

namespace cubcal::device {

/// Random numbers, aligned as device memory is.
template <class Number>
class DeviceTensor {
 public:
  DeviceTensor(std::int64_t count, std::mt19937& random)
      : count_(count),
        values_(static_cast<Number*>(std::aligned_alloc(
            128, (static_cast<std::size_t>(count) * sizeof(Number) + 127) / 128 * 128))) {
    std::uniform_real_distribution<float> between(-1, 1);
    for (std::int64_t i = 0; i < count; ++i) store(values_.get() + i, between(random));
  }
  Number* data() const { return values_.get(); }
  float operator[](std::int64_t i) const { return load(values_.get() + i); }
  std::pair<const void*, const void*> bounds() const { return {data(), data() + count_}; }

 private:
  struct Free {
    void operator()(void* values) const { std::free(values); }
  };
  std::int64_t count_;
  std::unique_ptr<Number, Free> values_;
};

}  // namespace cubcal::device
