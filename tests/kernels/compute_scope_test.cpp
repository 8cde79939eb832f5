#include "cubcal_nn/kernels/compute_scope.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/named_device.h"

namespace cubcal {
namespace {

struct Switches {
  int threads = at::get_num_threads();
  ConvolutionBackend convolution = convolution_backend();
  bool tf32_cudnn = at::globalContext().allowTF32CuDNN();
  bool tf32_cublas = at::globalContext().allowTF32CuBLAS();
  bool search = at::globalContext().benchmarkCuDNN();
};

void expect_equal(const Switches& a, const Switches& b) {
  EXPECT_EQ(a.threads, b.threads);
  EXPECT_EQ(a.convolution, b.convolution);
  EXPECT_EQ(a.tf32_cudnn, b.tf32_cudnn);
  EXPECT_EQ(a.tf32_cublas, b.tf32_cublas);
  EXPECT_EQ(a.search, b.search);
}

TEST(ComputeScope, SetsWhatIsGivenAndGivesItBack) {
  for (const bool before : {false, true}) {
    at::globalContext().setAllowTF32CuDNN(before);
    at::globalContext().setAllowTF32CuBLAS(before);
    at::globalContext().setBenchmarkCuDNN(before);
    const Switches found;
    ComputeSettings settings;
    settings.threads = found.threads + 1;
    settings.convolution = ConvolutionBackend::kPanels;
    settings.precision = before ? Precision::kFp32 : Precision::kTf32;
    settings.search_algorithms = !before;
    {
      const ComputeScope scope(settings);
      EXPECT_EQ(at::get_num_threads(), found.threads + 1);
      EXPECT_EQ(convolution_backend(), ConvolutionBackend::kPanels);
      EXPECT_EQ(at::globalContext().allowTF32CuDNN(), !before);
      EXPECT_EQ(at::globalContext().allowTF32CuBLAS(), !before);
      EXPECT_EQ(at::globalContext().benchmarkCuDNN(), !before);
    }
    expect_equal(Switches(), found);
  }
}

TEST(ComputeScope, LeavesAloneWhatIsNotGiven) {
  const Switches found;
  {
    const ComputeScope scope{ComputeSettings()};
    expect_equal(Switches(), found);
    at::globalContext().setBenchmarkCuDNN(!found.search);
  }
  EXPECT_EQ(at::globalContext().benchmarkCuDNN(), !found.search);
}

TEST(NamedDevice, RefusesWhatIsNoDevice) {
  EXPECT_TRUE(named_device("cpu").is_cpu());
  for (const char* name : {"", "tpu", "cuda:", "cuda:-1", "cuda:x", "mkldnn"}) {
    EXPECT_THROW(named_device(name), ArgumentError) << name;
  }
  EXPECT_THROW(named_device("cuda:99"), ArgumentError);
}

}  // namespace
}  // namespace cubcal
