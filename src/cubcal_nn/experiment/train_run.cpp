#include "cubcal_nn/experiment/train_run.h"

#include <filesystem>
#include <optional>

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

/// Ranks that train on other images, or by another recipe, would end with a network of neither.
void check_alike(const Recipe& recipe, const Provenance& provenance, const RankSplit& split) {
  if (split.group == nullptr) return;
  const std::string mine = without_data_path(recipe.text) + provenance.data_hash;
  const bool differs = split.group->text_of_first(mine) != mine;
  if (!split.group->any(differs)) return;
  throw DataError(differs ? "rank " + std::to_string(split.rank()) +
                                " reads another recipe or other images than rank 0"
                          : "another rank reads another recipe or other images than rank 0");
}

/// A run that goes on keeps the recipe it was started with.
std::string kept_text(const Recipe& recipe, const RunFolder& run) {
  if (std::filesystem::exists(run.checkpoint())) return text_to_go_on_with(recipe, run.recipe());
  write_file_atomically(run.recipe(), recipe.text);
  return recipe.text;
}

}  // namespace

void run_recipe(const Recipe& recipe, const ImageSet& set, const std::string& folder,
                const std::string& indent, const std::string& resume_command,
                WorkObserver& observer, const RankSplit& split) {
  const RunFolder run{folder};
  check_alike(recipe, make_provenance(recipe, set), split);
  Recipe kept = recipe;
  std::optional<FolderLock> lock;
  if (split.is_first()) {
    make_folders(folder);
    lock.emplace(folder);
    refuse_link(run.recipe());
    refuse_link(run.log());
    kept.text = kept_text(recipe, run);
  }
  const std::unique_ptr<TrainObserver> follower = observer.follow_training(recipe, run, indent);
  try {
    const RunResult result =
        train(set, recipe.run, run, make_provenance(kept, set), *follower, split);
    if (!result.finished) {
      throw Interrupted("stopped, and the run in '" + folder + "' is kept: go on with '" +
                        resume_command + "'");
    }
  } catch (const std::exception& error) {
    follower->run_ended(error);
    throw;
  }
}

}  // namespace cubcal
