#pragma once

#include <string>

/// Two traps of LibTorch on the CPU, found at start-up: a slow convolution path and a BLAS that is
/// slow or wrong. Nothing here prints; the application shows the findings.
namespace cubcal {

/// How convolutions are done on the CPU: by LibTorch with oneDNN, by LibTorch with im2col and BLAS,
/// or by the panels of fast_conv_cpu.h (what those do not take goes by im2col).
enum class ConvolutionBackend { kOneDnn, kIm2col, kPanels };

struct ConvolutionChoice {
  ConvolutionBackend backend = ConvolutionBackend::kIm2col;
  double onednn_ms = 0;  ///< forward and backward of two small cases; 0 where oneDNN is absent
  double im2col_ms = 0;
  double panels_ms = 0;
};

/// Measures the paths on two small convolutions (some tens of milliseconds), and leaves set what
/// was set before. im2col must win by a quarter to replace oneDNN, and either by a quarter to
/// replace panels, so that a near tie is always decided alike; a run that must repeat bit by bit
/// records the choice and sets it again.
ConvolutionChoice fastest_convolution_backend();
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
