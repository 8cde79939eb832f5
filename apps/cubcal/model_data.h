#pragma once

#include <string>

#include "cubcal/data/image_set.h"
#include "cubcal/infer/provenance.h"

namespace cubcal::app {

/// The image set that --data names: "phantom", "phantom:SEED", or the path of an .npz file in
/// MedMNIST's layout. The phantom set is drawn as the model's was, where the model was trained on
/// one; a set that should be the model's own and is not gives a warning on stderr.
ImageSet model_data(const std::string& data, const Provenance& provenance);

}  // namespace cubcal::app
