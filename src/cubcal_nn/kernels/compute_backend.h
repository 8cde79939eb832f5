#pragma once

#include <string>

/// Two traps of LibTorch on the CPU, found at start-up: a slow convolution path and a BLAS that is
/// slow or wrong. Nothing here prints; the application shows the findings.
namespace cubcal {

/// How convolutions are done on the CPU: by LibTorch with oneDNN, by LibTorch with im2col and BLAS,
/// or by the panels of fast_conv_cpu.h (what those do not take goes by LibTorch: on x86-64 with
/// oneDNN, elsewhere without).
enum class ConvolutionBackend { kOneDnn, kIm2col, kPanels };
enum class ConvolutionWork { kPrediction, kTraining };

/// What "auto" means. Panels in prediction: an image has the same bits alone and among others,
/// which oneDNN and BLAS do not promise. In training the quicker of those measured
/// (docs/performance.md): oneDNN on x86-64, where LibTorch has it, and elsewhere panels too. So it
/// is the same each time.
ConvolutionBackend usual_convolution_backend(ConvolutionWork work);
void set_convolution_backend(ConvolutionBackend backend);
/// The one set last; before that, what LibTorch does by itself.
ConvolutionBackend convolution_backend();
/// "onednn", "im2col" or "panels".
const char* convolution_backend_name(ConvolutionBackend backend);
/// Throws ArgumentError for any other name.
ConvolutionBackend parse_convolution_backend(const std::string& name);

enum class BlasFlavour { kOpenMp, kPthread, kSerial, kNotOpenBlas };

struct BlasFinding {
  BlasFlavour flavour = BlasFlavour::kNotOpenBlas;
  bool trustworthy = true;  ///< false: results can be wrong with more than one thread
  std::string advice;       ///< one sentence, empty where nothing is to be done
};

/// Asks the loaded OpenBLAS how it was built; where there is none, times a small matrix product to
/// tell a fast BLAS (MKL, Accelerate) from the reference one.
BlasFinding check_blas();

}  // namespace cubcal
