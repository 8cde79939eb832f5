#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace cubcal {

/// What a log says of the model that gave an answer; empty where it does not.
struct ModelMark {
  std::string served;   ///< the name it is served under
  std::string name;     ///< "Skin lesions"
  std::string version;  ///< its version
  std::string weights_hash;
  std::string decision_hash;
  /// The method by which the answer was calibrated, empty: it was not; nothing where this is not
  /// said.
  std::optional<std::string> calibration = {};

  /// "'Skin lesions' 1 (weights 0123, decision 4567)".
  std::string text() const;
};

/// Of a line or document of 'cubcal predict', or of a line of the log of 'cubcal serve'.
ModelMark model_mark(const nlohmann::ordered_json& json);

}  // namespace cubcal
