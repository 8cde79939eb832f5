#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/image/image_file.h"
#include "cubcal/inspection/enlargement.h"
#include "cubcal/inspection/perceptual_hash.h"
#include "cubcal/inspection/pixel_hash.h"

namespace cubcal {

/// What inspection keeps of an image: a good kilobyte, whatever its size.
struct ImageFacts {
  std::string unreadable = {};  ///< why it could not be decoded; then nothing else is known
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  int bits = 0;              ///< 8 or 16
  bool gray_as_rgb = false;  ///< three channels with equal levels
  bool turned = false;       ///< stored turned or mirrored, and brought upright
  int min_level = 0;
  int max_level = 0;
  double mean_level = 0;
  double level_deviation = 0;  ///< standard deviation
  PixelHash pixels = {};
  std::optional<Appearance> appearance = {};    ///< none: flat
  std::optional<Enlargement> enlargement = {};  ///< none: flat or too small to tell

  bool is_readable() const { return unreadable.empty(); }
  bool is_constant() const { return is_readable() && min_level == max_level; }
  bool is_enlarged() const { return enlargement && enlargement->is_enlarged(); }
};

ImageFacts image_facts(const Image& image);

/// How many of how many are done. Called from any thread, one at a time, in rising order.
using FactsProgress = std::function<void(std::size_t done, std::size_t of)>;

/// Facts of images 0 to count - 1, decoded in parallel, each once; as many images are in memory as
/// there are threads. Where `read`, which several threads call at once, throws a cubcal::Error, its
/// message becomes the reason. The result does not depend on the number of threads.
std::vector<ImageFacts> gather_facts(std::size_t count,
                                     const std::function<Image(std::size_t)>& read,
                                     const FactsProgress& progress = {});

}  // namespace cubcal
