#pragma once

#include <string_view>

namespace cubcal {

/// Whether a text from outside is a UID that may become part of a file's name: 1 to 64 digits and
/// single dots, with a digit at both ends. Leading zeros of a component, which some devices write,
/// are let through.
bool is_dicom_uid(std::string_view text);

/// What is_dicom_uid asks for, for error messages.
constexpr const char* kDicomUidRule = "a UID is 1 to 64 digits and single dots";

}  // namespace cubcal
