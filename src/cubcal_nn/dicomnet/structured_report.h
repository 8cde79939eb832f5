#pragma once

#include <string>

#include "cubcal/node/answer_worker.h"
#include "cubcal/node/report_content.h"

namespace cubcal {

/// The answer as a Comprehensive SR by TID 1500 (Measurement Report) in the study of the image, as
/// a DICOM file in UTF-8. Throws DataError with the reason where DCMTK cannot make it. `tell`,
/// where there is one, hears where text of the image's head could not be taken over.
std::string make_structured_report(const ReportContent& content, const Tell& tell = {});

}  // namespace cubcal
