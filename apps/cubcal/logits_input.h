#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/io/logits_file.h"

namespace cubcal {
struct Calibration;
}

/// What the subcommands share in reading logits.
namespace cubcal::app {

/// "val.npz: 366 samples, 80 passes, 5 classes, float16".
std::string describe(const LogitsFile& file);

/// The names from the file, or "class 0", "class 1", ...
std::vector<std::string> class_labels(const LogitsFile& file);

/// Throws the DataError that says the file has no labels and why they are needed.
void require_labels(const LogitsFile& file, const std::string& purpose);

/// Warns where a set to test on holds the very samples that were fitted on.
void warn_of_same_samples(const LogitsFile& fitted, const LogitsFile& test);

/// Warns where the calibration of that path was fitted on these very samples, on which thresholds
/// are fitted or promises tested.
void warn_of_fitted_samples(const Calibration& calibration, const std::string& path,
                            const LogitsFile& file);

/// Before anything is worked out: throws ArgumentError where the output is one of the inputs, which
/// writing it would destroy, and IoError where its folder is not there. Options that were not given
/// may be among them as empty names.
void check_output(const std::string& output, const std::vector<std::string>& inputs);

/// Throws ArgumentError where --svg names a file that is not called so.
void check_svg_name(const std::string& path);

/// A text, such as a JSON document, to a file, or to standard output for "-".
void write_text(const std::string& target, const std::string& text);

}  // namespace cubcal::app
