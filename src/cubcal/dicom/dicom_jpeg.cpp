#include "cubcal/dicom/dicom_jpeg.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dccodec.h>
#include <dcmtk/dcmdata/dcdeftag.h>
#include <dcmtk/dcmdata/dcitem.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>
#include <dcmtk/dcmdata/dcxfer.h>
#include <dcmtk/dcmjpeg/djdecode.h>
#include <dcmtk/dcmjpls/djdecode.h>
#include <dcmtk/oflog/appender.h>
#include <dcmtk/oflog/oflog.h>
#include <dcmtk/oflog/spi/logevent.h>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

// The codecs see a data set made here from checked values, never the one of the file.

namespace cubcal {

namespace {

/// A byte of Huffman codes holds no more pixels: every block of 8 x 8 takes a bit at least.
constexpr std::size_t kPixelsPerByte = 512;

/// The first warning or error of a codec in this thread while it is not null.
thread_local std::string* complaint = nullptr;

class ComplaintAppender final : public dcmtk::log4cplus::Appender {
 public:
  ~ComplaintAppender() override { destructorImpl(); }
  void close() override { closed = true; }

 protected:
  void append(const dcmtk::log4cplus::spi::InternalLoggingEvent& event) override {
    const bool is_codec = event.getLoggerName().find("dcmjp") != OFString_npos;
    if (complaint != nullptr && complaint->empty() && is_codec) {
      complaint->assign(event.getMessage().c_str());
    }
  }
};

class ComplaintScope {
 public:
  explicit ComplaintScope(std::string& text) { complaint = &text; }
  ~ComplaintScope() { complaint = nullptr; }
  ComplaintScope(const ComplaintScope&) = delete;
  ComplaintScope& operator=(const ComplaintScope&) = delete;
};

bool replace_log() {
  OFLog::configure(OFLogger::WARN_LOG_LEVEL);
  dcmtk::log4cplus::Logger root = dcmtk::log4cplus::Logger::getRoot();
  root.removeAllAppenders();
  root.addAppender(dcmtk::log4cplus::SharedAppenderPtr(new ComplaintAppender));
  return true;
}

bool prepare_dcmtk() {
  take_over_dcmtk_log();
  DJDecoderRegistration::registerCodecs();
  DJLSDecoderRegistration::registerCodecs();
  return true;
}

struct JpegHead {
  unsigned precision = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t samples = 0;
  bool is_jpeg_ls = false;
};

/// What the stream itself says, from its start-of-frame marker.
JpegHead read_head(std::string_view stream) {
  const auto byte = [&](std::size_t place) {
    if (place >= stream.size()) throw DataError("its JPEG stream is cut short");
    return unsigned{static_cast<unsigned char>(stream[place])};
  };
  if (byte(0) != 0xff || byte(1) != 0xd8) throw DataError("its JPEG stream is damaged");
  std::size_t place = 2;
  for (;;) {
    if (byte(place) != 0xff) throw DataError("its JPEG stream is damaged");
    const unsigned marker = byte(place + 1);
    if (marker == 0xff) {  // a fill byte
      ++place;
      continue;
    }
    const std::size_t length = byte(place + 2) << 8 | byte(place + 3);
    const bool is_frame = marker >= 0xc0 && marker <= 0xc7 && marker != 0xc4;  // Huffman-coded
    const bool is_jpeg_ls = marker == 0xf7;
    if (is_frame || is_jpeg_ls) {
      return {byte(place + 4), byte(place + 5) << 8 | byte(place + 6),
              byte(place + 7) << 8 | byte(place + 8), byte(place + 9), is_jpeg_ls};
    }
    if (marker >= 0xc9 && marker <= 0xcf && marker != 0xcc) {
      throw DataError("its JPEG stream is arithmetic-coded, which is not supported");
    }
    if (length < 2 || marker == 0xda) throw DataError("its JPEG stream is damaged");
    place += 2 + length;
  }
}

void check_head(const JpegHead& head, std::size_t stream_size, const DicomPixelFormat& format) {
  const bool agrees =
      head.height == format.height && head.width == format.width && head.samples == format.samples;
  if (!agrees) {
    throw DataError("its JPEG stream has " + std::to_string(head.width) + " x " +
                    std::to_string(head.height) + " x " + std::to_string(head.samples) +
                    " values where the file says " + std::to_string(format.width) + " x " +
                    std::to_string(format.height) + " x " + std::to_string(format.samples));
  }
  if (head.precision < 2 || head.precision > 16) {
    throw DataError("its JPEG stream has " + std::to_string(head.precision) + " bits per value");
  }
  if (!head.is_jpeg_ls && format.height * format.width / kPixelsPerByte > stream_size) {
    throw DataError("it promises more pixels than its bytes can hold");
  }
}

/// Kinds are given, so that no dictionary file is needed.
void describe(DcmItem& item, const DicomPixelFormat& format) {
  const auto put = [&](const DcmTagKey& tag, std::size_t value) {
    item.putAndInsertUint16(DcmTag(tag, EVR_US), static_cast<Uint16>(value));
  };
  put(DCM_SamplesPerPixel, format.samples);
  put(DCM_Rows, format.height);
  put(DCM_Columns, format.width);
  put(DCM_BitsAllocated, format.bits_allocated);
  put(DCM_BitsStored, format.bits_stored);
  put(DCM_HighBit, format.high_bit);
  put(DCM_PixelRepresentation, format.is_signed ? 1 : 0);
  if (format.samples > 1) put(DCM_PlanarConfiguration, 0);
  item.putAndInsertString(DcmTag(DCM_PhotometricInterpretation, EVR_CS),
                          format.photometric.c_str());
}

/// An empty offset table and the stream.
void fill(DcmPixelSequence& sequence, std::string_view stream) {
  const DcmTag tag(DCM_PixelItemTag, EVR_OB);
  sequence.insert(new DcmPixelItem(tag));
  auto* item = new DcmPixelItem(tag);
  sequence.insert(item);
  std::string even(stream);
  if (even.size() % 2 != 0) even += '\0';
  item->putUint8Array(reinterpret_cast<const Uint8*>(even.data()),
                      static_cast<unsigned long>(even.size()));
}

}  // namespace

void take_over_dcmtk_log() {
  static const bool replaced = replace_log();
  static_cast<void>(replaced);
}

DicomJpegFrame decode_dicom_jpeg(std::string_view stream, const std::string& transfer_syntax,
                                 const DicomPixelFormat& format) {
  static const bool prepared = prepare_dcmtk();
  static_cast<void>(prepared);
  const JpegHead head = read_head(stream);
  check_head(head, stream.size(), format);

  DcmItem item;
  describe(item, format);
  DcmPixelSequence sequence(DcmTag(DCM_PixelData, EVR_OB));
  fill(sequence, stream);
  const std::size_t value_bytes = head.precision > 8 ? 2 : 1;
  std::vector<std::uint16_t> buffer((format.values() * value_bytes + 1) / 2 + 1, 0);
  Uint32 first_fragment = 1;
  OFString photometric;
  std::string warning;
  OFCondition outcome;
  {
    const ComplaintScope scope(warning);
    outcome = DcmCodecList::decodeFrame(DcmXfer(transfer_syntax.c_str()), nullptr, &sequence, &item,
                                        0, first_fragment, buffer.data(),
                                        static_cast<Uint32>(2 * buffer.size()), photometric);
  }
  if (outcome.bad() || !warning.empty()) {
    throw DataError("its JPEG stream is damaged: " +
                    in_quotes(warning.empty() ? outcome.text() : warning.c_str()));
  }

  DicomJpegFrame frame;
  // For gray streams the codec always says MONOCHROME2, whatever the file says.
  frame.photometric = format.samples == 1 ? format.photometric : photometric.c_str();
  if (value_bytes == 2) {
    buffer.resize(format.values());
    frame.values = std::move(buffer);
  } else {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(buffer.data());
    frame.values.assign(bytes, bytes + format.values());
  }
  return frame;
}

}  // namespace cubcal
