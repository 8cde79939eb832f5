#include "cubcal_nn/script/script_network.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/io/atomic_file.h"
#include "cubcal/io/npz.h"
#include "cubcal/weights/torchscript_file.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/script/script_check.h"
#include "cubcal_nn/script/script_graph.h"
#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

const std::string kFolder = std::string(CUBCAL_TEST_DATA) + "/script/";

/// What PyTorch made, see make_networks.py.
at::Tensor expected(const std::string& name) {
  const NpzReader file(kFolder + "expected.npz");
  return tensor_of(file.read(name));
}

std::shared_ptr<const std::string> bytes_of(const std::string& name) {
  return std::make_shared<const std::string>(
      read_text_file(kFolder + name + ".ts", std::size_t{1} << 20));
}

NetworkOptions script_options(LayerKind kind) {
  NetworkOptions options;
  options.classes = 3;
  options.height = options.width = 16;
  options.kind = kind;
  return options;
}

std::unique_ptr<Network> network(const std::string& name, LayerKind kind = LayerKind::kMcDropout,
                                 const ScriptNetworkOptions& script = {}) {
  return make_script_network(script_options(kind), script, bytes_of(name), name + ".ts");
}

template <class Action>
std::string data_error(const Action& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

std::string refusal(const std::string& name, LayerKind kind = LayerKind::kMcDropout,
                    const ScriptNetworkOptions& script = {}) {
  return data_error([&] { images_are_independent(*network(name, kind, script), name + ".ts"); });
}

ForwardContext pass_of(const Network& network, std::uint32_t pass, std::uint64_t seed = 1) {
  ForwardContext context = network.mean_context();
  context.mc_dropout = true;
  context.noise = {seed, 0, pass};
  return context;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

const char* const kWithDropout[] = {
    "scripted",     "traced",    "inplace",  "functional", "functional_traced",
    "tokens_first", "no_linear", "own_norm", "encoder"};

TEST(ScriptNetwork, GivesPyTorchsLogitsWithDropoutOff) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = expected("images");
  for (const std::string name : kWithDropout) {
    const auto net = network(name);
    EXPECT_LT(
        largest_difference(net->forward(images, net->mean_context()), expected(name + "_logits")),
        1e-6)
        << name;
  }
  for (const std::string name : {"plain1", "plain2", "plain3", "member"}) {
    const auto net = network(name, LayerKind::kDeterministic);
    EXPECT_LT(
        largest_difference(net->forward(images, net->mean_context()), expected(name + "_logits")),
        1e-6)
        << name;
  }
}

// Mean and deviation against those of 20000 passes of PyTorch. Rows of a batch that are different
// samples draw masks of their own, as passes do.
TEST(ScriptNetwork, DrawsDropoutAsPyTorchDoes) {
  const c10::NoGradGuard no_grad;
  constexpr std::int64_t rows = 500;
  for (const std::string name : kWithDropout) {
    const bool one_by_one = name == "tokens_first";
    const std::uint32_t passes = one_by_one ? 2 : 8;
    const auto net = network(name, LayerKind::kMcDropout, {"", one_by_one});
    const at::Tensor images = expected("images").repeat({rows, 1, 1, 1});
    std::vector<at::Tensor> all;
    for (std::uint32_t s = 0; s < passes; ++s) {
      all.push_back(net->forward(images, pass_of(*net, s)).view({rows, 4, 3}));
    }
    const at::Tensor z = at::cat(all).to(at::kDouble);
    const auto draws = static_cast<double>(z.size(0));
    const at::Tensor deviation = expected(name + "_deviation").to(at::kDouble);
    const at::Tensor error = (z.mean(0) - expected(name + "_mean")) / deviation;
    EXPECT_LT(error.abs().max().item<double>(), 4.5 * std::sqrt(1 / draws + 1.0 / 20000)) << name;
    EXPECT_LT(largest_difference(z.std(0) / deviation, at::ones({4, 3}, at::kDouble)),
              4 / std::sqrt(draws))
        << name;
  }
}

TEST(ScriptNetwork, PassesDifferAndSeedsRepeat) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = expected("images");
  for (const std::string name : kWithDropout) {
    const auto net = network(name);
    const at::Tensor first = net->forward(images, pass_of(*net, 0));
    EXPECT_TRUE(at::equal(first, network(name)->forward(images, pass_of(*net, 0)))) << name;
    EXPECT_GT(largest_difference(first, net->forward(images, pass_of(*net, 1))), 1e-3) << name;
    EXPECT_GT(largest_difference(first, net->forward(images, pass_of(*net, 0, 2))), 1e-3) << name;
    EXPECT_TRUE(at::equal(first, net->forward(images, pass_of(*net, 0)))) << name;
  }
}

// The mask of an image is its own, whatever it is predicted with.
TEST(ScriptNetwork, AnImageDoesNotSeeItsNeighbours) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = expected("images");
  for (const std::string name : kWithDropout) {
    const auto net = network(name, LayerKind::kMcDropout, {"", name == "tokens_first"});
    const at::Tensor together = net->forward(images, pass_of(*net, 3));
    for (std::int64_t i = 0; i < 4; ++i) {
      ForwardContext alone = pass_of(*net, 3);
      alone.samples = {i};
      EXPECT_LT(
          largest_difference(net->forward(images.narrow(0, i, 1), alone), together.narrow(0, i, 1)),
          1e-6)
          << name;
    }
  }
}

TEST(ScriptNetwork, FindsOutWhichNetworksMixTheImagesOfABatch) {
  for (const std::string name : kWithDropout) {
    EXPECT_EQ(images_are_independent(*network(name), name), name != "tokens_first") << name;
  }
  EXPECT_FALSE(images_are_independent(*network("fixed_batch"), "fixed_batch"));
  const ScriptNetworkOptions one_by_one{"", true};
  for (const std::string name : {"tokens_first", "fixed_batch"}) {
    EXPECT_TRUE(images_are_independent(*network(name, LayerKind::kMcDropout, one_by_one), name));
  }
}

// All batch sizes give the same passes; the engine runs the part before the first dropout once.
TEST(ScriptNetwork, RunsInTheEngineAsOneByOne) {
  const at::Tensor images = random_images(7, 3);
  const Preprocessing preprocessing{16, 16, {0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}};
  for (const std::string name : {"functional", "scripted"}) {
    const auto run = [&](std::int64_t batch, bool one_by_one) {
      const auto net = network(name, LayerKind::kMcDropout, {"", one_by_one});
      McEngine engine(*net, preprocessing);
      McOptions options;
      options.passes = 5;
      options.batch = batch;
      options.features = true;
      return engine.run(images, options);
    };
    const McOutput whole = run(7, false);
    EXPECT_EQ(whole.feature_names, std::vector<std::string>{"penultimate"});
    EXPECT_EQ(whole.features.at(0).shape(), (std::vector<std::size_t>{7, 8}));
    for (const bool one_by_one : {false, true}) {
      const McOutput other = run(3, one_by_one);
      EXPECT_LT(largest_difference(tensor_of(whole.logits), tensor_of(other.logits)), 1e-6);
      EXPECT_LT(largest_difference(tensor_of(whole.features[0]), tensor_of(other.features[0])),
                1e-6);
    }
  }
}

TEST(ScriptNetwork, ReadsTheLayerThatIsNamed) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = expected("images");
  const std::pair<std::string, std::string> layers[] = {{"scripted", "blocks.0"},
                                                        {"functional", "bn"}};
  for (const auto& [name, layer] : layers) {
    const auto net = network(name, LayerKind::kMcDropout, {layer, false});
    EXPECT_EQ(net->feature_names(), std::vector<std::string>{layer});
    Features features;
    const at::Tensor logits = net->forward(images, net->mean_context(), &features);
    EXPECT_LT(largest_difference(logits, expected(name + "_logits")), 1e-6);
    ASSERT_EQ(features.taps.size(), 1u);
    EXPECT_LT(largest_difference(features.taps[0], expected(name + "_features")), 1e-6);
  }
  for (const std::string layer : {"blocks", "blocks.1", "blocks.1.norm", "stem", "drop"}) {
    Features features;
    const auto net = network("traced", LayerKind::kMcDropout, {layer, false});
    net->forward(images, pass_of(*net, 0), &features);
    EXPECT_EQ(features.taps.at(0).sizes(), (std::vector<std::int64_t>{4, 8})) << layer;
  }
  EXPECT_NE(refusal("scripted", LayerKind::kMcDropout, {"block.0", false}).find("blocks.0.conv"),
            std::string::npos);
}

TEST(ScriptNetwork, HasItsLogitsForFeaturesWhereThereIsNoLastLinearLayer) {
  const auto net = network("no_linear");
  EXPECT_EQ(net->feature_names(), std::vector<std::string>{"logits"});
  Features features;
  const at::Tensor logits = net->forward(expected("images"), net->mean_context(), &features);
  EXPECT_TRUE(at::equal(features.taps.at(0), logits));
}

// The perturbation of images follows the gradient.
TEST(ScriptNetwork, LetsGradientsThrough) {
  const auto net = network("scripted");
  at::Tensor images = expected("images").requires_grad_(true);
  net->forward(images, net->mean_context()).sum().backward();
  EXPECT_GT(images.grad().abs().max().item<double>(), 0);
}

TEST(ScriptNetwork, RefusesWhatCannotBePredictedWith) {
  const std::pair<std::string, const char*> cases[] = {
      {"plain1", "has no dropout layer"},
      {"frozen", "has no dropout layer"},
      {"no_rate", "changes no logit"},
      {"softmax", "gives probabilities"},
      {"sigmoid", "gives nothing but numbers from 0 to 1"},
      {"random", "draws random numbers by aten::rand_like"},
      {"two_inputs", "must take images"},
      {"pair", "must give one tensor of logits, not (Tensor, Tensor)"},
      {"traced_training", "traced in training mode"},
      {"encoder_no_grad", "leaves out dropout: trace it outside of torch.no_grad(), or script it"},
      {"counting", "gives other logits for the same image the second time"},
      {"half", "has weights of type Half, and only float32 can be run: save it after float()"},
      {"one_logit", "one z for two classes is saved as the logits [0, z]"}};
  for (const auto& [name, text] : cases) {
    const std::string message = refusal(name);
    EXPECT_NE(message.find(text), std::string::npos) << name << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  NetworkOptions options = script_options(LayerKind::kMcDropout);
  options.classes = 5;
  const auto net = make_script_network(options, {}, bytes_of("traced"), "traced.ts");
  const std::string message = data_error([&] { images_are_independent(*net, "traced.ts"); });
  EXPECT_EQ(message,
            "traced.ts gives logits of shape [1, 3], and those of 5 classes are [batch, 5]");
}

TEST(ScriptNetwork, LeavesTheImagesAsTheyAre) {
  const c10::NoGradGuard no_grad;
  const auto net = network("own_norm");
  const at::Tensor images = expected("images");
  net->forward(images, pass_of(*net, 0));
  EXPECT_TRUE(at::equal(images, expected("images")));
}

TEST(ScriptNetwork, SeesWhatATraceMayHaveLost) {
  const auto reuses = [](const std::string& name) {
    return load_script_graph(*bytes_of(name), name, {}).reuses_dropped;
  };
  EXPECT_TRUE(reuses("residual_traced"));
  EXPECT_FALSE(reuses("residual_scripted"));
  EXPECT_FALSE(reuses("traced"));
}

TEST(ScriptNetwork, RefusesWhatIsNotWhole) {
  std::string flipped = *bytes_of("traced");
  const std::size_t at = flipped.find("FB", flipped.find("data/0"));  // padding before a weight
  ASSERT_NE(at, std::string::npos);
  flipped[flipped.find_first_not_of("FBZ", at + 4) + 8] ^= 1;
  const std::string message = data_error([&] { check_torchscript(flipped, "flipped.ts"); });
  EXPECT_NE(message.find("flipped.ts"), std::string::npos) << message;
}

TEST(ScriptNetwork, RefusesBrokenFilesInOneSentence) {
  const std::string whole = *bytes_of("traced");
  const auto refused = [](const std::string& bytes) {
    const std::string message = data_error([&] {
      make_script_network(script_options(LayerKind::kMcDropout), {},
                          std::make_shared<const std::string>(bytes), "broken.ts");
    });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(message.find("frame #"), std::string::npos) << message;
    EXPECT_NE(message.find("broken.ts"), std::string::npos) << message;
    EXPECT_LT(message.size(), 500u) << message;
  };
  refused("");
  refused("no zip archive at all");
  refused(whole.substr(0, whole.size() / 2));
  for (const char* target : {"aten::", "__torch__", "torch.dropout", "forward"}) {
    std::string changed = whole;
    for (std::size_t at = changed.find(target); at != std::string::npos;
         at = changed.find(target, at + 1)) {
      changed[at] = 'q';
    }
    if (changed != whole) refused(changed);
  }
}

}  // namespace
}  // namespace cubcal::test
