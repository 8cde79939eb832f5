#include "cubcal/bayes/compute_backend.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace cubcal {

namespace {

template <class Work>
double fastest_ms(int repeats, const Work& work) {
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, taken.count());
  }
  return fastest;
}

double convolution_ms(ConvolutionBackend backend) {
  set_convolution_backend(backend);
  const c10::AutoGradMode with_gradient(true);
  at::Tensor images = at::ones({4, 32, 16, 16}).set_requires_grad(true);
  at::Tensor weight = at::ones({32, 32, 3, 3}).set_requires_grad(true);
  const at::Tensor gradient = at::ones({4, 32, 16, 16});
  const auto step = [&] {
    torch::autograd::backward({at::conv2d(images, weight, {}, 1, 1)}, {gradient});
  };
  step();  // the first call sets up threads and code
  return fastest_ms(5, step);
}

}  // namespace

void set_convolution_backend(ConvolutionBackend backend) {
  at::globalContext().setUserEnabledMkldnn(backend == ConvolutionBackend::kOneDnn);
}

ConvolutionChoice choose_convolution_backend() {
  ConvolutionChoice choice;
  choice.im2col_ms = convolution_ms(ConvolutionBackend::kIm2col);
  if (at::hasMKLDNN()) {
    choice.onednn_ms = convolution_ms(ConvolutionBackend::kOneDnn);
    if (choice.im2col_ms > 0.75 * choice.onednn_ms) choice.backend = ConvolutionBackend::kOneDnn;
  }
  set_convolution_backend(choice.backend);
  return choice;
}

const char* convolution_backend_name(ConvolutionBackend backend) {
  return backend == ConvolutionBackend::kOneDnn ? "onednn" : "im2col";
}

BlasFinding check_blas() {
  BlasFinding finding;
  void* symbol = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
  if (symbol == nullptr) {
    const at::Tensor a = at::ones({256, 256});
    const double ms = fastest_ms(3, [&] { at::mm(a, a); });
    // 33.5 million operations: the reference BLAS needs 10 ms and more, any tuned one below 4.
    if (ms > 6.0) {
      finding.advice = "the BLAS in use is slow (a 256 x 256 product takes " + std::to_string(ms) +
                       " ms): install libopenblas0-openmp and select it with update-alternatives";
    }
    return finding;
  }
  const int parallel = reinterpret_cast<int (*)()>(symbol)();
  switch (parallel) {
    case 2: finding.flavour = BlasFlavour::kOpenMp; break;
    case 1:
      finding.flavour = BlasFlavour::kPthread;
      finding.advice =
          "OpenBLAS is the pthread build, which ignores the thread setting and is slower here: "
          "install libopenblas0-openmp";
      break;
    default:
      finding.flavour = BlasFlavour::kSerial;
      finding.trustworthy = false;
      finding.advice =
          "OpenBLAS is the serial build, which corrupts results with more than one thread: install "
          "libopenblas0-openmp, or use one thread";
  }
  return finding;
}

}  // namespace cubcal
