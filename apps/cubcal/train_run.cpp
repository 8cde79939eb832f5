#include "train_run.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <filesystem>
#include <iostream>

#include "compute_setup.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal/train/checkpoint.h"
#include "cubcal/train/training_run.h"
#include "interrupt.h"
#include "training_view.h"

namespace cubcal::app {

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

void run_recipe(const Recipe& recipe, const ImageSet& set, const std::string& folder,
                const std::string& indent, const std::string& resume_command) {
  const RunFolder run{folder};
  make_folders(folder);
  const FolderLock lock(folder);
  // A run that goes on keeps the recipe it was started with.
  refuse_link(run.recipe());
  if (!std::filesystem::exists(run.checkpoint())) write_file_atomically(run.recipe(), recipe.text);
  const InterruptWatch watch;
  TrainingView view(indent);
  const RunResult result = train(set, recipe.run, run, make_provenance(recipe, set), view);
  if (!result.finished) {
    throw Interrupted("stopped, and the run in '" + folder + "' is kept: go on with '" +
                      resume_command + "'");
  }
}

}  // namespace cubcal::app
