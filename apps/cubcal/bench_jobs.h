#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "cubcal_nn/kernels/precision.h"

/// What `cubcal bench` measures, each on drawn images and weights drawn anew: no data is needed.
namespace cubcal::app {

struct BenchCase {
  std::string model = {};  ///< folder of a model, whose predictions are measured as they are
  std::string network = "resnet34";
  std::int64_t size = 224;    ///< of the images
  std::int64_t batch = 128;   ///< of a step, or of images at a time
  std::int64_t passes = 5;    ///< S
  std::int64_t images = 256;  ///< N of a prediction
  std::int64_t classes = 5;
  c10::Device device = c10::Device(c10::DeviceType::CPU);
  ComputeOptions compute;
};

struct BenchResult {
  double seconds = 0;  ///< median
  double low = 0, high = 0;
  std::int64_t peak_bytes = 0;
};

/// One training step: draw S sets of weights, forward, ELBO + CUB-Loss, backward, update.
BenchResult time_training_step(const BenchCase& which, double budget);
/// Its ceiling: S deterministic forward and backward passes and an update, the same way.
BenchResult time_deterministic_step(const BenchCase& which, double budget);
/// S passes over N images, from bytes to logits in memory.
BenchResult time_prediction(const BenchCase& which, bool keep_draws, double budget);
/// Its ceiling: S deterministic forward passes over N images, operator by operator, in the
/// precision and layout of the case.
BenchResult time_deterministic_forward(const BenchCase& which, double budget);

/// Bytes per second of a copy within the device's memory, counting reads and writes.
double copy_bandwidth(c10::Device device);
/// Normal values per second, written to memory.
double noise_rate(c10::Device device);

/// Weights that are drawn in each pass.
std::int64_t gaussian_weights(const BenchCase& which);

}  // namespace cubcal::app
