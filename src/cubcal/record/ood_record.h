#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/record/detector_record.h"

namespace cubcal {

/// What the scores of a table follow from.
struct OodSetup {
  std::string program;
  std::string model;
  std::string fit_split;
  std::string id_split;
  std::string ood_split;
  std::string features;
  std::size_t passes = 0;
  std::uint64_t seed = 0;
  std::optional<double> epsilon = {};  ///< of the perturbation, where a detector has one
};

/// How well each detector tells outliers, and how its intervals were drawn.
struct OodTableRecord {
  std::size_t replicates = 0;
  double level = 0;
  std::uint64_t seed = 0;
  bool by_group = false;  ///< groups were resampled, not single images
  std::vector<DetectorRecord> rows = {};
};

/// What 'cubcal ood --json' writes, and ood.json of a run, whose setup the run's own record has.
/// Parts that are JSON are those of other rooms, null where there are none.
struct OodRecord {
  std::optional<OodSetup> setup = {};
  std::string data;                          ///< name of the set
  std::optional<OodTableRecord> table = {};  ///< none without outliers
  nlohmann::ordered_json referral = {};
  nlohmann::ordered_json verdict = {};
};

nlohmann::ordered_json to_json(const OodRecord& record);

/// The rows of a file. Throws DataError that names the file.
std::vector<DetectorRecord> read_detectors(const std::string& path);

}  // namespace cubcal
