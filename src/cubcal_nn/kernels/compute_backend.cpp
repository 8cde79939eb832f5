#include "cubcal_nn/kernels/compute_backend.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <utility>

#include "cubcal/core/named_values.h"
#include "cubcal_nn/kernels/fast_conv_cpu.h"

namespace cubcal {

namespace {

constexpr NamedValue<ConvolutionBackend> kBackends[] = {{"onednn", ConvolutionBackend::kOneDnn},
                                                        {"im2col", ConvolutionBackend::kIm2col},
                                                        {"panels", ConvolutionBackend::kPanels}};

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

/// What is set beyond LibTorch's own switch between oneDNN and im2col.
std::atomic<bool> panels_set{false};

at::Tensor convolve(ConvolutionBackend backend, const at::Tensor& images,
                    const at::Tensor& weight) {
  if (backend != ConvolutionBackend::kPanels) return at::conv2d(images, weight, {}, 1, 1);
  FastConvOptions options;
  options.padding = 1;
  options.winograd = true;  // as in training
  return fast_conv2d_training(images, weight, {}, options);
}

double convolution_ms(ConvolutionBackend backend) {
  set_convolution_backend(backend);
  const c10::AutoGradMode with_gradient(true);
  constexpr int kImages = 8;
  double total = 0;
  // An early layer with much area and few channels, and a late one.
  for (const auto& [channels, size] : {std::pair{64, 8}, std::pair{256, 4}}) {
    const at::Tensor images = at::ones({kImages, channels, size, size}).set_requires_grad(true);
    const at::Tensor weight = at::ones({channels, channels, 3, 3}).set_requires_grad(true);
    const at::Tensor gradient = at::ones({kImages, channels, size, size});
    const auto step = [&] {
      torch::autograd::backward({convolve(backend, images, weight)}, {gradient});
    };
    step();  // the first call sets up threads and code
    total += fastest_ms(3, step);
  }
  return total;
}

}  // namespace

void set_convolution_backend(ConvolutionBackend backend) {
  panels_set = backend == ConvolutionBackend::kPanels;
  at::globalContext().setUserEnabledMkldnn(backend == ConvolutionBackend::kOneDnn);
}

ConvolutionBackend convolution_backend() {
  if (panels_set) return ConvolutionBackend::kPanels;
  return at::globalContext().userEnabledMkldnn() ? ConvolutionBackend::kOneDnn
                                                 : ConvolutionBackend::kIm2col;
}

ConvolutionChoice fastest_convolution_backend() {
  constexpr double kMargin = 0.75;
  ConvolutionChoice choice;
  const ConvolutionBackend before = convolution_backend();
  choice.im2col_ms = convolution_ms(ConvolutionBackend::kIm2col);
  double fastest = choice.im2col_ms;
  if (at::hasMKLDNN()) {
    choice.onednn_ms = convolution_ms(ConvolutionBackend::kOneDnn);
    if (choice.im2col_ms > kMargin * choice.onednn_ms) {
      choice.backend = ConvolutionBackend::kOneDnn;
      fastest = choice.onednn_ms;
    }
  }
  choice.panels_ms = convolution_ms(ConvolutionBackend::kPanels);
  if (fastest > kMargin * choice.panels_ms) choice.backend = ConvolutionBackend::kPanels;
  set_convolution_backend(before);
  return choice;
}

const char* convolution_backend_name(ConvolutionBackend backend) {
  return name_of(kBackends, backend);
}

ConvolutionBackend parse_convolution_backend(const std::string& name) {
  return value_named(kBackends, name, "the convolution path");
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
