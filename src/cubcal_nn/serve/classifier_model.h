#pragma once

#include <memory>
#include <string>

#include "cubcal/classifier.h"
#include "cubcal/service/served_model.h"

namespace cubcal {

/// The model of a folder as the service uses it. Models share one lock: LibTorch's threads and
/// convolution path are the process's, so one loads or predicts at a time. Throws as Classifier.
std::shared_ptr<ServedModel> load_served_model(const std::string& folder,
                                               const ClassifierOptions& options);

}  // namespace cubcal
