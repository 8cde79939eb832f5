#pragma once

#include <string>

namespace cubcal::app {

/// The library's sentences name options as its structures do, "the option 'dicom_frame'"; on the
/// command line that is "--dicom-frame".
std::string options_as_flags(const std::string& sentence);

}  // namespace cubcal::app
