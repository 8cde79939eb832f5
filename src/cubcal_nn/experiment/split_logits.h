#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/io/npz.h"
#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/experiment/work_observer.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/model_folder.h"

namespace cubcal {

/// The split's labels. Throws DataError where one is not a class of the model: class names of npz
/// sets are numbers, so it is labels that must fit.
std::vector<std::int64_t> checked_labels(const ImageSplit& split, std::size_t classes);

/// Draws logits of a split; `title` says to the observer what for.
McOutput draw_split(const LoadedModel& model, const ImageSplit& split, const McOptions& options,
                    const std::string& title, WorkObserver& observer);

/// Writes them with labels, groups, files and further columns of the split, and the hash of the
/// model's weights.
void write_split_logits(const std::string& path, const ImageSet& set, const ImageSplit& split,
                        const LoadedModel& model, const McOutput& output);
/// The same arrays, added to a file that goes on.
void add_split_logits(NpzWriter& npz, const ImageSet& set, const ImageSplit& split,
                      const LoadedModel& model, const McOutput& output);

}  // namespace cubcal
