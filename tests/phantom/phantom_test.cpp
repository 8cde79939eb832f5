#include "cubcal_nn/phantom/phantom.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"

namespace cubcal {
namespace {

PhantomOptions small() {
  PhantomOptions options;
  options.train = 24;
  options.val = 8;
  options.test = 8;
  options.ood = 8;
  return options;
}

const PhantomSet& default_set() {
  static const PhantomSet phantom = make_phantom_set({});
  return phantom;
}

/// Within four standard errors of a share that a Bernoulli draw of n samples estimates.
void expect_share(std::size_t hits, std::size_t n, double share) {
  const double count = static_cast<double>(n);
  EXPECT_NEAR(static_cast<double>(hits) / count, share, 4 * std::sqrt(share * (1 - share) / count));
}

TEST(Phantom, HasTheSplitsOfAnImageSet) {
  const ImageSet& set = default_set().set;
  EXPECT_NO_THROW(check_image_set(set));
  EXPECT_EQ(set.split_names(), (std::vector<std::string>{"train", "val", "test", "ood"}));
  EXPECT_EQ(set.class_names,
            (std::vector<std::string>{"smooth", "irregular", "textured", "vascular"}));
  EXPECT_EQ(set.split("train").images.sizes(), (at::IntArrayRef{2000, 3, 32, 32}));
  EXPECT_EQ(set.split("ood").size(), 400);
  EXPECT_TRUE(set.split("ood").outliers);
  EXPECT_TRUE(examine_image_set(set).empty());
}

TEST(Phantom, EqualSeedsGiveEqualImagesOnAnyNumberOfThreads) {
  set_thread_count(1);
  const PhantomSet one = make_phantom_set(small());
  set_thread_count(3);
  const PhantomSet many = make_phantom_set(small());
  set_thread_count(0);
  for (std::size_t i = 0; i < one.set.splits.size(); ++i) {
    EXPECT_TRUE(at::equal(one.set.splits[i].images, many.set.splits[i].images));
    EXPECT_TRUE(at::equal(one.set.splits[i].labels, many.set.splits[i].labels));
  }
  PhantomOptions other = small();
  other.seed = 2;
  EXPECT_FALSE(
      at::equal(make_phantom_set(other).set.split("train").images, one.set.split("train").images));
}

TEST(Phantom, ASubsetIsTheFrontOfTheWhole) {
  const PhantomSet part = make_phantom_set(small());
  for (const ImageSplit& split : part.set.splits) {
    const ImageSplit& whole = default_set().set.split(split.name);
    EXPECT_TRUE(at::equal(split.images, whole.images.slice(0, 0, split.size())));
    EXPECT_TRUE(at::equal(split.labels, whole.labels.slice(0, 0, split.size())));
    EXPECT_TRUE(at::equal(split.groups, whole.groups.slice(0, 0, split.size())));
  }
  std::vector<std::uint8_t> pixels(3 * 32 * 32);
  const PhantomTruth truth = draw_phantom({}, PhantomSplit::kTest, 777, pixels);
  const ImageSplit& test = default_set().set.split("test");
  EXPECT_EQ(std::memcmp(pixels.data(), test.images[777].data_ptr<std::uint8_t>(), pixels.size()),
            0);
  EXPECT_EQ(truth.label, test.labels[777].item<std::int64_t>());
}

TEST(Phantom, ClassesComeInTheirShares) {
  const PhantomOptions options;
  std::vector<std::size_t> counts(kPhantomClasses, 0);
  std::size_t total = 0;
  for (std::size_t split = 0; split < 3; ++split) {
    for (const PhantomTruth& truth : default_set().truths[split]) {
      ++counts[static_cast<std::size_t>(truth.clean_label)];
      ++total;
    }
  }
  for (std::size_t k = 0; k < kPhantomClasses; ++k) {
    expect_share(counts[k], total, options.class_share[k]);
  }
}

TEST(Phantom, KnowsItsLabelNoise) {
  std::size_t noisy = 0, total = 0;
  for (std::size_t split = 0; split < 3; ++split) {
    for (const PhantomTruth& truth : default_set().truths[split]) {
      EXPECT_NE(truth.rival, truth.clean_label);
      EXPECT_EQ(truth.label, truth.noisy_label ? truth.rival : truth.clean_label);
      EXPECT_GE(truth.ambiguity, 0);
      EXPECT_LE(truth.ambiguity, 1);
      noisy += truth.noisy_label;
      ++total;
    }
  }
  expect_share(noisy, total, PhantomOptions{}.label_noise);
  PhantomOptions clean = small();
  clean.label_noise = 0;
  clean.ambiguity = 0;
  const PhantomSet phantom = make_phantom_set(clean);
  for (const PhantomTruth& truth : phantom.truths[0]) {
    EXPECT_FALSE(truth.noisy_label);
    EXPECT_EQ(truth.ambiguity, 0);
  }
}

TEST(Phantom, NoPatientIsInTwoSplits) {
  std::set<std::int64_t> seen;
  for (const auto& truths : default_set().truths) {
    std::set<std::int64_t> patients;
    for (const PhantomTruth& truth : truths) patients.insert(truth.patient);
    EXPECT_EQ(patients.size(), truths.size() / PhantomOptions{}.patient_images);
    for (const std::int64_t patient : patients) EXPECT_TRUE(seen.insert(patient).second);
  }
}

TEST(Phantom, APatientKeepsTheirSkin) {
  // The corners show skin: within a patient their mean varies less than between patients.
  const at::Tensor corners = default_set()
                                 .set.split("train")
                                 .images.slice(2, 0, 4)
                                 .slice(3, 0, 4)
                                 .to(at::kDouble)
                                 .mean({1, 2, 3})
                                 .reshape({-1, 4});
  const double within = corners.var(1, true).mean().item<double>();
  const double between = corners.mean(1).var(true).item<double>();
  EXPECT_LT(within, between);
}

TEST(Phantom, OutliersAreOfTwoKinds) {
  std::size_t streaks = 0;
  for (const PhantomTruth& truth : default_set().truths[3]) {
    EXPECT_EQ(truth.label, -1);
    EXPECT_EQ(truth.rival, -1);
    streaks += truth.clean_label == static_cast<std::int64_t>(PhantomOutlier::kStreak);
  }
  expect_share(streaks, default_set().truths[3].size(), 0.5);
}

TEST(Phantom, ClassesDifferInWhatTheyAreDrawnFor) {
  // Vascular lesions are redder than the others: red minus green in the middle of the image.
  const ImageSplit& train = default_set().set.split("train");
  const at::Tensor middle =
      train.images.slice(2, 8, 24).slice(3, 8, 24).to(at::kDouble).mean({2, 3});
  const at::Tensor redness = middle.select(1, 0) - middle.select(1, 1);
  const at::Tensor vascular = train.labels.eq(3);
  EXPECT_GT(redness.masked_select(vascular).mean().item<double>(),
            redness.masked_select(vascular.logical_not()).mean().item<double>() + 10);
}

TEST(Phantom, RefusesOptionsOutsideTheirDomain) {
  const auto complaint = [](auto change) {
    PhantomOptions options;
    change(options);
    try {
      make_phantom_set(options);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  EXPECT_EQ(complaint([](PhantomOptions& o) { o.image_size = 8; }),
            "the phantom image size must be in [16, 256], not 8");
  EXPECT_EQ(complaint([](PhantomOptions& o) { o.label_noise = 0.5; }),
            "the phantom label noise must be below 0.5, not 0.5");
  EXPECT_EQ(complaint([](PhantomOptions& o) {
              o.class_share = {0.5, 0.5, 0.5, 0};
            }),
            "the phantom class shares must sum to 1, not 1.5");
  EXPECT_EQ(complaint([](PhantomOptions& o) { o.ambiguity = 2; }),
            "the phantom ambiguity must be in [0, 1], not 2");
  EXPECT_EQ(complaint([](PhantomOptions& o) { o.patient_images = 0; }),
            "the number of phantom images per patient must be at least 1, not 0");
}

}  // namespace
}  // namespace cubcal
