#include "cubcal/dicom/dicom_jpeg.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcdeftag.h>
#include <dcmtk/dcmdata/dcfilefo.h>
#include <dcmtk/dcmdata/dcrleerg.h>
#include <dcmtk/dcmdata/dcuid.h>
#include <dcmtk/dcmimage/diregist.h>
#include <dcmtk/dcmimgle/dcmimage.h>
#include <dcmtk/dcmjpeg/djencode.h>
#include <dcmtk/dcmjpeg/djrplol.h>
#include <dcmtk/dcmjpeg/djrploss.h>
#include <dcmtk/dcmjpls/djencode.h>
#include <dcmtk/dcmjpls/djrparam.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "cubcal/dicom/dicom_image.h"
#include "dicom/dicom_file.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

constexpr std::size_t kHeight = 24;
constexpr std::size_t kWidth = 33;

/// A gradient with a disc, gray of 12 bits in 16.
std::vector<std::uint16_t> drawn_values() {
  std::vector<std::uint16_t> values;
  for (std::size_t y = 0; y < kHeight; ++y) {
    for (std::size_t x = 0; x < kWidth; ++x) {
      const bool inside = (x - 16) * (x - 16) + (y - 12) * (y - 12) < 60;
      values.push_back(static_cast<std::uint16_t>(40 * x + 60 * y + (inside ? 1000 : 0)));
    }
  }
  return values;
}

struct Drawing {
  std::string photometric = "MONOCHROME2";
  unsigned bits = 12;
  bool is_signed = false;
  std::string centre = {};
  std::string width = {};
  std::vector<std::uint16_t> values = drawn_values();  ///< bytes where bits is 8
  std::size_t frames = 1;
};

void put_pixels(DcmDataset& dataset, const Drawing& drawing) {
  const bool wide = drawing.bits > 8;
  const bool is_colour = drawing.photometric == "RGB";
  dataset.putAndInsertUint16(DCM_SamplesPerPixel, is_colour ? 3 : 1);
  if (is_colour) dataset.putAndInsertUint16(DCM_PlanarConfiguration, 0);
  dataset.putAndInsertString(DCM_PhotometricInterpretation, drawing.photometric.c_str());
  dataset.putAndInsertUint16(DCM_Rows, kHeight);
  dataset.putAndInsertUint16(DCM_Columns, kWidth);
  dataset.putAndInsertUint16(DCM_BitsAllocated, wide ? 16 : 8);
  dataset.putAndInsertUint16(DCM_BitsStored, static_cast<Uint16>(drawing.bits));
  dataset.putAndInsertUint16(DCM_HighBit, static_cast<Uint16>(drawing.bits - 1));
  dataset.putAndInsertUint16(DCM_PixelRepresentation, drawing.is_signed ? 1 : 0);
  if (drawing.frames > 1) {
    dataset.putAndInsertString(DCM_NumberOfFrames, std::to_string(drawing.frames).c_str());
  }
  if (!drawing.centre.empty()) {
    dataset.putAndInsertString(DCM_WindowCenter, drawing.centre.c_str());
    dataset.putAndInsertString(DCM_WindowWidth, drawing.width.c_str());
  }
  if (wide) {
    dataset.putAndInsertUint16Array(DCM_PixelData, drawing.values.data(), drawing.values.size());
  } else {
    const std::vector<Uint8> bytes(drawing.values.begin(), drawing.values.end());
    dataset.putAndInsertUint8Array(DCM_PixelData, bytes.data(), bytes.size());
  }
}

/// Has DCMTK write the drawing in a transfer syntax.
void write_dicom(const std::string& path, const Drawing& drawing, E_TransferSyntax syntax,
                 const DcmRepresentationParameter* parameter = nullptr) {
  static const bool registered = [] {
    DJEncoderRegistration::registerCodecs();
    DJLSEncoderRegistration::registerCodecs();
    DcmRLEEncoderRegistration::registerCodecs();
    return true;
  }();
  ASSERT_TRUE(registered);
  DcmFileFormat file;
  DcmDataset& dataset = *file.getDataset();
  dataset.putAndInsertString(DCM_SOPClassUID, UID_SecondaryCaptureImageStorage);
  dataset.putAndInsertString(DCM_SOPInstanceUID, "1.2.3.4");
  dataset.putAndInsertString(DCM_PatientID, "patient 1");
  put_pixels(dataset, drawing);
  ASSERT_TRUE(dataset.chooseRepresentation(syntax, parameter).good());
  ASSERT_TRUE(file.saveFile(path.c_str(), syntax).good());
}

ImageFileOptions full() {
  ImageFileOptions options;
  options.dicom_window = DicomWindow::kFull;
  return options;
}

class DicomJpeg : public testing::Test {
 protected:
  Image written_and_read(const Drawing& drawing, E_TransferSyntax syntax,
                         const DcmRepresentationParameter* parameter = nullptr,
                         const ImageFileOptions& options = {}) {
    write_dicom(path_, drawing, syntax, parameter);
    return read_image_file(path_, options);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("image.dcm");
};

TEST_F(DicomJpeg, LosslessSyntaxesGiveTheSameAsNone) {
  const DJ_RPLossless first_order(1, 0);
  const DJLSRepresentationParameter lossless_ls;
  for (const unsigned bits : {8U, 12U, 16U}) {
    for (const char* photometric : {"MONOCHROME1", "MONOCHROME2"}) {
      Drawing drawing;
      drawing.bits = bits;
      drawing.photometric = photometric;
      if (bits == 8) {
        for (std::uint16_t& value : drawing.values) value = static_cast<std::uint16_t>(value / 16);
      }
      SCOPED_TRACE(std::string(photometric) + " " + std::to_string(bits));
      const Image plain = written_and_read(drawing, EXS_LittleEndianExplicit, nullptr, full());
      EXPECT_EQ(plain.is_deep(), bits > 8);
      for (const E_TransferSyntax syntax :
           {EXS_LittleEndianImplicit, EXS_BigEndianExplicit, EXS_RLELossless, EXS_JPEGProcess14SV1,
            EXS_JPEGLSLossless}) {
        const DcmRepresentationParameter* parameter = nullptr;
        if (syntax == EXS_JPEGProcess14SV1) parameter = &first_order;
        if (syntax == EXS_JPEGLSLossless) parameter = &lossless_ls;
        const Image image = written_and_read(drawing, syntax, parameter, full());
        EXPECT_EQ(image.pixels, plain.pixels) << syntax;
        EXPECT_EQ(image.deep_pixels, plain.deep_pixels) << syntax;
      }
    }
  }
}

TEST_F(DicomJpeg, SignedValues) {
  Drawing drawing;
  drawing.bits = 16;
  drawing.is_signed = true;
  for (std::uint16_t& value : drawing.values) value = static_cast<std::uint16_t>(value - 1024);
  const Image plain = written_and_read(drawing, EXS_LittleEndianExplicit, nullptr, full());
  const DJ_RPLossless first_order(1, 0);
  EXPECT_EQ(written_and_read(drawing, EXS_JPEGProcess14SV1, &first_order, full()).deep_pixels,
            plain.deep_pixels);
  EXPECT_EQ(written_and_read(drawing, EXS_RLELossless, nullptr, full()).deep_pixels,
            plain.deep_pixels);
  EXPECT_EQ(plain.deep_pixels.front(), 0);
}

TEST_F(DicomJpeg, LossySyntaxesAreNear) {
  Drawing drawing;
  drawing.bits = 8;
  for (std::uint16_t& value : drawing.values) value = static_cast<std::uint16_t>(value / 16);
  const DJ_RPLossy quality(95);
  const Image baseline = written_and_read(drawing, EXS_JPEGProcess1, &quality);
  ASSERT_EQ(baseline.pixels.size(), drawing.values.size());
  for (std::size_t i = 0; i < drawing.values.size(); ++i) {
    ASSERT_NEAR(int{baseline.pixels[i]}, int{drawing.values[i]}, 12) << i;
  }
  Drawing deep;
  deep.centre = "2048";
  deep.width = "4096";
  const Image extended = written_and_read(deep, EXS_JPEGProcess2_4, &quality);
  ASSERT_EQ(extended.deep_pixels.size(), deep.values.size());
  for (std::size_t i = 0; i < deep.values.size(); ++i) {
    ASSERT_NEAR(extended.deep_pixels[i] / 16.0, deep.values[i], 100) << i;
  }
}

TEST_F(DicomJpeg, Colours) {
  Drawing drawing;
  drawing.photometric = "RGB";
  drawing.bits = 8;
  drawing.values.clear();
  for (std::size_t i = 0; i < kHeight * kWidth; ++i) {
    const std::size_t x = i % kWidth;
    const std::size_t y = i / kWidth;
    for (const std::size_t level : {7 * x, 10 * y, 255 - 4 * x - 5 * y}) {
      drawing.values.push_back(static_cast<std::uint16_t>(level));
    }
  }
  const std::vector<std::uint8_t> expected(drawing.values.begin(), drawing.values.end());
  const DJ_RPLossless first_order(1, 0);
  const DJLSRepresentationParameter lossless_ls;
  EXPECT_EQ(written_and_read(drawing, EXS_RLELossless).pixels, expected);
  EXPECT_EQ(written_and_read(drawing, EXS_JPEGProcess14SV1, &first_order).pixels, expected);
  EXPECT_EQ(written_and_read(drawing, EXS_JPEGLSLossless, &lossless_ls).pixels, expected);
  const DJ_RPLossy quality(95);
  const Image lossy = written_and_read(drawing, EXS_JPEGProcess1, &quality);  // YBR_FULL_422
  ASSERT_EQ(lossy.channels, 3U);
  ASSERT_EQ(lossy.pixels.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(int{lossy.pixels[i]}, int{expected[i]}, 25) << i;
  }
}

TEST_F(DicomJpeg, Frames) {
  Drawing drawing;
  drawing.frames = 2;
  const std::size_t size = drawing.values.size();
  for (std::size_t i = 0; i < size; ++i) {
    drawing.values.push_back(static_cast<std::uint16_t>(4000 - drawing.values[i]));
  }
  const DJ_RPLossless first_order(1, 0);
  write_dicom(path_, drawing, EXS_JPEGProcess14SV1, &first_order);
  expect_error<DataError>([&] { read_image_file(path_); },
                          "it has 2 frames, 0 to 1: name one by the option 'frame', over HTTP by "
                          "?frame=, in a manifest as 'scan.dcm/0'");
  EXPECT_EQ(read_dicom_facts(path_).frames, 2U);
  EXPECT_EQ(read_dicom_facts(path_).patient_id, "patient 1");
  ImageFileOptions options = full();
  options.dicom_frame = 1;
  const Image second = read_image_file(path_, options);
  options.dicom_frame = 0;
  const Image first = read_image_file(path_, options);
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_NEAR(int{first.deep_pixels[i]}, 65535 - int{second.deep_pixels[i]}, 1) << i;
  }
}

TEST_F(DicomJpeg, WindowsAgreeWithDcmtk) {
  Drawing drawing;
  drawing.centre = "1500";
  drawing.width = "1100";
  for (const char* photometric : {"MONOCHROME2", "MONOCHROME1"}) {
    drawing.photometric = photometric;
    const Image image = written_and_read(drawing, EXS_LittleEndianExplicit);
    DicomImage reference(path_.c_str());
    ASSERT_EQ(reference.getStatus(), EIS_Normal);
    ASSERT_EQ(reference.setWindow(0), 1);
    const auto* levels = static_cast<const Uint16*>(reference.getOutputData(16));
    ASSERT_NE(levels, nullptr);
    for (std::size_t i = 0; i < image.deep_pixels.size(); ++i) {
      ASSERT_NEAR(int{image.deep_pixels[i]}, int{levels[i]}, 1) << i;
    }
  }
}

TEST_F(DicomJpeg, StreamsThatLieAreRefused) {
  const DJ_RPLossless first_order(1, 0);
  const DJLSRepresentationParameter lossless_ls;
  for (const E_TransferSyntax syntax : {EXS_JPEGProcess14SV1, EXS_JPEGLSLossless}) {
    const DcmRepresentationParameter* parameter = &first_order;
    if (syntax == EXS_JPEGLSLossless) parameter = &lossless_ls;
    write_dicom(path_, Drawing(), syntax, parameter);
    const std::string uid = DcmXfer(syntax).getXferID();
    const std::string whole = file_bytes(path_);
    const DicomFile parsed = read_dicom(whole, kDicomPixels);
    const std::string stream(dicom_fragments(*parsed.dataset.find(kDicomPixels)).at(1));
    const auto wrapped = [&](const std::string& bytes, std::uint16_t height) {
      auto builder = DicomFileBuilder::gray(height, kWidth, 16);
      builder.words(0x00280101, {12}).words(0x00280102, {11}).fragments({"", bytes});
      return builder.file(uid);
    };
    EXPECT_EQ(decode_dicom(wrapped(stream, kHeight), "a").height, kHeight);
    expect_error<DataError>(
        [&] { decode_dicom(wrapped(stream, 25), "a"); },
        "its JPEG stream has 33 x 24 x 1 values where the file says 33 x 25 x 1");
    for (std::size_t size = 0; size + 4 < stream.size(); size += 1 + stream.size() / 40) {
      expect_error<DataError>([&] { decode_dicom(wrapped(stream.substr(0, size), kHeight), "a"); },
                              "its JPEG stream is ");
    }
    for (std::size_t place = 0; place < stream.size(); place += 1 + stream.size() / 200) {
      std::string damaged = stream;
      damaged[place] = static_cast<char>(damaged[place] ^ 0x55);
      try {
        decode_dicom(wrapped(damaged, kHeight), "a");
      } catch (const DataError&) {
        continue;  // refused: as good
      }
    }
  }
}

TEST_F(DicomJpeg, ManyThreadsReadAtOnce) {
  const DJ_RPLossless first_order(1, 0);
  const Image expected = written_and_read(Drawing(), EXS_JPEGProcess14SV1, &first_order, full());
  const std::string bytes = file_bytes(path_);
  std::vector<std::thread> threads;
  std::vector<std::size_t> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        wrong[t] += decode_dicom(bytes, "a", full()).deep_pixels != expected.deep_pixels;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<std::size_t>(4, 0));
}

TEST_F(DicomJpeg, NothingIsPrinted) {
  const DJ_RPLossy quality(90);
  Drawing drawing;
  drawing.bits = 8;
  write_dicom(path_, drawing, EXS_JPEGProcess1, &quality);
  std::string bytes = file_bytes(path_);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (std::size_t place = bytes.size() / 2; place < bytes.size(); place += 3) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x0f);
    try {
      decode_dicom(damaged, "a");
    } catch (const DataError&) {
      continue;
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace cubcal::test
