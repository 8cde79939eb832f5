#pragma once

#include <string>

#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "io/file_fixtures.h"

namespace cubcal::test {

/// An image of one level with a brighter pixel whose place depends on `mark`.
inline Image marked_image(std::size_t height, std::size_t width, std::size_t channels,
                          std::uint8_t mark) {
  Image image{height, width, channels, {}, {}};
  image.pixels.assign(height * width * channels, mark);
  image.pixels[mark % image.pixels.size()] = 255;
  return image;
}

/// A folder with labels.csv, six 8 x 8 gray images of two classes, three patients, all splits.
inline void write_small_set(const TemporaryFolder& folder) {
  std::string manifest = "file,label,label_name,group,split,scanner\n";
  const char* splits[] = {"test", "train", "val", "train", "val", "ood"};
  for (int i = 0; i < 6; ++i) {
    const std::string file = "image " + std::to_string(i) + ".png";
    write_file_atomically(folder.file(file),
                          encode_png(marked_image(8, 8, 1, static_cast<std::uint8_t>(10 * i))));
    const bool outlier = i == 5;
    manifest += file + "," + std::to_string(outlier ? -1 : i % 2) + "," +
                (outlier      ? "cyst"
                 : i % 2 == 0 ? "benign"
                              : "malign") +
                ",p" + std::to_string(i) + "," + splits[i] + "," + (i < 3 ? "A" : "B") + "\n";
  }
  write_file_atomically(folder.file("labels.csv"), manifest);
}

}  // namespace cubcal::test
