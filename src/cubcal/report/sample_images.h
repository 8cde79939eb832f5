#pragma once

#include <functional>
#include <string>

#include "cubcal/report/run_result.h"

namespace cubcal::report {

/// Where the pictures of the test samples come from.
struct SampleImages {
  std::function<Image(std::size_t sample)> read;  ///< empty where there are none
  std::string note;                               ///< in that case: why, in a sentence
};

/// From the hook of the options, else from the data set they name. A sample is found by its file
/// name where the logits carry `files`, else by its place in the split `test`, provided that number
/// and labels agree. Throws what opening the data set throws; samples that cannot be found are no
/// error but a note.
SampleImages find_sample_images(const RunResult& run, const ReportOptions& options);

}  // namespace cubcal::report
