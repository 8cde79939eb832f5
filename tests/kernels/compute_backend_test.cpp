#include "cubcal_nn/kernels/compute_backend.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

constexpr ConvolutionBackend kAll[] = {ConvolutionBackend::kOneDnn, ConvolutionBackend::kIm2col,
                                       ConvolutionBackend::kPanels};

TEST(ConvolutionBackend, AClearlyFasterPathIsFoundAndNothingSet) {
  set_convolution_backend(ConvolutionBackend::kOneDnn);
  const ConvolutionChoice choice = fastest_convolution_backend();
  EXPECT_GT(choice.im2col_ms, 0);
  EXPECT_GT(choice.panels_ms, 0);
  EXPECT_EQ(convolution_backend(), ConvolutionBackend::kOneDnn);
  if (choice.backend == ConvolutionBackend::kIm2col && choice.onednn_ms > 0) {
    EXPECT_LT(choice.im2col_ms, choice.onednn_ms);
  }
  // A path that is there stays unless the next one wins by a quarter.
  const bool onednn_stays = choice.onednn_ms > 0 && choice.im2col_ms > 0.75 * choice.onednn_ms;
  const double others = onednn_stays ? choice.onednn_ms : choice.im2col_ms;
  EXPECT_EQ(choice.backend == ConvolutionBackend::kPanels, others > 0.75 * choice.panels_ms);
}

TEST(ConvolutionBackend, IsWhatWasSet) {
  for (const ConvolutionBackend backend : kAll) {
    set_convolution_backend(backend);
    EXPECT_EQ(convolution_backend(), backend);
    EXPECT_EQ(at::globalContext().userEnabledMkldnn(), backend == ConvolutionBackend::kOneDnn);
  }
}

TEST(ConvolutionBackend, HasAName) {
  EXPECT_STREQ(convolution_backend_name(ConvolutionBackend::kOneDnn), "onednn");
  EXPECT_STREQ(convolution_backend_name(ConvolutionBackend::kIm2col), "im2col");
  EXPECT_STREQ(convolution_backend_name(ConvolutionBackend::kPanels), "panels");
  for (const ConvolutionBackend backend : kAll) {
    EXPECT_EQ(parse_convolution_backend(convolution_backend_name(backend)), backend);
  }
  EXPECT_THROW(parse_convolution_backend("cudnn"), ArgumentError);
}

TEST(Blas, AnUntrustworthyOneComesWithAdvice) {
  const BlasFinding finding = check_blas();
  if (!finding.trustworthy) {
    EXPECT_EQ(finding.flavour, BlasFlavour::kSerial);
    EXPECT_NE(finding.advice.find("libopenblas0-openmp"), std::string::npos);
  }
  if (finding.flavour == BlasFlavour::kOpenMp) {
    EXPECT_TRUE(finding.advice.empty());
  }
}

}  // namespace
}  // namespace cubcal
