#include "cubcal/dataset/dicom_window.h"

#include "cubcal/core/error.h"

namespace cubcal {

DicomWindow parse_dicom_window(const std::string& name) {
  if (name == "file") return DicomWindow::kFile;
  if (name == "percentile") return DicomWindow::kPercentile;
  if (name == "full") return DicomWindow::kFull;
  throw ArgumentError("must be file, percentile or full, not '" + name + "'");
}

const char* dicom_window_name(DicomWindow window) {
  if (window == DicomWindow::kPercentile) return "percentile";
  return window == DicomWindow::kFull ? "full" : "file";
}

}  // namespace cubcal
