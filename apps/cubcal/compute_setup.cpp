#include "compute_setup.h"

#include <ATen/Parallel.h>

#include <iostream>

#include "cubcal/core/parallel.h"
#include "cubcal/record/run_folder.h"
#include "cubcal_nn/kernels/named_device.h"
#include "cubcal_nn/train/checkpoint.h"

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

void advise_on_blas() {
  const BlasFinding blas = check_blas();
  if (!blas.advice.empty()) std::cerr << "cubcal: " << blas.advice << '\n';
}

c10::Device set_up_device(const std::string& device) {
  at::set_num_threads(static_cast<int>(thread_count()));
  if (device != "cpu") return named_device(device);
  advise_on_blas();
  choose_convolution_backend();
  return c10::Device(c10::DeviceType::CPU);
}

void set_up_computing(const Recipe& recipe, bool threads_given, const std::string& run_folder) {
  if (!threads_given) {
    const std::optional<CheckpointHead> head =
        read_checkpoint_head(RunFolder{run_folder}.checkpoint());
    set_thread_count(head ? static_cast<std::size_t>(head->compute.threads) : recipe.threads);
  }
  set_up_device(recipe.run.device);
  if (recipe.convolution != "auto") {
    set_convolution_backend(parse_convolution_backend(recipe.convolution));
  }
  std::cout << "computing on " << recipe.run.device << " with " << at::get_num_threads()
            << (at::get_num_threads() == 1 ? " thread" : " threads");
  if (recipe.run.device == "cpu") {
    std::cout << ", convolutions by " << convolution_backend_name(convolution_backend())
              << (recipe.convolution == "auto" ? " (measured)" : " (as the recipe says)");
  }
  std::cout << '\n' << std::flush;
}

}  // namespace cubcal::app
