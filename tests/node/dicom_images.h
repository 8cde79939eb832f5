#pragma once

#include <string>

#include "dicom/dicom_file.h"

namespace cubcal::test {

/// A gray image of 16 x 16 pixels of one level, of a patient and a study, as a DICOM file.
inline DicomFileBuilder dicom_image(const std::string& uid, unsigned char level,
                                    const std::string& study = "1.2.9") {
  DicomFileBuilder file = DicomFileBuilder::gray(16, 16, 8);
  file.text(0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.7").text(0x00080018, "UI", uid);
  file.text(0x00080005, "CS", "ISO_IR 100").text(0x00080020, "DA", "20260102");
  file.text(0x00080030, "TM", "101112").text(0x00080050, "SH", "A77");
  file.text(0x00100010, "PN", "M\xfcller^Anna").text(0x00100020, "LO", "P-4711");
  file.text(0x00100030, "DA", "19700102").text(0x00100040, "CS", "F");
  file.text(0x0020000d, "UI", study).text(0x0020000e, "UI", study + ".1");
  file.text(0x00200010, "SH", "S1").text(0x00200013, "IS", "7");
  file.bytes(0x7fe00010, "OB", std::string(256, static_cast<char>(level)));
  return file;
}

}  // namespace cubcal::test
