#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/run_folder.h"
#include "cubcal/record/run_record.h"
#include "cubcal_nn/experiment/derived_part.h"
#include "cubcal_nn/infer/ensemble_model.h"

namespace cubcal {

namespace {

/// The first member's, with the stages of all.
void write_whole_record(const RunPart& part, const std::vector<RunPart>& members) {
  RunRecord whole;
  for (const RunPart& member : members) {
    const RunRecord record = read_run_record(RunFolder{member.folder}.record());
    if (whole.stages.empty()) {
      whole = record;
    } else {
      whole.stages.insert(whole.stages.end(), record.stages.begin(), record.stages.end());
    }
  }
  write_run_record(RunFolder{part.folder}.record(), whole);
}

void check_members(const RunPart& part, std::size_t members) {
  const std::size_t there = read_model_description(part.model()).members;
  if (there == members) return;
  throw ArgumentError("'" + part.folder + "' is an ensemble of " + std::to_string(there) +
                      ", and one of " + std::to_string(members) +
                      " is wanted: give the option 'out' another folder, or remove it");
}

}  // namespace

void make_ensemble_part(const RunPart& part, const std::vector<RunPart>& members,
                        const ImagesOfPart& images, const std::string& indent,
                        const std::string& resume_command, WorkObserver& observer) {
  const std::string text = recipe_text(part);
  const RunFolder run{part.folder};
  // The record is written last.
  if (std::filesystem::exists(run.record())) {
    check_members(part, members.size());
    observer.line(indent + part.name + ": trained before");
  } else {
    std::vector<std::string> models;
    for (const RunPart& member : members) {
      train_part(member, images, indent, resume_command, observer);
      models.push_back(member.model());
    }
    const EnsembleModel ensemble = ensemble_of(models, c10::Device(part.recipe.run.device));
    make_folders(part.folder);
    save_model(part.model(), ensemble.description, *ensemble.network);
    write_file_atomically(run.recipe(), text);
    write_whole_record(part, members);
  }
  draw_part_logits(part, images, observer);
}

}  // namespace cubcal
