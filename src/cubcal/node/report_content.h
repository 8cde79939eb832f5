#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cubcal/answer.h"
#include "cubcal/node/image_identity.h"

namespace cubcal {

/// What a report says, and of which image.
struct ReportContent {
  ImageIdentity image;
  Answer answer;
  ModelFacts model;
  std::string model_name;                 ///< as the log calls it
  std::string report_uid;                 ///< the report's SOP instance
  std::string series_uid;                 ///< that it belongs to, within the image's study
  std::string ae_title;                   ///< of the node; empty: it has none
  std::optional<std::size_t> frame = {};  ///< from 0, of an image of several
};

/// A DICOM file. Throws DataError where it cannot be made.
using ReportMaker = std::function<std::string(const ReportContent&)>;

}  // namespace cubcal
