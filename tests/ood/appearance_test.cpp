// What images look like, and images that no verdict may accept.

#include "cubcal_nn/ood/appearance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cubcal/core/error.h"
#include "cubcal_nn/ood/probes.h"
#include "cubcal_nn/ood/registry.h"
#include "expect_error.h"
#include "infer/tiny_model.h"
#include "ood/random_features.h"

namespace cubcal::test {
namespace {

/// Bright discs of several sizes on a dark ground, in channels of different light.
at::Tensor disc_images(std::int64_t count, std::int64_t channels = 3, std::int64_t size = 32) {
  at::Tensor images = at::empty({count, channels, size, size}, at::kByte);
  SeedStream random(3, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    const double radius = static_cast<double>(size) * (0.2 + 0.15 * random.uniform());
    const double light = 150 + 60 * random.uniform();
    const double ground = 20 + 20 * random.uniform();
    const at::Tensor place = at::arange(size, at::kDouble) - static_cast<double>(size) / 2;
    const at::Tensor square = place.square().unsqueeze(0) + place.square().unsqueeze(1);
    const at::Tensor image = at::where(square < radius * radius, at::full({}, light, at::kDouble),
                                       at::full({}, ground, at::kDouble));
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const at::Tensor grain = 4 * random_rows(size, size, 1000 + i * channels + channel);
      images[i][channel] = (image * (1 - 0.15 * static_cast<double>(channel)) + grain)
                               .clamp(0, 255)
                               .round()
                               .to(at::kByte);
    }
  }
  return images;
}

TEST(Appearance, OfABlankImage) {
  const at::Tensor rows = appearance_of(at::full({2, 1, 16, 16}, 51, at::kByte));
  // mean, log10 of the variance, three quantiles, five details, fifteen cells
  ASSERT_EQ(rows.sizes(), at::IntArrayRef({2, 1 + 1 + 3 + 5 + 15}));
  const std::vector<double> first = values_of(rows[0]);
  EXPECT_NEAR(first[0], 0.2, 1e-6);
  EXPECT_NEAR(first[1], -8, 1e-5) << "what does not vary counts as 1e-4 of white";
  for (const int quantile : {2, 3, 4}) EXPECT_NEAR(first[quantile], 0.2, 1e-6);
  for (int detail = 5; detail < 10; ++detail) EXPECT_NEAR(first[detail], -8, 1e-5);
  for (int cell = 10; cell < 25; ++cell) EXPECT_NEAR(first[cell], 0, 1e-6);
}

TEST(Appearance, DetailIsAtItsScale) {
  // Stripes of two pixels: averaging over two pixels keeps them, over four takes them away.
  at::Tensor stripes = at::zeros({1, 1, 32, 32}, at::kByte);
  for (std::int64_t column = 0; column < 32; ++column) {
    if (column / 2 % 2 == 1) stripes.select(3, column).fill_(255);
  }
  const std::vector<double> row = values_of(appearance_of(stripes)[0]);
  EXPECT_NEAR(row[5], -8, 1e-5);
  EXPECT_NEAR(row[6], std::log10(0.25), 1e-5);
  EXPECT_NEAR(row[7], -8, 1e-5);
}

TEST(Appearance, DoesNotDependOnTheBatchNorOnTheDepth) {
  const at::Tensor images = disc_images(70);
  const at::Tensor all = appearance_of(images);
  EXPECT_TRUE(at::equal(all.narrow(0, 65, 2), appearance_of(images.narrow(0, 65, 2))));
  const at::Tensor deep = images.to(at::kInt).mul(257).to(at::kShort);
  EXPECT_TRUE(at::allclose(appearance_of(deep), all, 1e-4, 1e-5));
}

TEST(Probes, AreWhatTheySay) {
  const at::Tensor images = disc_images(6);
  std::map<std::string, at::Tensor> probes;
  for (const Probe& each : far_probes(images, 1)) probes[each.name] = each.images;
  ASSERT_EQ(probes.size(), 5u);
  for (const auto& [name, probe] : probes) {
    EXPECT_EQ(probe.sizes(), images.sizes()) << name;
    EXPECT_EQ(probe.scalar_type(), at::kByte) << name;
  }
  EXPECT_TRUE(at::equal(probes["inverted"], 255 - images));
  EXPECT_EQ(probes["blank"][2].min().item<int>(), 255);
  EXPECT_EQ(probes["blank"][0].max().item<int>(), 0);
  EXPECT_TRUE(at::equal(std::get<0>(probes["shuffled"].flatten(2).sort(2)),
                        std::get<0>(images.flatten(2).sort(2))));
  EXPECT_FALSE(at::equal(probes["shuffled"], images));
  EXPECT_TRUE(at::equal(probes["recoloured"].select(1, 0), images.select(1, 2)));
  const std::vector<Probe> again = far_probes(images, 1);
  EXPECT_TRUE(at::equal(again.front().images, probes["noise"]));
  EXPECT_EQ(far_probes(images.narrow(1, 0, 1), 1).size(), 4u) << "one channel has no colours";
}

TEST(Combined, StandsOutWhereNetworkFeaturesDoNot) {
  // A network that gives every image the features of a training image.
  const at::Tensor images = disc_images(400);
  TrainingFeatures set = training_features(400);
  set.input.appearance = appearance_of(images);
  const auto detector = make_detector("combined");
  fit_detector(*detector, set.input, set.labels);
  std::vector<double> known = score_all(*detector, set.input);
  std::sort(known.begin(), known.end());
  for (const Probe& probe : far_probes(images.narrow(0, 0, 40), 2)) {
    DetectorInput shown = set.input.narrow(0, 40);
    shown.appearance = appearance_of(probe.images);
    for (const double score : score_all(*detector, shown)) {
      EXPECT_GT(score, known[known.size() * 95 / 100]) << probe.name;
    }
  }
}

TEST(Combined, ScalesAreThoseOfImagesTheMembersHadNotSeen) {
  // In 60 dimensions of 100 images a distance is far smaller for the fit's own images.
  TrainingFeatures set = training_features(150);
  set.input.taps.back() = random_rows(150, 60, 55);
  const auto detector = make_detector("combined");
  fit_detector(*detector, set.input, set.labels);
  DetectorInput fresh = near_features(150);
  fresh.taps.back() = random_rows(150, 60, 56);
  fresh.appearance = random_rows(150, 6, 57);
  std::vector<double> scores = score_all(*detector, fresh);
  std::sort(scores.begin(), scores.end());
  EXPECT_LT(scores[75], 2.0) << "the median of new images lies within the tail of known ones";
}

TEST(Combined, NeedsTheImages) {
  TrainingFeatures set = training_features();
  set.input.appearance = at::Tensor();
  for (const char* name : {"appearance", "combined"}) {
    const auto detector = make_detector(name);
    expect_error<DataError>([&] { fit_detector(*detector, set.input, set.labels); },
                            "looks at the images, too, and was given features alone");
  }
}

}  // namespace
}  // namespace cubcal::test
