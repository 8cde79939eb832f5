#include "cubcal_nn/bayes/split_norm.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "cubcal_nn/bayes/parameter_store.h"
#include "ranks/thread_ranks.h"

namespace cubcal::test {
namespace {

struct NormRun {
  at::Tensor y, dx, dweight, dbias, mean, var;
};

at::Tensor values(c10::IntArrayRef sizes, double offset) {
  const std::int64_t count = c10::multiply_integers(sizes);
  return (at::arange(count, at::kDouble) * 1.37 + offset).sin().view(sizes).to(at::kFloat) * 2 + 3;
}

template <class Norm>
NormRun run_norm(const at::Tensor& x, const at::Tensor& dy, Norm norm) {
  at::Tensor leaf = x.clone().set_requires_grad(true);
  at::Tensor weight = values({x.size(1)}, 5).set_requires_grad(true);
  at::Tensor bias = values({x.size(1)}, 6).set_requires_grad(true);
  NormRun run;
  run.mean = at::zeros({x.size(1)});
  run.var = at::ones({x.size(1)});
  const at::Tensor y = norm(leaf, weight, bias, run.mean, run.var);
  torch::autograd::backward({y}, {dy});
  run.y = y.detach();
  run.dx = leaf.grad();
  run.dweight = weight.grad();
  run.dbias = bias.grad();
  return run;
}

TEST(SplitNorm, PartsOfABatchAreNormedAsTheWhole) {
  const at::Tensor x = values({5, 3, 4, 4}, 0);
  const at::Tensor dy = values({5, 3, 4, 4}, 1) - 3;
  const NormRun whole = run_norm(x, dy, [](auto& leaf, auto& w, auto& b, auto& mean, auto& var) {
    return at::batch_norm(leaf, w, b, mean, var, true, 0.3, kNormEpsilon, true);
  });
  NormRun parts[2];
  run_thread_ranks(2, [&](RankGroup& group) {  // three images and two
    const int part = group.rank();
    const std::int64_t first = part * 3;
    const std::int64_t count = 3 - part;
    parts[part] = run_norm(x.narrow(0, first, count), dy.narrow(0, first, count),
                           [&](auto& leaf, auto& w, auto& b, auto& mean, auto& var) {
                             return split_batch_norm(
                                 leaf, w, b, mean, var,
                                 {0.3, [&](const at::Tensor& sums) { group.sum({sums}); }});
                           });
  });

  const auto near = [](const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>() <= 2e-5 * b.abs().max().item<double>();
  };
  EXPECT_TRUE(near(at::cat({parts[0].y, parts[1].y}), whole.y));
  EXPECT_TRUE(near(at::cat({parts[0].dx, parts[1].dx}), whole.dx));
  EXPECT_TRUE(near(parts[0].dweight + parts[1].dweight, whole.dweight));
  EXPECT_TRUE(near(parts[0].dbias + parts[1].dbias, whole.dbias));
  for (const NormRun& part : parts) {
    EXPECT_TRUE(near(part.mean, whole.mean));
    EXPECT_TRUE(near(part.var, whole.var));
  }
  EXPECT_TRUE(at::equal(parts[0].var, parts[1].var));
}

}  // namespace
}  // namespace cubcal::test
