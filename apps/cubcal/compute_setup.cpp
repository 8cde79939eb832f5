#include "compute_setup.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <iostream>

#include "cubcal/core/parallel.h"
#include "cubcal_nn/kernels/named_device.h"
#include "cubcal_nn/kernels/use_threads.h"

namespace cubcal::app {

namespace {

/// A training step frees what the next one asks for again. By itself glibc gives blocks back to the
/// system and takes them anew, a fault for each page: here it keeps an
/// eighth of the memory, at most 2 GB.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int largest_from_heap = 32 << 20;  // no larger number is taken
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return;
  ::mallopt(M_MMAP_THRESHOLD, largest_from_heap);
  ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(std::min<long>(pages / 8 * page, INT_MAX)));
#endif
}

}  // namespace

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

void add_convolution_option(CLI::App& command, std::string& convolution) {
  command
      .add_option("--convolution", convolution,
                  "How a CPU computes convolutions: panels, im2col, onednn, or auto (panels; "
                  "training on x86-64: onednn)")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "panels", "im2col", "onednn"}));
}

void advise_on_blas() {
  const BlasFinding blas = check_blas();
  if (!blas.advice.empty()) std::cerr << "cubcal: " << blas.advice << '\n';
}

void set_up_convolution(const std::string& convolution, ConvolutionWork work) {
  set_convolution_backend(convolution == "auto" ? usual_convolution_backend(work)
                                                : parse_convolution_backend(convolution));
}

c10::Device set_up_device(const std::string& device, const std::string& convolution,
                          ConvolutionWork work) {
  use_threads(static_cast<int>(thread_count()));
  if (device != "cpu") return named_device(device);
  advise_on_blas();
  set_up_convolution(convolution, work);
  if (work == ConvolutionWork::kTraining) keep_freed_memory();
  return c10::Device(c10::DeviceType::CPU);
}

}  // namespace cubcal::app
