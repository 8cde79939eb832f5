#include "cubcal/report/sample_images.h"

#include <memory>
#include <unordered_map>

#include "cubcal/dataset/pack_file.h"
#include "cubcal/dataset/sample_reader.h"
#include "cubcal/report/shown_path.h"

namespace cubcal::report {

namespace {

/// Image `index` of a pack, whose channels lie one after another.
template <class Level>
std::vector<Level> interleaved(const SampleBlock& block, std::size_t index) {
  const std::size_t plane = block.height() * block.width();
  const Level* first = block.images.as<Level>() + index * block.channels() * plane;
  std::vector<Level> levels(block.channels() * plane);
  for (std::size_t c = 0; c < block.channels(); ++c) {
    for (std::size_t i = 0; i < plane; ++i) levels[i * block.channels() + c] = first[c * plane + i];
  }
  return levels;
}

Image pack_image(const SampleBlock& block, std::size_t index) {
  Image image;
  image.height = block.height();
  image.width = block.width();
  image.channels = block.channels();
  if (block.is_deep()) {
    image.deep_pixels = interleaved<std::uint16_t>(block, index);
  } else {
    image.pixels = interleaved<std::uint8_t>(block, index);
  }
  return image;
}

/// A data set that is open for reading.
struct OpenSet {
  Catalog catalog;
  std::unique_ptr<SampleReader> reader;
  SampleBlock block;

  explicit OpenSet(const std::string& path) {
    if (is_pack_file(path)) {
      block = read_pack(path);
      catalog = block.catalog;
    } else {
      catalog = open_catalog(path);
      reader = std::make_unique<SampleReader>(catalog);
    }
  }
  Image read(std::size_t index) const {
    return reader ? reader->read(index) : pack_image(block, index);
  }
};

bool same_label(const RunResult& run, const Catalog& catalog, std::size_t sample,
                const Sample& candidate) {
  const auto label = static_cast<std::size_t>(run.facts.labels[sample]);
  if (candidate.label == kNoLabel) return false;
  const std::string& name = catalog.class_names[static_cast<std::size_t>(candidate.label)];
  return name == run.class_names[label] || static_cast<std::size_t>(candidate.label) == label;
}

/// The catalog's index of each test sample, or why there is none.
std::vector<std::size_t> places(const RunResult& run, const Catalog& catalog, std::string& note) {
  std::vector<std::size_t> found;
  if (!run.files.empty()) {
    std::unordered_map<std::string, std::size_t> by_file;
    for (std::size_t i = 0; i < catalog.samples.size(); ++i) by_file[catalog.samples[i].file] = i;
    for (const std::string& file : run.files) {
      const auto place = by_file.find(file);
      if (place == by_file.end()) {
        note = "Images are left out: '" + shown_path(catalog.path) + "' has no image '" +
               shown_path(file) + "', which the test logits name.";
        return {};
      }
      found.push_back(place->second);
    }
    return found;
  }
  for (std::size_t i = 0; i < catalog.samples.size(); ++i) {
    if (catalog.samples[i].split == "test") found.push_back(i);
  }
  if (found.size() != run.facts.samples) {
    note = "Images are left out: split 'test' of '" + shown_path(catalog.path) + "' has " +
           std::to_string(found.size()) + " images, but the test logits have " +
           std::to_string(run.facts.samples) + " samples and name no files.";
    return {};
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (same_label(run, catalog, i, catalog.samples[found[i]])) continue;
    note = "Images are left out: label " + std::to_string(i) +
           " of the test logits is not that of '" + shown_path(catalog.samples[found[i]].file) +
           "' in split 'test' of '" + shown_path(catalog.path) + "', so that their orders differ.";
    return {};
  }
  return found;
}

}  // namespace

SampleImages find_sample_images(const RunResult& run, const ReportOptions& options) {
  if (options.test_image) return {options.test_image, ""};
  if (options.data.empty()) {
    return {{}, "Images are left out: no data set was named."};
  }
  const auto set = std::make_shared<const OpenSet>(options.data);
  SampleImages images;
  const std::vector<std::size_t> found = places(run, set->catalog, images.note);
  if (!found.empty()) {
    images.read = [set, found](std::size_t sample) { return set->read(found.at(sample)); };
  }
  return images;
}

}  // namespace cubcal::report
