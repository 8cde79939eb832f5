#include "cubcal_nn/batches/image_set.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::message_of;

at::Tensor longs(std::vector<std::int64_t> values) { return at::tensor(values, at::kLong); }

ImageSet sound_set() {
  ImageSet set;
  set.name = "s";
  set.class_names = {"a", "b"};
  set.splits.push_back(
      {"train", at::full({3, 1, 4, 4}, 1, at::kByte), longs({0, 1, 1}), longs({7, 7, 8}), false});
  set.splits.push_back(
      {"val", at::full({2, 1, 4, 4}, 2, at::kByte), longs({0, 1}), longs({9, 10}), false});
  set.splits.push_back({"ood", at::full({1, 1, 4, 4}, 3, at::kByte), longs({-1}), {}, true});
  return set;
}

TEST(ImageSet, FindsItsSplits) {
  const ImageSet set = sound_set();
  EXPECT_NO_THROW(check_image_set(set));
  EXPECT_TRUE(examine_image_set(set).empty());
  EXPECT_TRUE(set.has_split("val"));
  EXPECT_EQ(set.split("val").size(), 2);
  EXPECT_EQ(message_of<ArgumentError>([&] { set.split("test"); }),
            "'s' has no split 'test'; it has 'train', 'val', 'ood'");
  EXPECT_EQ(class_counts(set.split("train"), 2), (std::vector<std::int64_t>{1, 2}));
}

TEST(ImageSet, HashSeesImagesLabelsAndNames) {
  ImageSet set = sound_set();
  const std::string hash = content_hash(set);
  EXPECT_EQ(content_hash(set), hash);
  set.class_names[1] = "c";
  EXPECT_NE(content_hash(set), hash);
  set.class_names[1] = "b";
  set.splits[0].labels[2] = 0;
  EXPECT_NE(content_hash(set), hash);
  set.splits[0].labels[2] = 1;
  EXPECT_EQ(content_hash(set), hash);
  set.splits[0].images[2][0][3][3] += 1;
  EXPECT_NE(content_hash(set), hash);
}

TEST(ImageSet, ReportsAMissingClass) {
  ImageSet set = sound_set();
  set.splits[1].labels = longs({0, 0});
  const auto findings = examine_image_set(set);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, SetFinding::Kind::kMissingClass);
  EXPECT_EQ(findings[0].split, "val");
  EXPECT_EQ(findings[0].number, 1);
  EXPECT_EQ(findings[0].text, "split 'val' of 's' has no image of class 'b'");
}

TEST(ImageSet, ReportsGroupsThatCrossSplits) {
  ImageSet set = sound_set();
  set.splits[1].groups = longs({8, 7});
  const auto findings = examine_image_set(set);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, SetFinding::Kind::kSharedGroup);
  EXPECT_EQ(findings[0].number, 2);
  EXPECT_EQ(findings[0].text, "2 groups have images in both split 'train' and split 'val' of 's'");
}

TEST(ImageSet, ReportsImagesThatStandInTwoSplits) {
  ImageSet set = sound_set();
  set.splits[1].images[1].fill_(1);
  auto findings = examine_image_set(set);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, SetFinding::Kind::kSharedImage);
  EXPECT_TRUE(findings[0].is_leak);
  EXPECT_EQ(findings[0].text, "1 image is in both split 'train' and split 'val' of 's'");
  set.splits[1].images[1].fill_(3);
  findings = examine_image_set(set);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].other_split, "ood");
  EXPECT_FALSE(findings[0].is_leak);
}

TEST(ImageSet, RefusesWhatDoesNotFitTogether) {
  const auto complaint = [](auto change) {
    ImageSet set = sound_set();
    change(set);
    return message_of<DataError>([&] { check_image_set(set); });
  };
  EXPECT_EQ(complaint([](ImageSet& s) { s.class_names.pop_back(); }),
            "'s' has 1 classes; at least 2 are needed");
  EXPECT_EQ(complaint([](ImageSet& s) {
              s.splits[0].images = at::zeros({3, 1, 4, 4});
            }),
            "the images of split 'train' of 's' must be uint8 or 16-bit of shape [N, C, H, W]");
  EXPECT_EQ(
      complaint([](ImageSet& s) {
        s.splits[1].images = at::zeros({2, 1, 5, 4}, at::kByte);
      }),
      "the images of split 'val' of 's' differ in size or depth from those of split 'train' of "
      "'s'");
  EXPECT_EQ(complaint([](ImageSet& s) {
              s.splits[0].labels = longs({0, 1});
            }),
            "the labels of split 'train' of 's' must be int64 of shape [N], N = 3");
  EXPECT_EQ(complaint([](ImageSet& s) { s.splits[0].groups = longs({0}); }),
            "the groups of split 'train' of 's' must be int64 of shape [N], N = 3");
  EXPECT_EQ(complaint([](ImageSet& s) {
              s.splits[0].labels = longs({0, 2, 1});
            }),
            "label 2 of image 1 in split 'train' of 's' must be in 0..1");
  EXPECT_EQ(complaint([](ImageSet& s) { s.splits[2].labels = longs({0}); }),
            "label 0 of image 0 in split 'ood' of 's' must be -1 in a split of outliers");
}

}  // namespace
}  // namespace cubcal
