#include "cubcal_nn/experiment/train_run.h"

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal_nn/train/training_run.h"

namespace cubcal {

namespace {

/// The text the run was started with where only the place of its data differs: whether they are the
/// same data is seen by their hash.
std::string text_to_go_on_with(const Recipe& recipe, const std::string& path) {
  if (!std::filesystem::exists(path)) return recipe.text;
  const std::string started = read_recipe_text(path);
  return without_data_path(started) == without_data_path(recipe.text) ? started : recipe.text;
}

}  // namespace

void run_recipe(const Recipe& recipe, const ImageSet& set, const std::string& folder,
                const std::string& indent, const std::string& resume_command,
                WorkObserver& observer) {
  const RunFolder run{folder};
  make_folders(folder);
  const FolderLock lock(folder);
  refuse_link(run.recipe());
  refuse_link(run.log());
  // A run that goes on keeps the recipe it was started with.
  Recipe kept = recipe;
  if (std::filesystem::exists(run.checkpoint())) {
    kept.text = text_to_go_on_with(recipe, run.recipe());
  } else {
    write_file_atomically(run.recipe(), recipe.text);
  }
  const std::unique_ptr<TrainObserver> follower = observer.follow_training(recipe, run, indent);
  const RunResult result = train(set, recipe.run, run, make_provenance(kept, set), *follower);
  if (!result.finished) {
    throw Interrupted("stopped, and the run in '" + folder + "' is kept: go on with '" +
                      resume_command + "'");
  }
}

}  // namespace cubcal
