#include "example_images.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/seed_stream.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/csv.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kImages = 120;
constexpr std::size_t kSize = 32;

/// A disc or a ring of random place, size and brightness on a noisy ground.
Image draw(bool ring, SeedStream random) {
  Image image{kSize, kSize, 1, {}, {}};
  const double x = 12 + 8 * random.uniform(), y = 12 + 8 * random.uniform();
  const double radius = 6 + 4 * random.uniform(), bright = 60 + 70 * random.uniform();
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t column = 0; column < kSize; ++column) {
      const double distance =
          std::hypot(static_cast<double>(column) - x, static_cast<double>(row) - y);
      const bool inside = distance < radius && !(ring && distance < 0.55 * radius);
      const double level = 70 + (inside ? bright : 0) + 12 * random.normal();
      image.pixels.push_back(static_cast<std::uint8_t>(std::clamp(level, 0.0, 255.0)));
    }
  }
  return image;
}

}  // namespace

std::size_t write_example_images(const std::string& folder, std::uint64_t seed) {
  CsvTable table;
  table.header = {"file", "label_name", "group", "scanner"};
  for (std::size_t i = 0; i < kImages; ++i) {
    const bool last = i + 1 == kImages;
    const bool ring = i % 3 == 0;
    const std::string file = "image-" + std::to_string(i) + ".png";
    // The last picture is the one before it again, of the same patient.
    const std::size_t picture = last ? i - 1 : i;
    write_file_atomically(folder + "/" + file,
                          encode_png(draw(picture % 3 == 0, SeedStream(seed, picture))));
    table.rows.push_back({file, ring || last ? "malign" : "benign",
                          "patient " + std::to_string(i / 2), i % 2 == 0 ? "A" : "B"});
  }
  write_csv(folder + "/labels.csv", table);
  return kImages;
}

}  // namespace cubcal::app
