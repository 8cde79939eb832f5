#include "cubcal/monitor/answering_model.h"

#include "cubcal/core/words.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

/// "calibrated with dts", "not calibrated".
std::string calibration_text(const std::string& method) {
  return method.empty() ? "not calibrated" : "calibrated with " + printable(method);
}

bool differ(const std::string& first, const std::string& second) {
  return !first.empty() && !second.empty() && first != second;
}

}  // namespace

bool AnsweringModel::counts(const ModelMark& mark) {
  const auto starts = [&](const std::string& hash) { return starts_with(hash, only_); };
  const bool counts = only_.empty() || mark.served == only_ || mark.name == only_ ||
                      starts(mark.weights_hash) || starts(mark.decision_hash);
  counted_ += counts ? 1 : 0;
  if (!counts) others_.insert(mark.text());
  return counts;
}

void AnsweringModel::check_only() const {
  if (only_.empty() || counted_ > 0) return;
  constexpr std::size_t kMostNamed = 8;
  std::string list;
  std::size_t named = 0;
  for (const std::string& each : others_) {
    if (++named > kMostNamed) break;
    list += (list.empty() ? "" : ", ") + each;
  }
  if (others_.size() > kMostNamed) {
    list += " and " + std::to_string(others_.size() - kMostNamed) + " more";
  }
  throw ArgumentError(
      "the option 'model' names " + in_quotes(only_) + ", which gave no answer: " +
      (list.empty() ? "there is no log with any" : "the logs hold those of " + list));
}

void AnsweringModel::check(const ModelMark& mark, const std::string& where) {
  if (differ(first_.weights_hash, mark.weights_hash) ||
      differ(first_.decision_hash, mark.decision_hash)) {
    throw OtherModel(where + " is of " + mark.text() + ", but " + where_ + " of " + first_.text() +
                     ": answers of one model alone can be compared");
  }
  check_calibration(mark, where);
  const bool says_more = first_.weights_hash.empty()
                             ? !mark.weights_hash.empty()
                             : first_.decision_hash.empty() && !mark.decision_hash.empty();
  if (says_more) {
    first_ = mark;
    where_ = where;
  }
}

void AnsweringModel::check_calibration(const ModelMark& mark, const std::string& where) {
  if (!mark.calibration) {
    says_calibration_ = false;
    return;
  }
  if (!calibration_) {
    calibration_ = mark.calibration;
    calibration_where_ = where;
  }
  if (*calibration_ == *mark.calibration) return;
  throw OtherCalibration(where + " is " + calibration_text(*mark.calibration) + ", but " +
                         calibration_where_ + " is " + calibration_text(*calibration_) +
                         ": they would differ though nothing drifts");
}

}  // namespace cubcal
