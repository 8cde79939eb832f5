#include "cubcal_nn/batches/preprocessing.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal_nn/batches/levels.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::message_of;

at::Tensor images() {
  return at::arange(5 * 3 * 4 * 6, at::kLong)
      .mul(37)
      .remainder(251)
      .to(at::kByte)
      .reshape({5, 3, 4, 6});
}

TEST(Preprocessing, MakesChannelsStandard) {
  const Preprocessing fitted = fit_preprocessing(images());
  EXPECT_EQ(fitted.height, 4);
  EXPECT_EQ(fitted.width, 6);
  const at::Tensor result = preprocess(images(), fitted);
  EXPECT_EQ(result.scalar_type(), at::kFloat);
  for (std::int64_t c = 0; c < 3; ++c) {
    const at::Tensor channel = result.select(1, c).to(at::kDouble);
    EXPECT_NEAR(channel.mean().item<double>(), 0, 1e-6);
    EXPECT_NEAR(channel.std(false).item<double>(), 1, 1e-6);
  }
}

TEST(Preprocessing, DoesNotDependOnTheBatch) {
  const Preprocessing fitted = fit_preprocessing(images());
  const at::Tensor all = preprocess(images(), fitted);
  EXPECT_TRUE(at::equal(preprocess(images().slice(0, 2, 3), fitted), all.slice(0, 2, 3)));
}

TEST(Preprocessing, AConstantChannelStaysFinite) {
  const at::Tensor flat = at::full({2, 1, 3, 3}, 51, at::kByte);
  const Preprocessing fitted = fit_preprocessing(flat);
  EXPECT_NEAR(fitted.mean[0], 0.2, 1e-12);
  EXPECT_EQ(fitted.standard_deviation[0], 1);
  EXPECT_NEAR(preprocess(flat, fitted).abs().max().item<double>(), 0, 1e-6);
}

TEST(Preprocessing, SurvivesJson) {
  const Preprocessing fitted = fit_preprocessing(images());
  const Preprocessing back =
      preprocessing_from_json(nlohmann::ordered_json::parse(to_json(fitted).dump()));
  EXPECT_EQ(back.height, fitted.height);
  EXPECT_EQ(back.width, fitted.width);
  EXPECT_EQ(back.stored_height, fitted.stored_height);
  EXPECT_EQ(back.fit, fitted.fit);
  EXPECT_EQ(back.mean, fitted.mean);
  EXPECT_EQ(back.standard_deviation, fitted.standard_deviation);
}

TEST(Preprocessing, TheNetworkSeesTheMiddle) {
  const Preprocessing fitted = fit_preprocessing(images(), 2, 4);
  EXPECT_EQ(fitted.height, 2);
  EXPECT_EQ(fitted.stored_height, 4);
  const at::Tensor middle = images().slice(2, 1, 3).slice(3, 1, 5);
  EXPECT_EQ(fitted.mean, fit_preprocessing(middle).mean) << "only what is seen counts";
  EXPECT_TRUE(at::equal(preprocess(images(), fitted),
                        standardise(images(), fitted).slice(2, 1, 3).slice(3, 1, 5)));
  EXPECT_THROW(fit_preprocessing(images(), 8, 8), DataError);
}

TEST(Preprocessing, SixteenBitsStaySixteenUntilHere) {
  const at::Tensor deep =
      float_as_levels(at::tensor({0.F, 1000.F, 40000.F, 65535.F}), 65535).view({1, 1, 2, 2});
  EXPECT_EQ(levels_as_float(deep).flatten()[2].item<float>(), 40000.F);
  const Preprocessing fitted = fit_preprocessing(deep);
  EXPECT_EQ(fitted.largest_level, 65535);
  EXPECT_NEAR(fitted.mean[0], (1000 + 40000 + 65535) / 4.0 / 65535, 1e-12);
  const at::Tensor result = preprocess(deep, fitted);
  EXPECT_NEAR(result.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR((result[0][0][0][1] - result[0][0][0][0]).item<double>(),
              1000.0 / 65535 / fitted.standard_deviation[0], 1e-6);
  EXPECT_EQ(message_of<DataError>([&] {
              preprocess(at::zeros({1, 1, 2, 2}, at::kByte), fitted);
            }),
            "images of levels up to 255 do not fit the preprocessing, which was fitted on levels "
            "up to 65535");
}

TEST(Preprocessing, ReadsWhatTheFirstVersionWrote) {
  const Preprocessing old = preprocessing_from_json(
      {{"height", 4}, {"width", 6}, {"mean", {0.5}}, {"standard_deviation", {0.25}}});
  EXPECT_EQ(old.image_height(), 4);
  EXPECT_EQ(old.largest_level, 255);
  EXPECT_EQ(old.fit, ImageFit::kStretch);
}

TEST(Preprocessing, RefusesWhatDoesNotFit) {
  const Preprocessing fitted = fit_preprocessing(images());
  EXPECT_EQ(message_of<DataError>([&] {
              preprocess(at::zeros({1, 1, 4, 6}, at::kByte), fitted);
            }),
            "images of 1 x 4 x 6 do not fit the preprocessing, which was fitted on images of "
            "3 x 4 x 6");
  EXPECT_EQ(message_of<DataError>([&] {
              preprocess(at::zeros({1, 3, 4, 6}), fitted);
            }),
            "images to be preprocessed must be uint8 or 16-bit of shape [N, C, H, W]");
  EXPECT_THROW(fit_preprocessing(at::zeros({0, 3, 4, 6}, at::kByte)), DataError);
  nlohmann::ordered_json object = to_json(fitted);
  object["standard_deviation"][0] = 0;
  EXPECT_THROW(preprocessing_from_json(object), DataError);
  object.erase("mean");
  EXPECT_EQ(message_of<DataError>([&] { preprocessing_from_json(object); }),
            "a preprocessing needs the field 'mean'");
  const auto with_width = [&](const char* width) {
    object["width"] = nlohmann::ordered_json::parse(width);
    return message_of<DataError>([&] { preprocessing_from_json(object); });
  };
  const std::string start = "the preprocessing's field 'width' must be a whole number";
  EXPECT_EQ(with_width("32333333333333333333"), start + ", not number 3.233333333333333e+19");
  EXPECT_EQ(with_width("18446744073709551615"),
            start + " below 2^63, not number 18446744073709551615");
  EXPECT_EQ(with_width("4.5"), start + ", not number 4.5");
}

}  // namespace
}  // namespace cubcal
