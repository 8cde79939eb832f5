#include "logits_input.h"

#include <cstring>
#include <filesystem>
#include <iostream>

#include "cubcal/calibration/calibration.h"
#include "cubcal/core/counted.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal::app {

std::string describe(const LogitsFile& file) {
  const McLogits logits(file.logits);
  return file.path + ": " + counted(logits.samples(), "sample") + ", " +
         counted(logits.passes(), "pass", "passes") + ", " + std::to_string(logits.classes()) +
         " classes, " + dtype_name(logits.dtype());
}

std::vector<std::string> class_labels(const LogitsFile& file) {
  if (!file.class_names.empty()) return file.class_names;
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < McLogits(file.logits).classes(); ++k) {
    labels.push_back("class " + std::to_string(k));
  }
  return labels;
}

void require_labels(const LogitsFile& file, const std::string& purpose) {
  if (file.has_labels) return;
  if (std::filesystem::path(file.path).extension() == ".npy") {
    throw DataError(file.path + " holds logits alone, and " + purpose +
                    " needs labels: an npz file holds both, and --labels FILE, where the command "
                    "has it, names a file of labels");
  }
  throw DataError(file.path + " has no array 'labels' [N], which " + purpose +
                  " needs; --labels-key names one that is called otherwise");
}

void warn_of_same_samples(const LogitsFile& fitted, const LogitsFile& test) {
  const NdArray& a = fitted.logits;
  const NdArray& b = test.logits;
  const bool is_same = a.dtype() == b.dtype() && a.shape() == b.shape() &&
                       std::memcmp(a.bytes(), b.bytes(), a.byte_size()) == 0;
  if (!is_same) return;
  std::cerr << "cubcal: warning: '" << test.path << "' holds the samples of '" << fitted.path
            << "', which are fitted on: what is measured there is too good, so test on others\n";
}

void warn_of_fitted_samples(const Calibration& calibration, const std::string& path,
                            const LogitsFile& file) {
  if (calibration.data_hash.empty() || calibration.data_hash != logits_hash(McLogits(file.logits)))
    return;
  std::cerr << "cubcal: warning: the calibration '" << path << "' was fitted on the samples of '"
            << file.path
            << "': the sets then promise more than they keep, so fit it on other samples\n";
}

void check_output(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;  // a file that is not there yet is no other file
    if (!std::filesystem::equivalent(output, input, ignored)) continue;
    throw ArgumentError("the output '" + output + "' is also an input: name another file");
  }
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::exists(folder, ignored)) {
    throw IoError("cannot write '" + output + "': its folder does not exist");
  }
}

void check_svg_name(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".svg") return;
  throw ArgumentError("--svg draws an SVG file, so that its name must end in .svg, not be '" +
                      path + "'");
}

void write_text(const std::string& target, const std::string& text) {
  if (target == "-") {
    std::cout << text;
  } else {
    write_file_atomically(target, text);
  }
}

}  // namespace cubcal::app
