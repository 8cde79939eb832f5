#include "bench_jobs.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cubcal_nn/bayes/fused_weights.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/kernels/compute_scope.h"
#include "cubcal_nn/kernels/device_memory.h"
#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/train/training_step.h"
#include "interrupt.h"

namespace cubcal::app {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs `work` `warm_ups` times, and then for `budget` seconds, three times at least.
BenchResult time_work(c10::Device device, int warm_ups, double budget,
                      const std::function<void()>& work) {
  for (int i = 0; i < warm_ups; ++i) work();
  wait_for_device(device);
  reset_peak_memory(device);
  std::vector<double> seconds;
  const double start = now();
  while (seconds.size() < 3 || (now() - start < budget && seconds.size() < 200)) {
    if (InterruptWatch::interrupted()) throw Interrupted("the measurement was interrupted");
    const double before = now();
    work();
    wait_for_device(device);
    seconds.push_back(now() - before);
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back(), peak_memory(device)};
}

std::unique_ptr<Network> network_of(const BenchCase& which, LayerKind kind) {
  NetworkOptions options;
  options.classes = which.classes;
  options.height = options.width = which.size;
  options.kind = kind;
  options.device = which.device;
  auto network = make_network(which.network, options);
  network->parameters().rho().fill_(-5);
  return network;
}

Preprocessing preprocessing_of(const BenchCase& which) {
  return {which.size, which.size, {0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}};
}

/// What is predicted with: a network of this kind, or the model's own.
struct Predicting {
  std::unique_ptr<Network> network;
  Preprocessing preprocessing;
};

Predicting predicting(const BenchCase& which, LayerKind kind) {
  if (which.model.empty()) return {network_of(which, kind), preprocessing_of(which)};
  LoadedModel model = load_model(which.model, which.device);
  return {std::move(model.network), model.description.preprocessing};
}

/// Any fixed values will do, but zeros would be faster than images are.
at::Tensor drawn_bytes(std::int64_t count, const Preprocessing& preprocessing,
                       const BenchCase& which) {
  at::Tensor values = at::empty(
      {count, preprocessing.channels(), preprocessing.image_height(), preprocessing.image_width()});
  uniform_noise(values, {1, 2, 3});
  return values.mul_(255).to(at::kByte).to(which.device);
}

BenchResult time_step(const BenchCase& which, const TrainingMethod& method, double budget) {
  const auto network = network_of(which, method.kind);
  StageOptions options;
  options.method = method;
  options.batch = which.batch;
  options.passes = which.passes;
  TrainingStep step(*network, options, *method.objective, {10000, which.batch}, {}, 1,
                    which.compute);
  Batch batch;
  const Preprocessing preprocessing = preprocessing_of(which);
  batch.images = preprocess(drawn_bytes(which.batch, preprocessing, which), preprocessing);
  batch.labels = (at::arange(which.batch) % which.classes).to(which.device);
  for (std::int64_t i = 0; i < which.batch; ++i) batch.indices.push_back(i);
  std::uint64_t stream = 0;
  return time_work(which.device, which.device.is_cuda() ? 6 : 1, budget, [&] {
    step.run(batch, {++stream, 1e-4});
  });
}

}  // namespace

BenchResult time_training_step(const BenchCase& which, double budget) {
  BetaOptions beta;
  beta.warmup_epochs = 0;
  TrainingMethod method = training_method("bnn+cub");
  method.objective = std::make_shared<CubObjective>(CubOptions{}, beta);
  return time_step(which, method, budget);
}

BenchResult time_deterministic_step(const BenchCase& which, double budget) {
  return time_step(which, training_method(kDeterministicMethod), budget);
}

BenchResult time_prediction(const BenchCase& which, bool keep_draws, double budget) {
  const Predicting with = predicting(which, LayerKind::kVariational);
  McEngine engine(*with.network, with.preprocessing);
  const at::Tensor images = drawn_bytes(which.images, with.preprocessing, which);
  McOptions options;
  options.passes = static_cast<std::size_t>(which.passes);
  options.batch = which.batch;
  options.compute = which.compute;
  options.keep_draws = keep_draws;
  options.interrupted = InterruptWatch::interrupted;
  // On a GPU one that draws, two before a graph is made, and that.
  return time_work(which.device, which.device.is_cuda() ? 4 : 0, budget,
                   [&] { engine.run(images, options); });
}

BenchResult time_deterministic_forward(const BenchCase& which, double budget) {
  const c10::NoGradGuard no_grad;
  const auto [network, preprocessing] = predicting(which, LayerKind::kDeterministic);
  const ComputeSettings compute = compute_settings(which.compute.precision, which.device);
  const ComputeScope computing(compute);
  const auto dtype = activation_type(*compute.precision);
  std::optional<FusedWeights> weights;  // a CPU takes the network's own
  if (which.device.is_cuda() && network->parameters().parameter_count() > 0) {
    weights.emplace(network->parameters(), FusedWeights::Options{1, dtype, false, 0});
    weights->draw();
  }
  const std::int64_t batch = std::min(which.batch, which.images);
  const at::Tensor images = preprocess(drawn_bytes(batch, preprocessing, which), preprocessing)
                                .to(at::TensorOptions().dtype(weights ? dtype : at::kFloat), false,
                                    false, at::MemoryFormat::ChannelsLast);
  const Network& forward = *network;
  BenchResult result = time_work(which.device, which.device.is_cuda() ? 5 : 1, budget, [&] {
    forward.forward(images, weights ? weights->context(0) : forward.mean_context());
  });
  const double forwards =
      static_cast<double>(which.passes * which.images) / static_cast<double>(batch);
  for (double* each : {&result.seconds, &result.low, &result.high}) *each *= forwards;
  return result;
}

double copy_bandwidth(c10::Device device) {
  const at::Tensor from = at::ones({std::int64_t{1} << (device.is_cuda() ? 28 : 25)},
                                   at::TensorOptions().device(device));
  const at::Tensor to = at::empty_like(from);
  const BenchResult result = time_work(device, 2, 0.3, [&] { to.copy_(from); });
  return 2.0 * static_cast<double>(from.nbytes()) / result.seconds;
}

double noise_rate(c10::Device device) {
  const at::Tensor values = at::empty({std::int64_t{1} << 24}, at::TensorOptions().device(device));
  const BenchResult result = time_work(device, 2, 0.3, [&] { normal_noise(values, {1, 2, 3}); });
  return static_cast<double>(values.numel()) / result.seconds;
}

std::int64_t gaussian_weights(const BenchCase& which) {
  return predicting(which, LayerKind::kVariational).network->parameters().variational_size();
}

}  // namespace cubcal::app
