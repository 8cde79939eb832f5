#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cubcal/catalog/splitting.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/data/sample_set.h"
#include "cubcal/loading/load_samples.h"
#include "cubcal/train/training_batches.h"

/// Images per second from files to augmented batches, for benchmarks/run_loading.py.
///   loading_bench FOLDER SIZE BATCH EPOCHS THREADS [DEVICE]
namespace cubcal {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

AugmentationOptions augmentation() {
  AugmentationOptions options;
  options.horizontal_flip = true;
  options.rotation = 10;
  options.crop_least = 0.5;
  options.brightness = options.contrast = 0.1;
  return options;
}

/// Seconds for an epoch of batches; the device has finished when it returns.
double epoch_seconds(TrainingBatches& batches, std::uint64_t epoch) {
  const auto start = Clock::now();
  at::Tensor last;
  for (std::int64_t i = 0; i < batches.per_epoch(); ++i) last = batches.make(epoch, i).images;
  last.sum().item<float>();
  return seconds_since(start);
}

void run(const std::string& folder, std::int64_t size, std::int64_t batch, int epochs,
         std::size_t threads, const std::string& device) {
  set_thread_count(threads);
  at::set_num_threads(static_cast<int>(threads));
  const c10::NoGradGuard no_grad;
  LoadOptions options;
  options.shape.height = options.shape.width = static_cast<std::size_t>(size);
  options.shape.channels = 3;
  const auto start = Clock::now();
  SplitOptions all_train;
  all_train.val = all_train.test = 0;
  const ImageSet set = to_image_set(open_samples(
      folder, options, [&](const Catalog& catalog) { return split_catalog(catalog, all_train); }));
  const double load = seconds_since(start);
  const ImageSplit& train = set.split("train");
  TrainingBatches batches(train, fit_preprocessing(train.images), {batch, augmentation(), 1},
                          c10::Device(device));
  std::printf("{\"images\": %lld, \"load\": %.4f, \"epochs\": [",
              static_cast<long long>(train.size()), load);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::printf("%s%.4f", epoch == 0 ? "" : ", ",
                epoch_seconds(batches, static_cast<std::uint64_t>(epoch)));
  }
  std::printf("]}\n");
}

}  // namespace
}  // namespace cubcal

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: loading_bench FOLDER SIZE BATCH EPOCHS THREADS [DEVICE]\n");
    return 2;
  }
  try {
    cubcal::run(argv[1], std::atoll(argv[2]), std::atoll(argv[3]), std::atoi(argv[4]),
                std::strtoul(argv[5], nullptr, 10), argc > 6 ? argv[6] : "cpu");
  } catch (const cubcal::Error& error) {
    std::fprintf(stderr, "loading_bench: %s\n", error.what());
    return 1;
  }
}
