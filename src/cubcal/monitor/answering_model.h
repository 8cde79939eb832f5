#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

/// What a log says of the model that gave an answer; empty where it does not.
struct ModelMark {
  std::string served;   ///< the name it is served under
  std::string name;     ///< "Skin lesions"
  std::string version;  ///< its version
  std::string weights_hash;
  std::string decision_hash;

  /// "'Skin lesions' 1 (weights 0123, decision 4567)".
  std::string text() const;
};

/// Of a line or document of 'cubcal predict', or of a line of the log of 'cubcal serve'.
ModelMark model_mark(const nlohmann::ordered_json& json);

/// Answers of two models where those of one are wanted.
class OtherModel : public DataError {
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

  bool counts(const ModelMark& mark) const;
  /// Throws OtherModel, a sentence that starts with `where`, for another model. What does not say
  /// which weights it is of is taken on trust.
  void check(const ModelMark& mark, const std::string& where);

 private:
  std::string only_;
  ModelMark first_;
  std::string where_;
};

}  // namespace cubcal
