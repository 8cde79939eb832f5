#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cubcal/dicom/dicom_dataset.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// Decodes a DICOM image: uncompressed and RLE always, JPEG and JPEG-LS where this build has DCMTK.
/// MONOCHROME1 and MONOCHROME2 become gray as dicom_levels.h says, with the window of the options;
/// PALETTE COLOR, RGB and YBR become RGB. Up to 8 stored bits give an image of 8 bits, else 16. A
/// file of several frames is refused unless the options name one. `name` is for messages. Throws
/// DataError.
Image decode_dicom(std::string_view bytes, const std::string& name,
                   const ImageFileOptions& options = {});

/// What a catalog wants to know of a DICOM file, as UTF-8; what the file does not say is empty.
struct DicomFacts {
  std::string patient_id = {};
  std::string study_uid = {};
  std::string sop_uid = {};  ///< of this very image
  std::string modality = {};
  std::string manufacturer = {};
  std::string institution = {};
  std::string view = {};  ///< ViewPosition
  std::string photometric = {};
  std::string window = {};  ///< "40 / 400": the first centre and width
  std::size_t frames = 1;
};

/// Reads no more of the file than it needs, and no pixels. Throws IoError and DataError as
/// read_image_file does.
DicomFacts read_dicom_facts(const std::string& path);
/// The same for the bytes of a file; `name` is for messages.
DicomFacts dicom_facts(std::string_view bytes, const std::string& name);

}  // namespace cubcal
