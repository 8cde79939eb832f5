#include "cubcal_nn/kernels/compute_backend.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "cubcal/core/named_values.h"

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

#ifdef __x86_64__
constexpr bool kIsX86 = true;
#else
constexpr bool kIsX86 = false;
#endif

}  // namespace

ConvolutionBackend usual_convolution_backend(ConvolutionWork work) {
  const bool by_onednn = work == ConvolutionWork::kTraining && kIsX86 && at::hasMKLDNN();
  return by_onednn ? ConvolutionBackend::kOneDnn : ConvolutionBackend::kPanels;
}

void set_convolution_backend(ConvolutionBackend backend) {
  panels_set = backend == ConvolutionBackend::kPanels;
  at::globalContext().setUserEnabledMkldnn(backend == ConvolutionBackend::kOneDnn ||
                                           (panels_set && kIsX86));
}

ConvolutionBackend convolution_backend() {
  if (panels_set) return ConvolutionBackend::kPanels;
  return at::globalContext().userEnabledMkldnn() ? ConvolutionBackend::kOneDnn
                                                 : ConvolutionBackend::kIm2col;
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
