#include "cubcal/bayes/compute_backend.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

namespace cubcal {
namespace {

TEST(ConvolutionBackend, TheFasterPathIsSet) {
  const ConvolutionChoice choice = choose_convolution_backend();
  EXPECT_GT(choice.im2col_ms, 0);
  EXPECT_EQ(at::globalContext().userEnabledMkldnn(), choice.backend == ConvolutionBackend::kOneDnn);
  if (choice.backend == ConvolutionBackend::kIm2col && choice.onednn_ms > 0) {
    EXPECT_LT(choice.im2col_ms, choice.onednn_ms);
  }
  set_convolution_backend(ConvolutionBackend::kOneDnn);
  EXPECT_TRUE(at::globalContext().userEnabledMkldnn());
  set_convolution_backend(ConvolutionBackend::kIm2col);
  EXPECT_FALSE(at::globalContext().userEnabledMkldnn());
  EXPECT_STREQ(convolution_backend_name(ConvolutionBackend::kOneDnn), "onednn");
  EXPECT_STREQ(convolution_backend_name(ConvolutionBackend::kIm2col), "im2col");
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
