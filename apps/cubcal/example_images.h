#pragma once

#include <cstdint>
#include <string>

namespace cubcal::app {

/// Draws a small data set of images into a folder: PNG files and labels.csv with patients and two
/// scanners. Discs are benign, rings malign. The last two are one picture under both labels, so
/// that there is something to find. Returns how many images there are.
std::size_t write_example_images(const std::string& folder, std::uint64_t seed);

}  // namespace cubcal::app
