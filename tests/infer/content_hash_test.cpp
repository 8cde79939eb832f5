#include "cubcal/infer/content_hash.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

TEST(ContentHash, IsFnv1a) {
  EXPECT_EQ(content_hash(std::string()), "cbf29ce484222325");
  EXPECT_EQ(content_hash(std::string("a")), "af63dc4c8601ec8c");
  EXPECT_EQ(content_hash(std::string("foobar")), "85944171f73967e8");
}

TEST(ContentHash, TellsWhereTextsEnd) {
  ContentHash first, second;
  first.add(std::string("ab"));
  first.add(std::string("c"));
  second.add(std::string("a"));
  second.add(std::string("bc"));
  EXPECT_NE(first.text(), second.text());
}

TEST(ContentHash, OfASetSeesImagesLabelsAndNames) {
  ImageSet set;
  set.class_names = {"a", "b"};
  set.splits.push_back({"train", random_images(3), at::zeros({3}, at::kLong), {}, false});
  const std::string hash = content_hash(set);
  EXPECT_EQ(content_hash(set), hash);
  set.class_names[1] = "c";
  EXPECT_NE(content_hash(set), hash);
  set.class_names[1] = "b";
  set.splits[0].labels[2] = 1;
  EXPECT_NE(content_hash(set), hash);
  set.splits[0].labels[2] = 0;
  EXPECT_EQ(content_hash(set), hash);
  set.splits[0].images[2][0][15][15] += 1;
  EXPECT_NE(content_hash(set), hash);
}

}  // namespace
}  // namespace cubcal::test
