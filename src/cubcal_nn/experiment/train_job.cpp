#include "cubcal_nn/experiment/train_job.h"

#include <filesystem>
#include <optional>

#include "cubcal/core/error.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal_nn/experiment/train_run.h"
#include "cubcal_nn/train/training_run.h"

namespace cubcal {

namespace {

Recipe recipe_of_job(const TrainJob& job) {
  std::string path = job.recipe;
  if (path.empty()) {
    if (!job.resume || job.folder.empty()) {
      throw ArgumentError(
          "a training needs a RECIPE, or the option 'resume' and the option 'out' to go on with a "
          "run");
    }
    path = RunFolder{job.folder}.recipe();
  }
  std::vector<std::string> overrides = job.overrides;
  if (!job.data.empty()) {
    overrides.push_back(text_override("data.kind", "path"));
    overrides.push_back(text_override("data.path", job.data));
  }
  return load_recipe(path, overrides);
}

void remove_run(const RunFolder& run) {
  for (const std::string& path : {run.checkpoint(), run.metrics(), run.log(), run.events(),
                                  run.record(), run.best(), run.last(), run.path + "/stage1"}) {
    std::filesystem::remove_all(path);
  }
}

/// That the run was started with, which need not be those of the recipe that is given now.
std::size_t stages_of(const RunFolder& run, const Recipe& recipe) {
  const bool has_own = std::filesystem::exists(run.recipe());
  return (has_own ? load_recipe(run.recipe()) : recipe).run.stages.size();
}

bool has_work(const RunFolder& run, const Recipe& recipe, const TrainJob& job) {
  if (job.force) return true;
  switch (run_status(run, stages_of(run, recipe))) {
    case RunStatus::kEmpty: break;
    case RunStatus::kFinished:
      if (job.resume) return false;
      throw ArgumentError("'" + run.path +
                          "' holds a finished run: the option 'force' replaces it");
    case RunStatus::kUnfinished:
      if (job.resume) return true;
      throw ArgumentError("'" + run.path +
                          "' holds an unfinished run: the option 'resume' goes on with it, the "
                          "option 'force' starts over");
  }
  return true;
}

/// What rank 0 tells the others of a run that is finished.
constexpr const char* kNothingToDo = "nothing to do";

}  // namespace

TrainJobResult train_as_asked(const TrainJob& job, const std::string& resume_command,
                              WorkObserver& observer) {
  if (job.resume && job.force) {
    throw ArgumentError(
        "the option 'resume' goes on with a run and the option 'force' replaces it: give one of "
        "them");
  }
  Recipe recipe = recipe_of_job(job);
  const RankSplit split = job.join ? *job.join(recipe) : RankSplit{};
  const RunFolder run{job.folder.empty()
                          ? "runs/" + std::filesystem::path(job.recipe).stem().string()
                          : job.folder};
  std::optional<FolderLock> lock;
  bool works = !split.is_first() || has_work(run, recipe, job);
  if (split.group) works = split.group->text_of_first(works ? "" : kNothingToDo) != kNothingToDo;
  if (!works) return {run.path, false};
  // Before anything in the folder is touched.
  if (split.is_first() && std::filesystem::exists(run.path)) lock.emplace(run.path);
  observer.computing_starts(recipe, job.force ? "" : run.path);
  const ImageSet set = observer.read_images(recipe.data);
  if (job.force && split.is_first()) {
    check_training(set, recipe.run);  // before anything is removed
    // Another process may have made the folder meanwhile.
    if (!lock && std::filesystem::exists(run.path)) lock.emplace(run.path);
    if (lock) remove_run(run);
  }
  run_recipe(recipe, set, run.path, "", resume_command + run.path, observer, split);
  return {run.path, true};
}

}  // namespace cubcal
