#include "cubcal/dicom/dicom_frame.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_jpeg.h"
#include "cubcal/dicom/dicom_jpeg2000.h"
#include "cubcal/dicom/dicom_rle.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

enum class Packing { kNone, kRle, kJpeg, kJpeg2000, kNotDecoded };

struct Syntax {
  const char* uid;
  Packing packing;
  const char* name;
};

constexpr Syntax kSyntaxes[] = {
    {"1.2.840.10008.1.2", Packing::kNone, "Implicit VR Little Endian"},
    {"1.2.840.10008.1.2.1", Packing::kNone, "Explicit VR Little Endian"},
    {"1.2.840.10008.1.2.1.99", Packing::kNone, "Deflated Explicit VR Little Endian"},
    {"1.2.840.10008.1.2.2", Packing::kNone, "Explicit VR Big Endian"},
    {"1.2.840.10008.1.2.5", Packing::kRle, "RLE Lossless"},
    {"1.2.840.10008.1.2.4.50", Packing::kJpeg, "JPEG Baseline"},
    {"1.2.840.10008.1.2.4.51", Packing::kJpeg, "JPEG Extended"},
    {"1.2.840.10008.1.2.4.57", Packing::kJpeg, "JPEG Lossless"},
    {"1.2.840.10008.1.2.4.70", Packing::kJpeg, "JPEG Lossless, first-order prediction"},
    {"1.2.840.10008.1.2.4.80", Packing::kJpeg, "JPEG-LS Lossless"},
    {"1.2.840.10008.1.2.4.81", Packing::kJpeg, "JPEG-LS Near-Lossless"},
    {"1.2.840.10008.1.2.4.90", Packing::kJpeg2000, "JPEG 2000 Lossless"},
    {"1.2.840.10008.1.2.4.91", Packing::kJpeg2000, "JPEG 2000"},
    {"1.2.840.10008.1.2.4.92", Packing::kNotDecoded, "JPEG 2000 Multi-component Lossless"},
    {"1.2.840.10008.1.2.4.93", Packing::kNotDecoded, "JPEG 2000 Multi-component"},
    {"1.2.840.10008.1.2.4.100", Packing::kNotDecoded, "MPEG2"},
    {"1.2.840.10008.1.2.4.102", Packing::kNotDecoded, "MPEG-4"},
    {"1.2.840.10008.1.2.4.110", Packing::kNotDecoded, "JPEG XL Lossless"},
    {"1.2.840.10008.1.2.4.111", Packing::kNotDecoded, "JPEG XL Recompression"},
    {"1.2.840.10008.1.2.4.112", Packing::kNotDecoded, "JPEG XL"},
    {"1.2.840.10008.1.2.4.201", Packing::kNotDecoded, "High-Throughput JPEG 2000 Lossless"},
    {"1.2.840.10008.1.2.4.203", Packing::kNotDecoded, "High-Throughput JPEG 2000"},
};

Packing packing_of(const std::string& uid) {
  const auto* syntax = std::find_if(std::begin(kSyntaxes), std::end(kSyntaxes),
                                    [&](const Syntax& known) { return uid == known.uid; });
  const bool known = syntax != std::end(kSyntaxes);
  if (known && syntax->packing != Packing::kNotDecoded) return syntax->packing;
  throw DataError(
      "its transfer syntax is " +
      (known ? std::string(syntax->name) + " (" + uid + ")" : in_quotes(uid)) +
      " where uncompressed, deflated, RLE, JPEG, JPEG-LS and JPEG 2000 ones are decoded");
}

/// The fragments from which a frame is put together, one after the other.
std::string frame_stream(const DicomElement& pixels, std::size_t frames, std::size_t frame) {
  const std::vector<std::string_view> items = dicom_fragments(pixels);
  if (items.size() < 2) throw DataError("it holds no pixel fragments");
  const std::size_t fragments = items.size() - 1;
  const std::string_view offsets = items.front();
  std::size_t first = 1;
  std::size_t last = fragments + 1;
  if (fragments == frames) {
    first = frame + 1;
    last = frame + 2;
  } else if (frames > 1) {
    if (offsets.size() != 4 * frames) {
      throw DataError("it has " + std::to_string(frames) + " frames in " +
                      std::to_string(fragments) +
                      " fragments and no table that says where each "
                      "starts");
    }
    // Offsets count from the first fragment and include the 8 bytes before each.
    const std::size_t start = dicom_u32(offsets, 4 * frame);
    const bool is_last_frame = frame + 1 == frames;
    const std::size_t end = is_last_frame ? pixels.value.size() : dicom_u32(offsets, 4 * frame + 4);
    std::size_t offset = 0;
    first = last = items.size();
    for (std::size_t i = 1; i < items.size(); offset += 8 + items[i].size(), ++i) {
      if (offset == start) first = i;
      if (offset == end && i > first) last = std::min(last, i);
    }
    if (first == items.size()) throw DataError("the table of its frames is damaged");
  }
  std::string stream;
  for (std::size_t i = first; i < last; ++i) stream += items[i];
  return stream;
}

std::vector<std::uint16_t> native_values(const DicomElement& pixels, const DicomPixelFormat& format,
                                         std::size_t frame, bool big_endian) {
  const std::size_t value_bytes = format.bits_allocated / 8;
  const std::size_t frame_bytes = format.values() * value_bytes;
  if (pixels.value.size() / frame_bytes <= frame) {
    throw DataError("it has " + std::to_string(pixels.value.size()) + " bytes of pixels where " +
                    std::to_string(format.frames) + " x " + std::to_string(frame_bytes) +
                    " are needed");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(pixels.value.data());
  const std::size_t start = frame * frame_bytes;
  std::vector<std::uint16_t> values(format.values());
  if (value_bytes == 2) {
    const unsigned char* low = bytes + start + (big_endian ? 1 : 0);
    const unsigned char* high = bytes + start + (big_endian ? 0 : 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::uint16_t>(low[2 * i] | high[2 * i] << 8);
    }
  } else if (big_endian && pixels.words) {
    // Bytes in big-endian words are swapped in pairs, of which the last can be incomplete.
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t place = (start + i) ^ 1U;
      values[i] = place < pixels.value.size() ? bytes[place] : 0;
    }
  } else {
    std::copy_n(bytes + start, values.size(), values.begin());
  }
  return values;
}

/// YBR_FULL_422 (PS3.3, C.7.6.3.1.2): two pixels share their colour and lie as Y, Y, B, R.
DicomFrame halved_colours(const DicomElement& pixels, const DicomPixelFormat& format,
                          std::size_t frame) {
  if (format.bits_allocated != 8 || format.width % 2 != 0 || format.planar ||
      pixels.inside.big_endian) {
    throw DataError("its YBR_FULL_422 pixels are not pairs of bytes");
  }
  const std::size_t frame_bytes = 2 * format.height * format.width;
  if (pixels.value.size() / frame_bytes <= frame) {
    throw DataError("it has " + std::to_string(pixels.value.size()) + " bytes of pixels where " +
                    std::to_string(format.frames) + " x " + std::to_string(frame_bytes) +
                    " are needed");
  }
  DicomFrame stored{{}, "YBR_FULL"};
  stored.codes.reserve(format.values());
  const auto* bytes = reinterpret_cast<const unsigned char*>(pixels.value.data());
  for (const unsigned char* pair = bytes + frame * frame_bytes;
       pair != bytes + (frame + 1) * frame_bytes; pair += 4) {
    for (const unsigned char luma : {pair[0], pair[1]}) {
      stored.codes.insert(stored.codes.end(), {luma, pair[2], pair[3]});
    }
  }
  return stored;
}

std::vector<std::uint16_t> by_pixel(const std::vector<std::uint16_t>& planes, std::size_t samples) {
  const std::size_t pixels = planes.size() / samples;
  std::vector<std::uint16_t> values(planes.size());
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t i = 0; i < pixels; ++i) values[i * samples + s] = planes[s * pixels + i];
  }
  return values;
}

}  // namespace

DicomFrame read_dicom_frame(const DicomFile& file, const DicomPixelFormat& format,
                            std::size_t frame) {
  const DicomElement& pixels = *file.dataset.find(kDicomPixels);
  const Packing packing = packing_of(file.transfer_syntax);
  if ((packing == Packing::kNone) == pixels.undefined_length) {
    throw DataError("its pixels do not lie as its transfer syntax " + file.transfer_syntax +
                    " demands");
  }
  DicomFrame stored{{}, format.photometric};
  if (packing == Packing::kJpeg) {
    DicomJpegFrame decoded =
        decode_dicom_jpeg(frame_stream(pixels, format.frames, frame), file.transfer_syntax, format);
    stored = {std::move(decoded.values), std::move(decoded.photometric)};
  } else if (packing == Packing::kJpeg2000) {
    stored = decode_dicom_jpeg2000(frame_stream(pixels, format.frames, frame), format);
  } else if (format.photometric == "YBR_RCT" || format.photometric == "YBR_ICT") {
    throw DataError("its colours are " + format.photometric +
                    ", which JPEG 2000 streams alone can have");
  } else if (format.photometric == "YBR_FULL_422" && packing == Packing::kNone) {
    stored = halved_colours(pixels, format, frame);
  } else if (format.photometric == "YBR_FULL_422") {
    throw DataError(
        "its colours are YBR_FULL_422, which is decoded in JPEG streams and uncompressed");
  } else if (packing == Packing::kRle) {
    stored.codes = decode_dicom_rle(frame_stream(pixels, format.frames, frame), format);
  } else {
    stored.codes = native_values(pixels, format, frame, pixels.inside.big_endian);
    if (format.planar) stored.codes = by_pixel(stored.codes, format.samples);
  }
  const unsigned shift = format.high_bit + 1 - format.bits_stored;
  const unsigned mask = static_cast<unsigned>(format.codes() - 1);
  for (std::uint16_t& code : stored.codes) code = static_cast<std::uint16_t>(code >> shift & mask);
  return stored;
}

}  // namespace cubcal
