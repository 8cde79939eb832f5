#pragma once

#include <c10/core/Device.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cubcal_nn/kernels/compute_backend.h"

/// What every command that runs a network does first.
namespace cubcal::app {

/// Adds --device cpu|cuda.
void add_device_option(CLI::App& command, std::string& device);

/// Adds --precision auto|fp32|tf32|bf16, of a GPU.
void add_precision_option(CLI::App& command, std::string& precision);

/// Adds --convolution auto|panels|im2col|onednn, of a CPU.
void add_convolution_option(CLI::App& command, std::string& convolution);

/// Prints to stderr what is wrong with the BLAS, if anything.
void advise_on_blas();

/// Has a CPU compute convolutions as asked for, or for "auto" in the usual way of such work.
void set_up_convolution(const std::string& convolution, ConvolutionWork work);

/// Readies the process for `device`: gives LibTorch the threads of --threads, sets up convolutions,
/// and prints to stderr what is wrong with the BLAS, if anything. Throws ArgumentError for a device
/// this machine or build does not have.
c10::Device set_up_device(const std::string& device, const std::string& convolution = "auto",
                          ConvolutionWork work = ConvolutionWork::kPrediction);

}  // namespace cubcal::app
