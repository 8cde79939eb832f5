#include "cubcal_nn/experiment/train_run.h"

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal_nn/train/training_run.h"

namespace cubcal {

void run_recipe(const Recipe& recipe, const ImageSet& set, const std::string& folder,
                const std::string& indent, const std::string& resume_command,
                WorkObserver& observer) {
  const RunFolder run{folder};
  make_folders(folder);
  const FolderLock lock(folder);
  refuse_link(run.recipe());
  // A run that goes on keeps the recipe it was started with.
  if (!std::filesystem::exists(run.checkpoint())) write_file_atomically(run.recipe(), recipe.text);
  const std::unique_ptr<TrainObserver> follower = observer.follow_training(recipe, indent);
  const RunResult result = train(set, recipe.run, run, make_provenance(recipe, set), *follower);
  if (!result.finished) {
    throw Interrupted("stopped, and the run in '" + folder + "' is kept: go on with '" +
                      resume_command + "'");
  }
}

}  // namespace cubcal
