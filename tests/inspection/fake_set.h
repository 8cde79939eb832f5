#pragma once

#include <string>
#include <vector>

#include "cubcal/core/seed_stream.h"
#include "cubcal/dataset/catalog.h"
#include "cubcal/inspection/image_facts.h"

namespace cubcal::test {

/// A data set without images: samples are added with the facts their images would have.
struct FakeSet {
  Catalog catalog;
  std::vector<ImageFacts> facts;

  explicit FakeSet(std::vector<std::string> class_names) {
    catalog.path = "fake";
    catalog.root = "fake";
    catalog.class_names = std::move(class_names);
  }

  /// An ordinary image that looks like no other.
  ImageFacts& add(std::int64_t label, const std::string& split = "", const std::string& group = "",
                  const std::vector<std::string>& metadata = {}) {
    const std::size_t number = facts.size();
    Sample sample;
    sample.file = "image" + std::to_string(number) + ".png";
    sample.label = label;
    sample.label_name =
        label == kNoLabel ? "unknown" : catalog.class_names[static_cast<std::size_t>(label)];
    sample.group = group;
    sample.split = split;
    sample.metadata = metadata;
    catalog.samples.push_back(sample);

    ImageFacts image;
    image.height = image.width = 100;
    image.channels = 1;
    image.bits = 8;
    image.max_level = 255;
    image.mean_level = 120;
    image.pixels.words = {number + 1, ~number};
    SeedStream random(7, number);
    Appearance appearance;
    for (std::uint64_t& word : appearance.hash.words) word = random.next_u64();
    for (std::int8_t& cell : appearance.miniature) {
      cell = static_cast<std::int8_t>(static_cast<int>(random.below(200)) - 100);
    }
    image.appearance = appearance;
    image.enlargement = Enlargement{};
    facts.push_back(image);
    return facts.back();
  }

  void make_identical(std::size_t a, std::size_t b) { facts[b] = facts[a]; }

  /// The same but for `bits` bits of the hash and a few levels.
  void make_near(std::size_t a, std::size_t b, int bits = 5) {
    const PixelHash own = facts[b].pixels;
    facts[b] = facts[a];
    facts[b].pixels = own;
    for (int bit = 0; bit < bits; ++bit) {
      facts[b].appearance->hash.words[static_cast<std::size_t>(bit) % 4] ^= std::uint64_t{1}
                                                                            << (bit / 4);
    }
    for (std::size_t i = 0; i < 100; ++i) {
      std::int8_t& cell = facts[b].appearance->miniature[10 * i];
      cell = static_cast<std::int8_t>(cell + (cell > 0 ? -3 : 3));
    }
  }
};

}  // namespace cubcal::test
