#include "cubcal/image/jpeg2000_stream.h"

#include <openjpeg.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "cubcal/image/image_failure.h"
#include "cubcal/image/jpeg2000_image.h"

namespace cubcal {

namespace {

/// An even image takes very few bytes, so this only bounds what a tiny file can ask for.
constexpr std::size_t kJ2kPixelsPerByte = 20'000;
constexpr std::size_t kMostChannels = 4;

struct J2kSource {
  std::string_view bytes;
  std::size_t place = 0;
};

OPJ_SIZE_T read_j2k(void* out, OPJ_SIZE_T count, void* user) {
  auto* source = static_cast<J2kSource*>(user);
  if (source->place >= source->bytes.size()) return static_cast<OPJ_SIZE_T>(-1);
  const std::size_t taken = std::min<std::size_t>(count, source->bytes.size() - source->place);
  std::memcpy(out, source->bytes.data() + source->place, taken);
  source->place += taken;
  return taken;
}

OPJ_OFF_T skip_j2k(OPJ_OFF_T count, void* user) {
  auto* source = static_cast<J2kSource*>(user);
  if (count < 0) return -1;
  const std::size_t left = source->bytes.size() - std::min(source->place, source->bytes.size());
  source->place += std::min(static_cast<std::size_t>(count), left);
  return count;
}

OPJ_BOOL seek_j2k(OPJ_OFF_T place, void* user) {
  auto* source = static_cast<J2kSource*>(user);
  if (place < 0 || static_cast<std::size_t>(place) > source->bytes.size()) return OPJ_FALSE;
  source->place = static_cast<std::size_t>(place);
  return OPJ_TRUE;
}

void keep_j2k_complaint(const char* text, void* user) {
  auto* complaint = static_cast<std::string*>(user);
  if (!complaint->empty()) return;
  *complaint = text;
  while (!complaint->empty() && (complaint->back() == '\n' || complaint->back() == '.')) {
    complaint->pop_back();
  }
}

void ignore_j2k_message(const char*, void*) {}

/// Streams and codecs are both pointers to nothing in particular.
struct StreamDeleter {
  void operator()(opj_stream_t* stream) const { opj_stream_destroy(stream); }
};
struct CodecDeleter {
  void operator()(opj_codec_t* codec) const { opj_destroy_codec(codec); }
};
struct ImageDeleter {
  void operator()(opj_image_t* image) const { opj_image_destroy(image); }
};

/// Throws DataError with the reason where the head of the codestream, wherever in the file it
/// stands, names more tiles than its bytes can hold: OpenJPEG takes memory for each of them.
void check_tiles(std::string_view bytes) {
  constexpr std::size_t kBytesPerTile = 14;  // the markers of an empty one
  constexpr std::size_t kSizes = 8;          // from the first marker to the sizes
  constexpr std::size_t kNumbers = 32;       // eight of them
  const std::size_t head = bytes.find("\xff\x4f\xff\x51");
  if (head == std::string_view::npos || bytes.size() - head < kSizes + kNumbers) return;
  const auto number = [&](std::size_t index) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8U | static_cast<unsigned char>(bytes[head + kSizes + 4 * index + i]);
    }
    return value;
  };
  // Sizes of the grid, origin of the image, sizes of a tile, origin of the tiles; each x, then y.
  std::uint64_t tiles = 1;
  for (const std::size_t axis : {0U, 1U}) {
    const std::uint64_t end = number(axis), size = number(4 + axis), origin = number(6 + axis);
    if (size == 0 || origin >= end) return;  // OpenJPEG refuses it
    tiles *= (end - origin + size - 1) / size;
  }
  if (tiles > bytes.size() / kBytesPerTile) {
    throw DataError("it promises more tiles than its bytes can hold");
  }
}

class J2kReader {
 public:
  explicit J2kReader(std::string_view bytes) : source_{bytes} {}

  Jpeg2000Planes read(std::size_t max_pixels) {
    check_tiles(source_.bytes);
    open();
    opj_image_t* head = nullptr;
    const bool has_head = opj_read_header(stream_.get(), codec_.get(), &head) == OPJ_TRUE;
    image_.reset(head);
    if (!has_head || head == nullptr) fail("its head is damaged or cut short");
    check(max_pixels);
    const bool is_whole = opj_decode(codec_.get(), stream_.get(), image_.get()) == OPJ_TRUE &&
                          opj_end_decompress(codec_.get(), stream_.get()) == OPJ_TRUE;
    if (!is_whole || !complaint_.empty()) fail("it is damaged or cut short");
    return planes();
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw DataError(complaint_.empty() ? reason : reason + " (" + complaint_ + ")");
  }

  void open() {
    const bool is_file = !is_jpeg2000_codestream(source_.bytes);
    codec_.reset(opj_create_decompress(is_file ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K));
    stream_.reset(opj_stream_default_create(OPJ_TRUE));
    if (!codec_ || !stream_) throw DataError("there is not enough memory");
    opj_set_error_handler(codec_.get(), keep_j2k_complaint, &complaint_);
    opj_set_warning_handler(codec_.get(), ignore_j2k_message, nullptr);
    opj_set_info_handler(codec_.get(), ignore_j2k_message, nullptr);
    opj_stream_set_user_data(stream_.get(), &source_, nullptr);
    opj_stream_set_user_data_length(stream_.get(), source_.bytes.size());
    opj_stream_set_read_function(stream_.get(), read_j2k);
    opj_stream_set_skip_function(stream_.get(), skip_j2k);
    opj_stream_set_seek_function(stream_.get(), seek_j2k);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    if (opj_setup_decoder(codec_.get(), &parameters) != OPJ_TRUE) fail("it cannot be decoded");
  }

  void check(std::size_t max_pixels) const {
    const opj_image_t& image = *image_;
    check_image_size(image.y1 > image.y0 ? image.y1 - image.y0 : 0,
                     image.x1 > image.x0 ? image.x1 - image.x0 : 0, max_pixels);
    check_promise(image.y1 - image.y0, image.x1 - image.x0, source_.bytes.size(),
                  kJ2kPixelsPerByte);
    if (image.numcomps < 1 || image.numcomps > kMostChannels) {
      throw DataError("it has " + std::to_string(image.numcomps) +
                      " channels where 1 to 4 are decoded");
    }
    for (OPJ_UINT32 c = 0; c < image.numcomps; ++c) {
      const opj_image_comp_t& channel = image.comps[c];
      if (channel.prec < 1 || channel.prec > 16) {
        throw DataError("it has " + std::to_string(channel.prec) +
                        " bits per value where 1 to 16 are decoded");
      }
      if (channel.dx < 1 || channel.dy < 1 || channel.dx > 8 || channel.dy > 8) {
        throw DataError("its channels differ in resolution by more than 8 times");
      }
    }
  }

  Jpeg2000Planes planes() const {
    const opj_image_t& image = *image_;
    if (image.numcomps < 1 || image.numcomps > kMostChannels) {  // a palette may have changed it
      throw DataError("its palette does not give 1 to 4 channels");
    }
    Jpeg2000Planes planes;
    planes.height = image.y1 - image.y0;
    planes.width = image.x1 - image.x0;
    planes.channels = image.numcomps;
    planes.is_signed = image.comps[0].sgnd != 0;
    planes.is_ycc = image.color_space == OPJ_CLRSPC_SYCC && image.numcomps >= 3;
    planes.values.resize(planes.height * planes.width * planes.channels);
    for (std::size_t c = 0; c < planes.channels; ++c) {
      planes.bits = std::max(planes.bits, image.comps[c].prec);
    }
    for (std::size_t c = 0; c < planes.channels; ++c) copy_channel(image.comps[c], c, planes);
    return planes;
  }

  static void copy_channel(const opj_image_comp_t& channel, std::size_t c, Jpeg2000Planes& planes) {
    const std::size_t height = channel.h;
    const std::size_t width = channel.w;
    const bool fits = channel.data != nullptr && height > 0 && width > 0 && channel.dx > 0 &&
                      channel.dy > 0 && (channel.sgnd != 0) == planes.is_signed;
    if (!fits) throw DataError("its channels do not fit together");
    for (std::size_t y = 0; y < planes.height; ++y) {
      const std::size_t row = std::min(y / channel.dy, height - 1) * width;
      for (std::size_t x = 0; x < planes.width; ++x) {
        planes.values[(y * planes.width + x) * planes.channels + c] =
            channel.data[row + std::min(x / channel.dx, width - 1)];
      }
    }
  }

  J2kSource source_;
  std::string complaint_;
  std::unique_ptr<opj_codec_t, CodecDeleter> codec_;
  std::unique_ptr<opj_stream_t, StreamDeleter> stream_;
  std::unique_ptr<opj_image_t, ImageDeleter> image_;
};

}  // namespace

Jpeg2000Planes decode_jpeg2000_planes(std::string_view bytes, std::size_t max_pixels) {
  return J2kReader(bytes).read(max_pixels);
}

bool has_jpeg2000() { return true; }

}  // namespace cubcal
