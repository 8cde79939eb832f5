#include "cubcal/dicom/dicom_image.h"

#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_colours.h"
#include "cubcal/dicom/dicom_frame.h"
#include "cubcal/dicom/dicom_levels.h"
#include "cubcal/image/image_failure.h"
#include "cubcal/io/byte_source.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr DicomTag kModality = 0x00080060;
constexpr DicomTag kManufacturer = 0x00080070;
constexpr DicomTag kInstitution = 0x00080080;
constexpr DicomTag kViewPosition = 0x00185101;
constexpr DicomTag kPhotometric = 0x00280004;
constexpr DicomTag kWindowCentre = 0x00281050;
constexpr DicomTag kWindowWidth = 0x00281051;
constexpr DicomTag kPatientId = 0x00100020;
constexpr DicomTag kStudyUid = 0x0020000d;
constexpr DicomTag kSopUid = 0x00080018;

DataError dicom_failure(const std::string& name, const char* reason) {
  return DataError("the DICOM image '" + name + "' cannot be read: " + reason);
}

std::size_t choose_frame(std::size_t frames, const std::optional<std::size_t>& wanted) {
  if (!wanted && frames > 1) {
    throw DataError("it has " + std::to_string(frames) + " frames, 0 to " +
                    std::to_string(frames - 1) +
                    ": name one by the option 'frame', over HTTP by ?frame=, in a manifest as "
                    "'scan.dcm/0'");
  }
  const std::size_t frame = wanted.value_or(0);
  if (frame >= frames) {
    throw DataError("it has no frame " + std::to_string(frame) + ", only 0 to " +
                    std::to_string(frames - 1));
  }
  return frame;
}

Image decode(std::string_view bytes, const ImageFileOptions& options) {
  const DicomFile file = read_dicom(bytes, kDicomPixels);
  const DicomPixelFormat format = read_dicom_pixel_format(file.dataset);
  check_image_size(format.height, format.width, options.max_pixels);
  const std::size_t number = choose_frame(format.frames, options.dicom_frame);
  const DicomFrame frame = read_dicom_frame(file, format, number);
  const bool is_gray = frame.photometric == "MONOCHROME1" || frame.photometric == "MONOCHROME2";
  return is_gray ? dicom_gray(file.dataset, format, number, frame.codes, options.dicom_window)
                 : dicom_colours(file.dataset, format, frame);
}

/// Bytes that are no UTF-8 are read as Latin 1, by far the most frequent other one.
std::string as_utf8(const std::string& text) {
  if (is_utf8(text)) return text;
  std::string converted;
  for (const char byte : text) append_utf8(converted, static_cast<unsigned char>(byte));
  return converted;
}

DicomFacts facts_in(std::string_view bytes) {
  const DicomFile file = read_dicom(bytes, kWindowWidth);
  const DicomDataset& dataset = file.dataset;
  const auto text = [&](DicomTag tag) { return as_utf8(dataset.text(tag)); };
  DicomFacts facts;
  facts.patient_id = text(kPatientId);
  facts.study_uid = text(kStudyUid);
  facts.sop_uid = text(kSopUid);
  facts.modality = text(kModality);
  facts.manufacturer = text(kManufacturer);
  facts.institution = text(kInstitution);
  facts.view = text(kViewPosition);
  facts.photometric = text(kPhotometric);
  const std::string centre = text(kWindowCentre);
  const std::string width = text(kWindowWidth);
  if (!centre.empty() && !width.empty()) {
    facts.window = centre.substr(0, centre.find('\\')) + " / " + width.substr(0, width.find('\\'));
  }
  facts.frames = dicom_frames(dataset);
  return facts;
}

}  // namespace

Image decode_dicom(std::string_view bytes, const std::string& name,
                   const ImageFileOptions& options) {
  try {
    return decode(bytes, options);
  } catch (const DataError& error) {
    throw dicom_failure(name, error.what());
  }
}

DicomFacts dicom_facts(std::string_view bytes, const std::string& name) {
  if (!is_dicom(bytes)) throw DataError("'" + name + "' is not a DICOM file");
  try {
    return facts_in(bytes);
  } catch (const DataError& error) {
    throw dicom_failure(name, error.what());
  }
}

DicomFacts read_dicom_facts(const std::string& path) {
  const FileSource source(path);
  const auto size = static_cast<std::size_t>(source.size());
  std::string copy;
  // A mapped file is read from disk only where it is looked at: its front.
  const std::shared_ptr<std::byte> mapped = source.map(0, size);
  if (!mapped) {
    copy.resize(size);
    source.read_at(0, copy.data(), size);
  }
  const std::string_view bytes(mapped ? reinterpret_cast<const char*>(mapped.get()) : copy.data(),
                               size);
  return dicom_facts(bytes, path);
}

}  // namespace cubcal
