#include "recipe_setup.h"

#include <ATen/Parallel.h>

#include "compute_setup.h"
#include "cubcal/core/parallel.h"
#include "cubcal/record/run_folder.h"
#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/train/checkpoint.h"

namespace cubcal::app {

void set_up_computing(const Recipe& recipe, bool threads_given, const std::string& run_folder,
                      std::ostream& out) {
  if (!threads_given) {
    const std::optional<CheckpointHead> head =
        read_checkpoint_head(RunFolder{run_folder}.checkpoint());
    set_thread_count(head ? static_cast<std::size_t>(head->compute.threads) : recipe.threads);
  }
  set_up_device(recipe.run.device, recipe.convolution, ConvolutionWork::kTraining);
  out << "computing on " << recipe.run.device << " with " << at::get_num_threads()
      << (at::get_num_threads() == 1 ? " thread" : " threads");
  if (recipe.run.device == "cpu") {
    out << ", convolutions by " << convolution_backend_name(convolution_backend());
  }
  out << '\n' << std::flush;
}

}  // namespace cubcal::app
