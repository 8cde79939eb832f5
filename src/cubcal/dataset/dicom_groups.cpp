#include "cubcal/dataset/dicom_groups.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dicom/dicom_image.h"
#include "cubcal/image/image_codec.h"

namespace cubcal {

namespace {

bool may_be_dicom(const std::string& file) {
  const std::string extension = extension_of(file);
  for (const ImageCodec& codec : image_codecs()) {
    const auto& own = codec.extensions;
    if (std::find(own.begin(), own.end(), extension) != own.end()) return codec.name == "DICOM";
  }
  return true;
}

std::string group_of(const std::string& path) {
  try {
    const DicomFacts facts = read_dicom_facts(path);
    return facts.patient_id.empty() ? facts.study_uid : facts.patient_id;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

void take_dicom_groups(Catalog& catalog) {
  constexpr std::size_t block = 64;
  parallel_blocks(catalog.samples.size(), block, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Sample& sample = catalog.samples[i];
      if (may_be_dicom(sample.file)) sample.group = group_of(catalog.file_path(sample));
    }
  });
}

}  // namespace cubcal
