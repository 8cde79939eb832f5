#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal/record/model_mark.h"

namespace cubcal {

/// Answers of two models where those of one are wanted.
class OtherModel : public DataError {
 public:
  using DataError::DataError;
};

/// Calibrated answers and others where only like can be compared.
class OtherCalibration : public DataError {
 public:
  using DataError::DataError;
};

/// The one model whose answers are compared: periods of several say nothing of drift. It is that
/// of the first file that names one.
class AnsweringModel {
 public:
  /// Where `only` is not empty, answers count only of the model with this name, or with a hash of
  /// weights or decision that starts so.
  explicit AnsweringModel(std::string only = {}) : only_(std::move(only)) {}

  bool counts(const ModelMark& mark);
  /// Throws ArgumentError where `only` is the model of none of the answers that were asked about,
  /// naming theirs.
  void check_only() const;
  /// Throws OtherModel, a sentence that starts with `where`, for another model, and
  /// OtherCalibration for one calibrated otherwise. What does not say which weights it is of, or
  /// whether it is calibrated, is taken on trust.
  void check(const ModelMark& mark, const std::string& where);
  /// Whether all that was checked says whether it is calibrated.
  bool says_calibration() const { return says_calibration_; }

 private:
  void check_calibration(const ModelMark& mark, const std::string& where);

  std::string only_;
  std::size_t counted_ = 0;
  std::set<std::string> others_;  ///< models whose answers do not count
  ModelMark first_;
  std::string where_;
  std::optional<std::string> calibration_;
  std::string calibration_where_;
  bool says_calibration_ = true;
};

}  // namespace cubcal
