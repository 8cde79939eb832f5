#include "cubcal_nn/kernels/compute_backend.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

constexpr ConvolutionBackend kAll[] = {ConvolutionBackend::kOneDnn, ConvolutionBackend::kIm2col,
                                       ConvolutionBackend::kPanels};

TEST(ConvolutionBackend, TheUsualOneIsTheSameEachTime) {
  set_convolution_backend(ConvolutionBackend::kIm2col);
  EXPECT_EQ(usual_convolution_backend(ConvolutionWork::kPrediction), ConvolutionBackend::kPanels);
#ifdef __x86_64__
  const bool by_onednn = at::hasMKLDNN();
#else
  const bool by_onednn = false;
#endif
  EXPECT_EQ(usual_convolution_backend(ConvolutionWork::kTraining),
            by_onednn ? ConvolutionBackend::kOneDnn : ConvolutionBackend::kPanels);
  EXPECT_EQ(convolution_backend(), ConvolutionBackend::kIm2col) << "nothing is set";
}

TEST(ConvolutionBackend, IsWhatWasSet) {
  for (const ConvolutionBackend backend : kAll) {
    set_convolution_backend(backend);
    EXPECT_EQ(convolution_backend(), backend);
#ifdef __x86_64__
    const bool others_by_onednn = backend == ConvolutionBackend::kPanels;
#else
    const bool others_by_onednn = false;
#endif
    EXPECT_EQ(at::globalContext().userEnabledMkldnn(),
              backend == ConvolutionBackend::kOneDnn || others_by_onednn);
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
