#include "cubcal/core/nearest_name.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

const std::vector<std::string> kNames = {"densenet121", "resnet18", "resnet34", "resnet50",
                                         "vit-s16"};

TEST(NearestName, IsTheOneOfTheFewestEdits) {
  EXPECT_EQ(nearest_name("resnet35", kNames), "resnet34");
  EXPECT_EQ(nearest_name("resnet18", kNames), "resnet18");
  EXPECT_EQ(nearest_name("unet", kNames), "") << "more than half of it would have to change";
  EXPECT_EQ(nearest_name("resnet", {}), "");
}

TEST(NearestName, SeveralComeNearestFirst) {
  EXPECT_EQ(nearest_names("resnet35", kNames, 2),
            (std::vector<std::string>{"resnet34", "resnet18"}))
      << "of those that are equally near, the first of the list";
  EXPECT_EQ(nearest_names("resnet35", kNames, 9).size(), 3U) << "others are too far";
  EXPECT_TRUE(nearest_names("resnet35", kNames, 0).empty());
}

}  // namespace
}  // namespace cubcal
