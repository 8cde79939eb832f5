#include "cubcal/dataset/dicom_window.h"

#include "cubcal/core/named_values.h"

namespace cubcal {

namespace {

constexpr NamedValue<DicomWindow> kWindows[] = {{"file", DicomWindow::kFile},
                                                {"percentile", DicomWindow::kPercentile},
                                                {"full", DicomWindow::kFull}};

}  // namespace

DicomWindow parse_dicom_window(const std::string& name) { return value_named(kWindows, name); }

const char* dicom_window_name(DicomWindow window) { return name_of(kWindows, window); }

}  // namespace cubcal
