#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// TensorBoard's event files, as far as scalars go: records of a length, a checksum of it, a
/// protocol buffer `Event`, and a checksum of that.
namespace cubcal {

/// CRC-32C (Castagnoli).
std::uint32_t crc32c(std::string_view bytes);
/// Rotated and shifted as the record format asks for.
std::uint32_t masked_crc32c(std::string_view bytes);

/// The first record of a file: its version.
std::string event_file_start(double wall_time);

/// One record with scalars of one step.
std::string scalar_event(double wall_time, std::int64_t step,
                         const std::vector<std::pair<std::string, double>>& scalars);

}  // namespace cubcal
