#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cubcal/answer.h"
#include "cubcal/dicom/dicom_image.h"
#include "cubcal/service/model_slot.h"

/// What is recorded of an answer, by the service and by the DICOM node.
namespace cubcal {

/// 12 random hexadecimal digits: the start of the names of what one process is asked.
std::string new_run_id();

/// A model and one of its versions, for audit.
nlohmann::ordered_json version_json(const std::string& name, const ModelVersion& version);

/// The request, the time now, program, model and seed.
nlohmann::ordered_json audit_json(const std::string& name, const ModelVersion& version,
                                  const std::string& request);

/// The UIDs of a DICOM image and its study.
nlohmann::ordered_json dicom_json(const DicomFacts& dicom);

/// An image as the log may name it.
struct LoggedImage {
  std::string name;
  std::optional<DicomFacts> dicom = {};
  std::optional<std::size_t> frame = {};  ///< from 0, of an image of several
};

/// The line that 'cubcal monitor' reads: what audit_json gives, and the prediction. Only with
/// `patients` does it name file, patient and UIDs.
std::string answer_line(nlohmann::ordered_json audit, const LoggedImage& image,
                        const Answer& answer, const ModelFacts& facts, bool patients);

}  // namespace cubcal
