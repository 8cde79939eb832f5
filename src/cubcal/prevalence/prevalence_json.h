#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/calibration/calibration.h"
#include "cubcal/prevalence/study.h"

namespace cubcal {

/// A study and the files it was made of.
struct PrevalenceReport {
  std::string file;
  std::string new_file;  ///< empty without
  std::vector<std::string> class_names;
  std::optional<Calibration> calibration;
  PrevalenceStudy study;
  bool bootstrap_by_group = false;
};

struct NamedView {
  const char* key;    ///< its name in JSON and CSV
  const char* label;  ///< over a column
  const PrevalenceView& view;
};

/// "here", "there" and "corrected".
std::array<NamedView, 3> views_of(const PrevalenceStudy& study);

nlohmann::ordered_json prevalence_json(const PrevalenceReport& report);

}  // namespace cubcal
