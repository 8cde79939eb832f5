#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cubcal {

/// A number, nothing where it is undefined, and its bootstrap interval where that was worked out.
struct Measured {
  std::optional<double> value = {};
  std::optional<std::pair<double, double>> interval = {};
};

/// How well outliers are told from images that are none.
struct DetectionRecord {
  Measured auroc;
  Measured aupr;
  Measured fpr95;
};

/// A row of the table of 'cubcal ood': in ood.json of a run and in the record of an experiment.
struct DetectorRecord {
  std::string detector;  ///< its name on the command line
  std::string title;
  DetectionRecord all;
  /// Against the outliers of one kind; its three shares but the AUROC may be unknown.
  struct Category {
    std::string name;
    std::optional<std::size_t> samples = {};
    DetectionRecord detection;
  };
  std::vector<Category> categories = {};
};

nlohmann::ordered_json to_json(const DetectorRecord& row);
/// Throws DataError that names what is missing or of the wrong type.
DetectorRecord detector_of(const nlohmann::ordered_json& row);

}  // namespace cubcal
