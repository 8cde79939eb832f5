#include "cubcal/dicom/dicom_jpeg2000.h"

#include "cubcal/core/error.h"
#include "cubcal/image/jpeg2000_stream.h"

namespace cubcal {

namespace {

Jpeg2000Planes planes_of(std::string_view stream) {
  if (!has_jpeg2000()) {
    throw DataError("its pixels are JPEG 2000, and cubcal was built without it");
  }
  try {
    return decode_jpeg2000_planes(stream);
  } catch (const DataError& error) {
    throw DataError(std::string("of its JPEG 2000 stream: ") + error.what());
  }
}

}  // namespace

DicomFrame decode_dicom_jpeg2000(std::string_view stream, const DicomPixelFormat& format) {
  const Jpeg2000Planes planes = planes_of(stream);
  const bool fits = planes.height == format.height && planes.width == format.width &&
                    planes.channels == format.samples && planes.bits <= format.bits_allocated;
  if (!fits) throw DataError("its JPEG 2000 stream is of another size than the file says");
  DicomFrame frame{{}, format.photometric};
  if (format.photometric == "YBR_RCT" || format.photometric == "YBR_ICT") frame.photometric = "RGB";
  frame.codes.reserve(planes.values.size());
  // A negative number keeps its lowest bits, which is how a file stores it.
  for (const std::int32_t value : planes.values) {
    frame.codes.push_back(static_cast<std::uint16_t>(static_cast<std::uint32_t>(value) & 0xffffU));
  }
  return frame;
}

}  // namespace cubcal
