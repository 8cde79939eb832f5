#pragma once

#include <string>

/// Two traps of LibTorch on the CPU, found at start-up: a slow convolution path and a BLAS that is
/// slow or wrong. Nothing here prints; the application shows the findings.
namespace cubcal {

enum class ConvolutionBackend { kOneDnn, kIm2col };

struct ConvolutionChoice {
  ConvolutionBackend backend = ConvolutionBackend::kIm2col;
  double onednn_ms = 0;  ///< forward and backward of the small case; 0 where oneDNN is absent
  double im2col_ms = 0;
};

/// Measures both paths on a small convolution (some milliseconds) and sets the faster for the
/// process. im2col + BLAS must win by a quarter to replace oneDNN, so that a near tie is always
/// decided alike; a run that must repeat bit by bit records the choice and sets it again.
ConvolutionChoice choose_convolution_backend();
void set_convolution_backend(ConvolutionBackend backend);
/// "onednn" or "im2col".
const char* convolution_backend_name(ConvolutionBackend backend);

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
