#include "cubcal/dataset/sample_reader.h"

#include <algorithm>
#include <map>

#include "cubcal/core/error.h"
#include "cubcal/dataset/dicom_rows.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/npz_catalog.h"

namespace cubcal {

/// The npz sets that samples lie in, by file.
struct SampleReader::NpzImages {
  std::map<std::string, NpzSet> sets;
  std::map<std::string, std::string> unreadable;  ///< why a set cannot be read

  void open(const std::string& file) {
    if (sets.count(file) > 0 || unreadable.count(file) > 0) return;
    try {
      sets.emplace(file, read_npz_set(file));
    } catch (const Error& error) {
      unreadable.emplace(file, error.what());
    }
  }

  Image read(const NpzMember& member) const {
    const auto reason = unreadable.find(member.file);
    if (reason != unreadable.end()) throw DataError(reason->second);
    const NpzSet& set = sets.at(member.file);
    const auto split =
        std::find_if(set.splits.begin(), set.splits.end(),
                     [&](const NpzSplit& candidate) { return candidate.name == member.split; });
    if (split == set.splits.end() || member.index >= split->size()) {
      throw DataError("'" + member.file + "' has no image " + member.split + "/" +
                      std::to_string(member.index));
    }
    Image image;
    image.height = split->height();
    image.width = split->width();
    image.channels = split->channels();
    const std::uint8_t* first = split->pixels(member.index);
    image.pixels.assign(first, first + image.height * image.width * image.channels);
    return image;
  }
};

SampleReader::SampleReader(const Catalog& catalog, const ImageFileOptions& options)
    : catalog_(catalog), options_(options), npz_(std::make_unique<NpzImages>()) {
  for (const Sample& sample : catalog.samples) {
    const auto member = npz_member(catalog.file_path(sample));
    if (member) npz_->open(member->file);
  }
}

SampleReader::~SampleReader() = default;

Image SampleReader::read(std::size_t sample) const {
  const std::string path = catalog_.file_path(catalog_.samples.at(sample));
  if (const auto member = npz_member(path)) return npz_->read(*member);
  if (const auto member = frame_member(path)) {
    ImageFileOptions options = options_;
    options.dicom_frame = member->frame;
    return read_image_file(member->file, options);
  }
  return read_image_file(path, options_);
}

std::string bad_files_message(const std::vector<BadFile>& bad) {
  std::vector<std::string> reasons;
  reasons.reserve(bad.size());
  for (const BadFile& file : bad) reasons.push_back(file.reason);
  return std::to_string(bad.size()) +
         (bad.size() == 1 ? " image cannot be decoded: " : " images cannot be decoded: ") +
         joined_faults(reasons);
}

}  // namespace cubcal
