#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/model_folder.h"

namespace cubcal::app {

/// The split's labels. Throws DataError where one is no class of the model: class names of npz sets
/// are numbers, so it is labels that must fit.
std::vector<std::int64_t> checked_labels(const ImageSplit& split, std::size_t classes);

/// Runs the engine with a progress bar titled `title` and an ear for Ctrl-C.
McOutput run_shown(McEngine& engine, const at::Tensor& images, McOptions options,
                   const std::string& title);

/// Draws logits of a split so.
McOutput draw_split(const LoadedModel& model, const ImageSplit& split, const McOptions& options,
                    const std::string& title);

/// Writes them with labels, groups, files and further columns of the split.
void write_split_logits(const std::string& path, const ImageSet& set, const ImageSplit& split,
                        const ModelDescription& model, const McOutput& output);

}  // namespace cubcal::app
