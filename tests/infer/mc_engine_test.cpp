#include "cubcal_nn/infer/mc_engine.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "cubcal_nn/kernels/compute_backend.h"
#include "expect_error.h"
#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

McOptions passes_and_batch(std::size_t passes, std::int64_t batch) {
  McOptions options;
  options.passes = passes;
  options.batch = batch;
  options.seed = 11;
  return options;
}

at::Tensor run_logits(LayerKind kind, const at::Tensor& images, const McOptions& options) {
  const std::unique_ptr<Network> network = tiny_network(kind);
  McEngine engine(*network, tiny_description(kind).preprocessing);
  return tensor_of(engine.run(images, options).logits);
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(McEngine, LeavesTheSwitchesOfTheProcessAsTheyWere) {
  at::globalContext().setAllowTF32CuBLAS(true);
  run_logits(LayerKind::kVariational, random_images(2), passes_and_batch(1, 2));
  EXPECT_TRUE(at::globalContext().allowTF32CuBLAS());
  at::globalContext().setAllowTF32CuBLAS(false);
}

TEST(McEngine, EqualsALoopByHandWithTheSameNoise) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
  const Preprocessing preprocessing = tiny_description(LayerKind::kVariational).preprocessing;
  const at::Tensor images = random_images(10);
  McEngine engine(*network, preprocessing);
  const at::Tensor logits = tensor_of(engine.run(images, passes_and_batch(3, 4)).logits);
  ASSERT_EQ(logits.sizes(), (std::vector<std::int64_t>{3, 10, 3}));

  const c10::NoGradGuard no_grad;
  ParameterStore& store = network->parameters();
  WeightPasses weights(store, 1, WeightPasses::Use::kPrediction);
  for (std::uint32_t s = 0; s < 3; ++s) {
    at::Tensor noise = at::empty_like(store.mu());
    normal_noise(noise, {11, 0, s});
    weights.draw(std::vector<at::Tensor>{noise});
    for (std::int64_t first = 0; first < 10; first += 4) {
      const std::int64_t rows = std::min<std::int64_t>(4, 10 - first);
      const at::Tensor expected = network->forward(
          preprocess(images.narrow(0, first, rows), preprocessing), network->context(weights, 0));
      // Weights drawn in one pass may be rounded once less than mu + sigma times the noise.
      EXPECT_LT(largest_difference(logits[s].narrow(0, first, rows), expected), 1e-5)
          << s << " " << first;
    }
  }
}

TEST(McEngine, PassesDifferAndDependOnSeedAndPassAlone) {
  const at::Tensor images = random_images(6);
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kMcDropout}) {
    SCOPED_TRACE(layer_kind_name(kind));
    const at::Tensor two = run_logits(kind, images, passes_and_batch(2, 4));
    const at::Tensor four = run_logits(kind, images, passes_and_batch(4, 4));
    EXPECT_TRUE(at::equal(four.narrow(0, 0, 2), two));
    EXPECT_GT(largest_difference(two[0], two[1]), 1e-4);
    McOptions other_seed = passes_and_batch(2, 4);
    other_seed.seed = 12;
    EXPECT_GT(largest_difference(run_logits(kind, images, other_seed), two), 1e-4);
  }
}

/// Runs `body` with each convolution backend; restores the threads afterwards.
template <class Body>
void for_each_backend(Body body) {
  const int threads = at::get_num_threads();
  for (const ConvolutionBackend backend :
       {ConvolutionBackend::kIm2col, ConvolutionBackend::kOneDnn, ConvolutionBackend::kPanels}) {
    SCOPED_TRACE(convolution_backend_name(backend));
    set_convolution_backend(backend);
    // On x86_64 OpenBLAS multiplies small matrices by kernels of their own, which round otherwise.
#if defined(__x86_64__)
    constexpr bool blas_is_exact = false;
#else
    const bool blas_is_exact = check_blas().flavour != BlasFlavour::kNotOpenBlas;
#endif
    const bool exact = backend == ConvolutionBackend::kPanels ||
                       (backend == ConvolutionBackend::kIm2col && blas_is_exact);
    for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kMcDropout}) {
      SCOPED_TRACE(layer_kind_name(kind));
      body(kind, exact ? 0.0 : 1e-5);
    }
  }
  at::set_num_threads(threads);
}

TEST(McEngine, DoesNotDependOnThreads) {
  const at::Tensor images = random_images(21);
  for_each_backend([&](LayerKind kind, double tolerance) {
    at::set_num_threads(1);
    const at::Tensor one = run_logits(kind, images, passes_and_batch(3, 8));
    const double scale = one.abs().max().item<double>();
    for (const int count : {2, 3, 4}) {
      at::set_num_threads(count);
      const at::Tensor many = run_logits(kind, images, passes_and_batch(3, 8));
      EXPECT_LE(largest_difference(many, one), tolerance * scale) << count;
    }
  });
}

TEST(McEngine, DoesNotDependOnTheBatchSize) {
  const at::Tensor images = random_images(21);
  for_each_backend([&](LayerKind kind, double tolerance) {
    const at::Tensor whole = run_logits(kind, images, passes_and_batch(3, 64));
    const double scale = whole.abs().max().item<double>();
    for (const std::int64_t batch : {1, 2, 5, 8, 20}) {
      const at::Tensor cut = run_logits(kind, images, passes_and_batch(3, batch));
      EXPECT_LE(largest_difference(cut, whole), tolerance * scale) << batch;
    }
  });
}

/// What panels do not take goes by LibTorch, on x86-64 with oneDNN.
TEST(McEngine, DepthwiseConvolutionsDoNotDependOnTheBatchSizeEither) {
  set_convolution_backend(ConvolutionBackend::kPanels);
  ModelDescription description = tiny_description(LayerKind::kVariational);
  description.network = "efficientnet-b0";
  description.preprocessing = {32, 32, {0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}};
  const std::unique_ptr<Network> network = make_network(
      description.network, description.network_options(c10::Device(c10::DeviceType::CPU)));
  McEngine engine(*network, description.preprocessing);
  const at::Tensor images = random_images(7, 3, 32);
  const auto logits = [&](std::int64_t batch) {
    return tensor_of(engine.run(images, passes_and_batch(2, batch)).logits);
  };
  const at::Tensor together = logits(7);
  EXPECT_TRUE(at::equal(logits(1), together));
  EXPECT_TRUE(at::equal(logits(4), together));
}

TEST(McEngine, AnImageAloneIsTheSameAsAmongMany) {
  const at::Tensor images = random_images(40);
  for_each_backend([&](LayerKind kind, double tolerance) {
    const at::Tensor many = run_logits(kind, images, passes_and_batch(3, 64));
    const double scale = many.abs().max().item<double>();
    for (const std::int64_t count : {1, 2, 15, 16, 33}) {
      const at::Tensor few = run_logits(kind, images.narrow(0, 0, count), passes_and_batch(3, 64));
      EXPECT_LE(largest_difference(few, many.narrow(1, 0, count)), tolerance * scale) << count;
    }
  });
}

TEST(McEngine, AnImageDoesNotFeelItsNeighbours) {
  const at::Tensor images = random_images(8);
  at::Tensor others = random_images(8, 1, 16, 77);
  others.select(0, 3).copy_(images.select(0, 3));
  const at::Tensor a = run_logits(LayerKind::kVariational, images, passes_and_batch(2, 8));
  const at::Tensor b = run_logits(LayerKind::kVariational, others, passes_and_batch(2, 8));
  EXPECT_TRUE(at::equal(a.select(1, 3), b.select(1, 3)));
  EXPECT_FALSE(at::equal(a.select(1, 4), b.select(1, 4)));
}

TEST(McEngine, McDropoutEqualsWholeForwardPasses) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kMcDropout);
  const Preprocessing preprocessing = tiny_description(LayerKind::kMcDropout).preprocessing;
  const at::Tensor images = random_images(7);
  McEngine engine(*network, preprocessing);
  const at::Tensor logits = tensor_of(engine.run(images, passes_and_batch(5, 7)).logits);
  const c10::NoGradGuard no_grad;
  WeightPasses weights(network->parameters(), 1, WeightPasses::Use::kPrediction);
  for (std::uint32_t s = 0; s < 5; ++s) {
    weights.draw({11, 0, s});
    const at::Tensor expected =
        network->forward(preprocess(images, preprocessing), network->context(weights, 0));
    EXPECT_TRUE(at::equal(logits[s], expected)) << s;
  }
}

TEST(McEngine, DropoutMasksFollowTheSampleIndex) {
  at::Tensor images = random_images(4);
  images.copy_(images.select(0, 0).unsqueeze(0).expand_as(images));
  McOptions options = passes_and_batch(8, 4);
  const at::Tensor by_place = run_logits(LayerKind::kMcDropout, images, options);
  EXPECT_FALSE(at::allclose(by_place.select(1, 0), by_place.select(1, 1)));
  options.samples = {0, 0, 0, 0};
  const at::Tensor alike = run_logits(LayerKind::kMcDropout, images, options);
  EXPECT_TRUE(at::allclose(alike.select(1, 0), alike.select(1, 3)));
  EXPECT_TRUE(at::allclose(alike.select(1, 3), by_place.select(1, 0)));
}

TEST(McEngine, OnePassAtMeanWeightsAndForDeterministicNetworks) {
  const at::Tensor images = random_images(5);
  for (const LayerKind kind :
       {LayerKind::kVariational, LayerKind::kMcDropout, LayerKind::kDeterministic}) {
    SCOPED_TRACE(layer_kind_name(kind));
    const std::unique_ptr<Network> network = tiny_network(kind);
    const Preprocessing preprocessing = tiny_description(kind).preprocessing;
    McEngine engine(*network, preprocessing);
    McOptions options = passes_and_batch(9, 5);
    options.mean_weights = kind != LayerKind::kDeterministic;
    const at::Tensor logits = tensor_of(engine.run(images, options).logits);
    ASSERT_EQ(logits.size(0), 1);
    const c10::NoGradGuard no_grad;
    EXPECT_TRUE(at::equal(
        logits[0], network->forward(preprocess(images, preprocessing), network->mean_context())));
  }
}

TEST(McEngine, SeesWeightsThatChangedBetweenRuns) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
  McEngine engine(*network, tiny_description(LayerKind::kVariational).preprocessing);
  const at::Tensor images = random_images(3);
  const at::Tensor before = tensor_of(engine.run(images, passes_and_batch(2, 3)).logits);
  network->parameters().rho().fill_(-30);  // sigma practically 0
  const at::Tensor after = tensor_of(engine.run(images, passes_and_batch(2, 3)).logits);
  EXPECT_GT(largest_difference(before[0], before[1]), 1e-4);
  EXPECT_LT(largest_difference(after[0], after[1]), 1e-6);
}

TEST(McEngine, FeaturesAreMeansOverThePasses) {
  const at::Tensor images = random_images(5);
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kMcDropout}) {
    SCOPED_TRACE(layer_kind_name(kind));
    const std::unique_ptr<Network> network = tiny_network(kind);
    const Preprocessing preprocessing = tiny_description(kind).preprocessing;
    McEngine engine(*network, preprocessing);
    McOptions options = passes_and_batch(4, 2);
    options.features = true;
    const McOutput output = engine.run(images, options);
    ASSERT_EQ(output.feature_names, network->feature_names());
    ASSERT_EQ(output.features.size(), output.feature_names.size());

    const c10::NoGradGuard no_grad;
    WeightPasses weights(network->parameters(), 1, WeightPasses::Use::kPrediction);
    std::vector<at::Tensor> sums;
    for (std::uint32_t s = 0; s < 4; ++s) {
      weights.draw({11, 0, s});
      Features taps;
      network->forward(preprocess(images, preprocessing), network->context(weights, 0), &taps);
      for (std::size_t i = 0; i < taps.taps.size(); ++i) {
        if (s == 0) {
          sums.push_back(taps.taps[i].clone());
        } else {
          sums[i].add_(taps.taps[i]);
        }
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_TRUE(at::allclose(tensor_of(output.features[i]), sums[i] / 4, 1e-4, 1e-5)) << i;
    }
  }
}

TEST(McEngine, ReportsProgressAndStopsWhenAsked) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
  McEngine engine(*network, tiny_description(LayerKind::kVariational).preprocessing);
  std::vector<std::size_t> steps;
  McOptions options = passes_and_batch(3, 2);
  options.progress = [&](std::size_t done, std::size_t of) {
    EXPECT_EQ(of, 9U);
    steps.push_back(done);
  };
  engine.run(random_images(5), options);
  EXPECT_EQ(steps, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));

  steps.clear();
  options.interrupted = [&] { return steps.size() == 4; };
  expect_error<Interrupted>([&] { engine.run(random_images(5), options); }, "interrupted");
  EXPECT_EQ(steps.size(), 4U);
}

/// Most bytes alive after any batch, above those of the finished run's output.
std::size_t peak_beyond_output(std::size_t passes) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
  McEngine engine(*network, tiny_description(LayerKind::kVariational).preprocessing);
  const at::Tensor images = random_images(32);
  std::size_t peak = 0;
  McOptions options = passes_and_batch(passes, 8);
  options.progress = [&](std::size_t, std::size_t) {
    const struct mallinfo2 now = mallinfo2();
    peak = std::max(peak, now.uordblks + now.hblkhd);
  };
  const McOutput output = engine.run(images, options);
  return peak - std::min(peak, output.logits.byte_size());
}

TEST(McEngine, MemoryDoesNotGrowWithThePasses) {
  peak_beyond_output(2);  // warms up what libraries keep
  const std::size_t few = peak_beyond_output(2);
  const std::size_t many = peak_beyond_output(60);
  const std::size_t weights = 4 * 77000;  // one more slot of weights would show
  EXPECT_LT(many, few + weights / 2);
}

TEST(McEngine, RefusesWhatDoesNotFit) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
  const Preprocessing preprocessing = tiny_description(LayerKind::kVariational).preprocessing;
  McEngine engine(*network, preprocessing);
  const at::Tensor images = random_images(2);
  expect_error<ArgumentError>([&] { engine.run(images, passes_and_batch(0, 4)); },
                              "the number of passes must be");
  expect_error<ArgumentError>([&] { engine.run(images, passes_and_batch(1, 0)); },
                              "the batch size must be");
  McOptions options = passes_and_batch(1, 4);
  options.samples = {1};
  expect_error<ArgumentError>([&] { engine.run(images, options); }, "sample indices");
  const McOptions good = passes_and_batch(1, 4);
  expect_error<DataError>([&] { engine.run(images.to(at::kFloat), good); }, "must be uint8");
  expect_error<DataError>([&] { engine.run(images.narrow(0, 0, 0), good); }, "no image");
  EXPECT_THROW(engine.run(random_images(2, 1, 8), good), DataError);
  EXPECT_THROW(engine.run(random_images(2, 3), good), DataError);
  Preprocessing other = preprocessing;
  other.width = 8;
  expect_error<DataError>([&] { McEngine(*network, other); }, "other channels, height or width");
}

}  // namespace
}  // namespace cubcal::test
