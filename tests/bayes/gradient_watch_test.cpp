#include "cubcal_nn/bayes/gradient_watch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "cubcal_nn/bayes/weight_passes.h"

namespace cubcal {
namespace {

/// Three layers of Gaussian weights, 16 and 4, 16 and 4, 8 and 2 of them, with a norm of point
/// weights after the first.
struct LayeredNet {
  explicit LayeredNet(c10::ScalarType type = at::kFloat) {
    store.allocate(type, at::kCPU);
    initialise(store, 1, -1.0);
  }

  at::Tensor forward(const TensorTable& weights) const {
    const ForwardContext context(weights);
    const at::Tensor x = at::linspace(-1, 1, 12, weights[0].options()).view({3, 4});
    return last(middle(norm(first(x, context), context).tanh(), context).tanh(), context);
  }

  ParameterStore store;
  LayerFactory factory = LayerFactory::variational(store);
  Linear first = factory.linear("first", 4, 4);
  LayerNorm norm = factory.layer_norm("norm", 4);
  Linear middle = factory.linear("middle", 4, 4);
  Linear last = factory.linear("last", 4, 2);
};

std::string name_of_piece(const GradientPiece& piece) {
  return (piece.kind == ParameterKind::kPoint ? "point " : "gaussian ") +
         std::to_string(piece.first) + " + " + std::to_string(piece.count);
}

TEST(GradientPieces, ComeInTheOrderOfTheWayBack) {
  const LayeredNet net;
  std::vector<std::string> names;
  for (const GradientPiece& piece : gradient_pieces(net.store, 16)) {
    names.push_back(name_of_piece(piece));
  }
  // Values 32 to 47 begin in the middle layer, as do 20 to 31, and 16 to 19 are the first's bias.
  EXPECT_EQ(names, (std::vector<std::string>{"gaussian 48 + 2", "gaussian 32 + 16", "point 0 + 8",
                                             "gaussian 16 + 16", "gaussian 0 + 16"}));
  EXPECT_EQ(gradient_pieces(net.store, 1 << 20).size(), 2U);
  EXPECT_THROW(gradient_pieces(net.store, 18), ArgumentError);
}

TEST(GradientWatch, PiecesAreToldWhileAutogradIsOnItsWay) {
  LayeredNet net;
  WeightPasses passes(net.store, 2, WeightPasses::Use::kTraining);
  passes.watch(gradient_pieces(net.store, 16));
  passes.draw({1, 2, 0});
  std::vector<std::string> events;
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < 2; ++s) {
    logits.push_back(net.forward(passes.weights(s)));
    for (const char* path : {"first.weight", "last.weight"}) {
      passes.weights(s)[net.store.index_of(path)].register_hook(
          [&events, path](const at::Tensor&) { events.emplace_back(path); });
    }
  }
  passes.backward(logits, at::ones({2, 3, 2}),
                  [&](const GradientPiece& piece) { events.push_back(name_of_piece(piece)); });
  // The first pass tells nothing; where a layer's own gradients come is autograd's choice.
  ASSERT_EQ(events.size(), 9U);
  EXPECT_EQ(events[0], "last.weight");
  EXPECT_EQ(events[1], "first.weight");
  const auto place = [&](const char* event) {
    return std::find(events.begin() + 2, events.end(), event) - events.begin();
  };
  const auto first_layer = place("first.weight");
  for (const char* early : {"gaussian 48 + 2", "gaussian 32 + 16", "point 0 + 8"}) {
    EXPECT_LT(place(early), first_layer) << early;
  }
  EXPECT_EQ(events.back(), "gaussian 0 + 16");
}

TEST(GradientWatch, WhatIsToldIsCompleteAndTheBitsAreThoseOfTheWhole) {
  for (const c10::ScalarType type : {at::kFloat, at::kDouble}) {
    LayeredNet net(type);
    at::Tensor whole[3];
    WeightPasses passes(net.store, 2, WeightPasses::Use::kTraining);
    passes.watch(gradient_pieces(net.store, 16));
    for (const bool told : {false, true}) {
      net.store.zero_gradients();
      passes.draw({1, 2, 0});
      std::vector<at::Tensor> logits = {net.forward(passes.weights(0)),
                                        net.forward(passes.weights(1))};
      const at::Tensor flat[3] = {net.store.mu_gradient(), net.store.rho_gradient(),
                                  net.store.point_gradient()};
      const auto check = [&](const GradientPiece& piece) {
        for (int i = 0; i < 3; ++i) {
          if ((i == 2) != (piece.kind == ParameterKind::kPoint)) continue;
          EXPECT_TRUE(at::equal(flat[i].narrow(0, piece.first, piece.count),
                                whole[i].narrow(0, piece.first, piece.count)));
        }
      };
      const at::Tensor slope = at::ones({2, 3, 2}, type);
      if (told) {
        passes.backward(logits, slope, check);
      } else {
        passes.backward(logits, slope);
        for (int i = 0; i < 3; ++i) whole[i] = flat[i].clone();
      }
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(at::equal(flat[i], whole[i]));
    }
  }
}

TEST(GradientWatch, APieceThatAutogradDoesNotReachIsToldAtTheEnd) {
  LayeredNet net;
  WeightPasses passes(net.store, 1, WeightPasses::Use::kTraining);
  passes.watch(gradient_pieces(net.store, 4));
  passes.draw({1, 2, 0});
  const ForwardContext context(passes.weights(0));
  std::vector<at::Tensor> logits = {net.first(at::ones({3, 4}), context)};
  std::size_t told = 0;
  passes.backward(logits, at::ones({1, 3, 4}), [&](const GradientPiece&) { ++told; });
  EXPECT_EQ(told, gradient_pieces(net.store, 4).size());
}

}  // namespace
}  // namespace cubcal
