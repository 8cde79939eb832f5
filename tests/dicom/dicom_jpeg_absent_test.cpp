#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_image.h"
#include "dicom/dicom_file.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

TEST(DicomJpeg, SaysThatDcmtkIsMissing) {
  auto file = DicomFileBuilder::gray(1, 2, 8);
  file.fragments({"", "\xff\xd8"});
  expect_error<DataError>(
      [&] { decode_dicom(file.file("1.2.840.10008.1.2.4.50"), "a.dcm"); },
      "the DICOM image 'a.dcm' cannot be read: its pixels are JPEG (transfer syntax "
      "1.2.840.10008.1.2.4.50), and cubcal was built without DCMTK, which decodes them");
}

}  // namespace
}  // namespace cubcal::test
