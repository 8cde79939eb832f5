#pragma once

#include <string>

namespace cubcal::app {

/// The model of 'cubcal demo' in `folder` that the paper is about, BNN + CUB, trained where it is
/// not there yet (minutes), and in `folder`/images some of its test images as PNG files. Returns
/// the model's folder.
std::string demo_model(const std::string& folder);

}  // namespace cubcal::app
