#pragma once

#include <string>

#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/experiment/work_observer.h"
#include "cubcal_nn/infer/model_folder.h"

namespace cubcal {

/// The image set that --data names: "phantom", "phantom:SEED", or the path of a data set. The
/// phantom set is drawn as the model's was, where the model was trained on one; a set that should
/// be the model's own and is not gives a warning, as does one without class names. Of a
/// set on disk the rows, splits and sizes are those of the recipe in the model's provenance, unless
/// `all_rows` says to take the set as it is. Labels become the model's by name; throws DataError
/// for a class the model does not have.
ImageSet model_data(const std::string& data, const ModelDescription& model, WorkObserver& observer,
                    bool all_rows = false);

}  // namespace cubcal
