#include "compute_setup.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <iostream>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"

namespace cubcal::app {

void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "Where the network runs: cpu or cuda")
      ->capture_default_str()
      ->check(CLI::IsMember({"cpu", "cuda"}));
}

void add_precision_option(CLI::App& command, std::string& precision) {
  command
      .add_option("--precision", precision,
                  "Numbers a GPU computes in: fp32, tf32, bf16, or auto (bf16; a CPU: fp32)")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "fp32", "tf32", "bf16"}));
}

c10::Device set_up_device(const std::string& device) {
  at::set_num_threads(static_cast<int>(thread_count()));
  if (device == "cuda") {
    if (!at::globalContext().hasCUDA()) {
      throw ArgumentError("--device cuda needs a CUDA device and a LibTorch built for CUDA");
    }
    return c10::Device(c10::DeviceType::CUDA, 0);
  }
  const BlasFinding blas = check_blas();
  if (!blas.advice.empty()) std::cerr << "cubcal: " << blas.advice << '\n';
  choose_convolution_backend();
  return c10::Device(c10::DeviceType::CPU);
}

}  // namespace cubcal::app
