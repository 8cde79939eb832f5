#pragma once

namespace cubcal::results {

/// The fields "format" and "version" of a record.
inline constexpr const char* kResultFormat = "cubcal-result";
inline constexpr int kResultVersion = 1;

}  // namespace cubcal::results
