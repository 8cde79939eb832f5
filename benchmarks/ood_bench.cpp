#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cubcal/core/parallel.h"
#include "cubcal/io/npz.h"
#include "cubcal_nn/ood/registry.h"

/// Seconds to fit every feature detector and to score the same features, for benchmarks/run_ood.py.
///   ood_bench FEATURES.npz SCORES.npz THREADS [DEVICE]
/// FEATURES holds tap0, tap1, ... [N, D] and logits [N, K] in float32 and labels [N]. Prints a line
/// "name fit score" per detector and writes the scores.
namespace cubcal {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

at::Tensor tensor(const NpzReader& npz, const std::string& name, c10::ScalarType type,
                  const std::string& device) {
  const NdArray array = npz.read(name);
  const std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
  return at::from_blob(const_cast<std::byte*>(array.bytes()), shape, at::dtype(type))
      .clone()
      .to(c10::Device(device));
}

void run(const std::string& features_path, const std::string& scores_path, std::size_t threads,
         const std::string& device) {
  set_thread_count(threads);
  at::set_num_threads(static_cast<int>(threads));
  const NpzReader npz(features_path);
  DetectorInput features;
  for (int i = 0; npz.has("tap" + std::to_string(i)); ++i) {
    features.taps.push_back(tensor(npz, "tap" + std::to_string(i), at::kFloat, device));
  }
  features.logits = tensor(npz, "logits", at::kFloat, device);
  const at::Tensor labels = tensor(npz, "labels", at::kLong, device);
  if (device != "cpu") {  // the first use of a device loads its libraries
    const auto warm = make_detector("cosine+rff+pca");
    fit_detector(*warm, features.narrow(0, 256), labels.narrow(0, 0, 256));
  }
  NpzWriter out(scores_path);
  for (const DetectorEntry& each : detector_entries()) {
    const auto detector = each.make({});
    auto start = Clock::now();
    fit_detector(*detector, features, labels);
    const double fit = seconds_since(start);
    start = Clock::now();
    const std::vector<double> scores = score_all(*detector, features);
    std::printf("%s %.4f %.4f\n", each.name, fit, seconds_since(start));
    out.add(each.name, ArrayView<const double>(scores), {scores.size()});
  }
  out.finish();
}

}  // namespace
}  // namespace cubcal

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: ood_bench FEATURES.npz SCORES.npz THREADS [DEVICE]\n");
    return 2;
  }
  try {
    cubcal::run(argv[1], argv[2], static_cast<std::size_t>(std::atoi(argv[3])),
                argc > 4 ? argv[4] : "cpu");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ood_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
