#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/adaptive/replay.h"

namespace cubcal {

/// A replay and what it came to.
struct ReplayReport {
  /// One row of what changed.
  struct Change {
    const char* name;
    const char* key;  ///< in JSON
    std::size_t count;
  };

  std::string title;  ///< describes the file
  AdaptiveOptions adaptive;
  DecisionOptions decision;
  std::optional<Calibration> calibration;
  AdaptiveReplay replay;
  AdaptiveChanges changes;

  std::vector<Change> rows() const;
  double share(std::size_t count) const;
  /// The 95% interval of a share.
  double lower(std::size_t count) const;
  double upper(std::size_t count) const;
  /// Whether more samples changed than chance would let a promise that holds have.
  bool is_broken() const { return lower(changes.any) > adaptive.error; }
  /// Samples by the number of passes they took.
  std::map<std::size_t, std::size_t> histogram() const;
};

nlohmann::ordered_json to_json(const ReplayReport& report);

}  // namespace cubcal
