#include "cubcal/evaluation/doubts.h"

#include <cstring>
#include <set>

#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

namespace {

/// A test set of so small a share of many classes is rarer than a mistake.
constexpr std::size_t kClassesPerLabel = 3;
constexpr std::size_t kManyClasses = 6;

bool are_passes_alike(const NdArray& logits) {
  const std::size_t passes = logits.shape()[0];
  const std::size_t bytes = logits.byte_size() / passes;
  const auto* first = logits.bytes();
  for (std::size_t pass = 1; pass < passes; ++pass) {
    if (std::memcmp(first, first + pass * bytes, bytes) != 0) return false;
  }
  return passes > 1;
}

}  // namespace

std::vector<std::string> doubts_about(const LogitsFile& file) {
  std::vector<std::string> doubts;
  if (are_passes_alike(file.logits)) {
    doubts.push_back("the " + std::to_string(file.logits.shape()[0]) + " passes of '" + file.path +
                     "' are all the same, so that nothing is known of the model's own uncertainty: "
                     "was dropout off?");
  }
  const std::size_t classes = McLogits(file.logits).classes();
  const std::size_t present = std::set<std::int64_t>(file.labels.begin(), file.labels.end()).size();
  if (file.has_labels && classes >= kManyClasses && present * kClassesPerLabel <= classes) {
    doubts.push_back("the labels of '" + file.path + "' name " + std::to_string(present) + " of " +
                     std::to_string(classes) +
                     " classes: are its axes [passes, samples, classes]?");
  }
  return doubts;
}

}  // namespace cubcal
