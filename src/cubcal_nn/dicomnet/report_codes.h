#pragma once

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmsr/dsrcodvl.h>

#include <cstddef>
#include <string>

#include "cubcal/decision.h"

/// The codes of a report that no standard has, all of the coding scheme 99CUBCAL.
/// docs/dicom-node.md lists them.
namespace cubcal {

inline constexpr const char* kCodingScheme = "99CUBCAL";

DSRBasicCodedEntry class_code(std::size_t index, const std::string& name);
DSRBasicCodedEntry probability_code(std::size_t index, const std::string& name);
DSRBasicCodedEntry verdict_code(Decision decision);
/// One of the concepts that a report has once, by its code value.
DSRBasicCodedEntry concept_code(const char* value);

}  // namespace cubcal
