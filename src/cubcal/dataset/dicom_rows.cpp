#include "cubcal/dataset/dicom_rows.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/core/sha256.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dicom/dicom_image.h"
#include "cubcal/image/image_codec.h"

namespace cubcal {

namespace {

constexpr std::array<const char*, 5> kDicomColumns = {
    "dicom_manufacturer", "dicom_site", "dicom_view", "dicom_photometric", "dicom_window"};

bool may_be_dicom(const std::string& file) {
  const std::string extension = extension_of(file);
  for (const ImageCodec& codec : image_codecs()) {
    const auto& own = codec.extensions;
    if (std::find(own.begin(), own.end(), extension) != own.end()) return codec.name == "DICOM";
  }
  return extension.find_first_not_of("0123456789.") == std::string::npos;
}

/// The same for the same name on every machine, and not the name; of names that are much alike
/// nothing shows that they are.
std::string pseudonym(const std::string& name, bool keep_names) {
  if (name.empty() || keep_names) return name;
  constexpr std::size_t kDigits = 16;
  return sha256("dicom name " + name).substr(0, kDigits);
}

struct DicomRow {
  bool is_dicom = false;
  std::size_t frames = 1;
  std::string group = {};
  std::array<std::string, kDicomColumns.size()> values = {};
};

DicomRow read_row(const Catalog& catalog, const Sample& sample, bool keep_names) {
  const std::string path = catalog.file_path(sample);
  const std::optional<FrameMember> member = frame_member(path);
  if (!may_be_dicom(member ? member->file : sample.file)) return {};
  try {
    const DicomFacts facts = read_dicom_facts(member ? member->file : path);
    const std::string& who = facts.patient_id.empty() ? facts.study_uid : facts.patient_id;
    return {true,
            member ? 1 : facts.frames,
            pseudonym(who, keep_names),
            {facts.manufacturer, pseudonym(facts.institution, keep_names), facts.view,
             facts.photometric, facts.window}};
  } catch (const Error&) {
    return {};
  }
}

void add_columns(const std::vector<DicomRow>& rows, Catalog& catalog) {
  for (std::size_t c = 0; c < kDicomColumns.size(); ++c) {
    const bool is_there = std::find(catalog.columns.begin(), catalog.columns.end(),
                                    kDicomColumns[c]) != catalog.columns.end();
    const bool has_value = std::any_of(rows.begin(), rows.end(),
                                       [&](const DicomRow& row) { return !row.values[c].empty(); });
    if (is_there || !has_value) continue;
    catalog.columns.emplace_back(kDicomColumns[c]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      catalog.samples[i].metadata.push_back(rows[i].values[c]);
    }
  }
}

void add_frames(const std::vector<DicomRow>& rows, Catalog& catalog) {
  std::vector<Sample> samples;
  std::size_t files = 0;
  std::size_t frames = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Sample& sample = catalog.samples[i];
    if (rows[i].frames < 2) {
      samples.push_back(std::move(sample));
      continue;
    }
    ++files;
    frames += rows[i].frames;
    if (sample.group.empty()) sample.group = sample.file;
    for (std::size_t frame = 0; frame < rows[i].frames; ++frame) {
      samples.push_back(sample);
      samples.back().file += "/" + std::to_string(frame);
    }
  }
  catalog.samples = std::move(samples);
  if (files == 0) return;
  catalog.notes.push_back(
      std::to_string(files) +
      (files == 1 ? " DICOM file of several frames" : " DICOM files of several frames") +
      " became " + std::to_string(frames) + " rows, one per frame");
}

}  // namespace

std::optional<FrameMember> frame_member(const std::string& path) {
  const std::string name = name_of(path);
  const std::optional<std::size_t> frame = parse_whole<std::size_t>(name);
  if (!frame || name.size() == path.size() || name.size() > 7) return std::nullopt;
  FrameMember member{folder_of(path), *frame};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(member.file, ignored)) return std::nullopt;
  return member;
}

void take_dicom_rows(Catalog& catalog, bool keep_names) {
  constexpr std::size_t block = 64;
  std::vector<DicomRow> rows(catalog.samples.size());
  parallel_blocks(rows.size(), block, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      rows[i] = read_row(catalog, catalog.samples[i], keep_names);
    }
  });
  const bool is_dicom =
      std::any_of(rows.begin(), rows.end(), [](const DicomRow& row) { return row.is_dicom; });
  if (!is_dicom) return;
  if (!catalog.has_groups()) {
    for (std::size_t i = 0; i < rows.size(); ++i) catalog.samples[i].group = rows[i].group;
  }
  add_columns(rows, catalog);
  add_frames(rows, catalog);
}

}  // namespace cubcal
