#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/answer.h"

/// Answers as JSON: what those of files, of the service and of the DICOM node have in common.
namespace cubcal {

/// "sharpen" or "soften".
const char* region_name(const Answer& answer);

/// The rule behind the verdicts.
nlohmann::ordered_json policy_json(const ModelFacts& model);

/// Adds name, version and status of a model; null where it was not deployed.
void add_identity(const ModelFacts& model, nlohmann::ordered_json& json);
/// Adds the hashes of its weights and of all that its answers follow from.
void add_hashes(const ModelFacts& model, nlohmann::ordered_json& json);

/// "cubcal 0.2.0".
std::string program_text();

/// What tells a model from others: name, version, hashes, calibration, program.
nlohmann::ordered_json model_json(const ModelFacts& model);

/// One prediction, as every form of output has it.
nlohmann::ordered_json prediction_json(const std::string& image, const Answer& answer,
                                       const ModelFacts& model);

/// An image without an answer.
nlohmann::ordered_json unreadable_json(const std::string& image, const std::string& reason);

/// How passes are stopped once an image is settled.
struct StoppingSettings {
  double error = 0;       ///< chance that a decision differs from that of all passes
  std::size_t first = 0;  ///< passes before the first look
  std::size_t block = 0;  ///< passes from one look to the next
  bool gamma = true;      ///< the side of gamma must be settled too
};

/// What answers follow from besides model and image.
struct PredictionSettings {
  std::uint64_t seed = 0;
  std::optional<StoppingSettings> stopping = {};  ///< nothing: all passes are taken
  std::optional<std::size_t> frame = {};          ///< of DICOM files of several
};

nlohmann::ordered_json to_json(const PredictionSettings& settings, const ModelFacts& model);

/// The prediction of a file that has an answer.
nlohmann::ordered_json answer_json(const FileAnswer& file, const ModelFacts& model, bool adaptive);

/// Files with an answer.
std::size_t answered_count(const std::vector<FileAnswer>& files);
/// Passes taken of them, which are one or more.
double mean_passes(const std::vector<FileAnswer>& files);

/// Model, settings, the `predictions` and what was `unreadable` of some files, as text.
std::string predictions_document(const std::vector<FileAnswer>& files, const ModelFacts& model,
                                 const PredictionSettings& settings, const std::string& time);

}  // namespace cubcal
