#include "cubcal/inspection/image_facts.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

constexpr std::size_t kBlock = 16;  ///< images per task

template <class Level>
void add_level_facts(const std::vector<Level>& pixels, ImageFacts& facts) {
  if (pixels.empty()) return;
  Level least = pixels[0];
  Level largest = pixels[0];
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (const Level level : pixels) {
    least = std::min(least, level);
    largest = std::max(largest, level);
    sum += level;
    squares += std::uint64_t{level} * level;
  }
  const auto count = static_cast<double>(pixels.size());
  facts.min_level = least;
  facts.max_level = largest;
  facts.mean_level = static_cast<double>(sum) / count;
  const double variance =
      static_cast<double>(squares) / count - facts.mean_level * facts.mean_level;
  facts.level_deviation = std::sqrt(std::max(0.0, variance));
}

}  // namespace

ImageFacts image_facts(const Image& image) {
  ImageFacts facts;
  facts.height = image.height;
  facts.width = image.width;
  facts.channels = image.channels;
  facts.turned = image.turned;
  facts.bits = image.is_deep() ? 16 : 8;
  facts.gray_as_rgb = is_gray_as_rgb(image);
  if (image.is_deep()) {
    add_level_facts(image.deep_pixels, facts);
  } else {
    add_level_facts(image.pixels, facts);
  }
  facts.pixels = pixel_hash(image);
  const GrayPlane plane = gray_plane(image);
  facts.appearance = appearance(plane);
  facts.enlargement = judge_enlargement(plane);
  return facts;
}

std::vector<ImageFacts> gather_facts(std::size_t count,
                                     const std::function<Image(std::size_t)>& read,
                                     const FactsProgress& progress) {
  std::vector<ImageFacts> facts(count);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      try {
        facts[i] = image_facts(read(i));
      } catch (const Error& error) {
        facts[i].unreadable = error.what();
      }
    }
    if (!progress) return;
    const std::lock_guard<std::mutex> lock(mutex);
    done += last - first;
    progress(done, count);
  });
  return facts;
}

}  // namespace cubcal
