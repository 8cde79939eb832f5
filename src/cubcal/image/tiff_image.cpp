#include "cubcal/image/tiff_image.h"

#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include "cubcal/image/image_failure.h"
#include "cubcal/image/on_black.h"
#include "cubcal/image/orientation.h"

namespace cubcal {

namespace {

/// Deflate packs 1032 bytes into one, LZW some more; fax codes, of bits, still more.
constexpr std::size_t kTiffPixelsPerByte = 20'000;
constexpr std::size_t kMostTiffMemory = std::size_t{1} << 30;
constexpr std::size_t kMostPages = 65'535;

/// The bytes as libtiff reads them, and its first complaint.
struct TiffSource {
  std::string_view bytes;
  std::size_t place = 0;
  std::string complaint = {};
};

TiffSource& source_of(thandle_t handle) { return *static_cast<TiffSource*>(handle); }

tmsize_t read_source(thandle_t handle, void* out, tmsize_t count) {
  TiffSource& source = source_of(handle);
  if (source.place >= source.bytes.size() || count <= 0) return 0;
  const std::size_t taken =
      std::min(static_cast<std::size_t>(count), source.bytes.size() - source.place);
  std::memcpy(out, source.bytes.data() + source.place, taken);
  source.place += taken;
  return static_cast<tmsize_t>(taken);
}

tmsize_t write_source(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek_source(thandle_t handle, toff_t offset, int whence) {
  TiffSource& source = source_of(handle);
  if (whence == SEEK_CUR) offset += source.place;
  if (whence == SEEK_END) offset += source.bytes.size();
  source.place = static_cast<std::size_t>(offset);
  return offset;
}

int close_source(thandle_t) { return 0; }

toff_t size_source(thandle_t handle) { return source_of(handle).bytes.size(); }

#if TIFFLIB_VERSION >= 20221213
int on_tiff_error(TIFF*, void* user, const char*, const char* format, va_list values) {
  auto* source = static_cast<TiffSource*>(user);
  if (source->complaint.empty()) {
    char text[256];
    std::vsnprintf(text, sizeof text, format, values);
    source->complaint = text;
  }
  return 1;
}

int on_tiff_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

TIFF* open_tiff(TiffSource& source) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_tiff_error, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_tiff_warning, &source);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(kMostTiffMemory));
  return TIFFClientOpenExt("input", "rm", &source, read_source, write_source, seek_source,
                           close_source, size_source, nullptr, nullptr, options.get());
}
#else
// Before 4.5 handlers are of the whole process: they are silenced, and reasons stay general.
TIFF* open_tiff(TiffSource& source) {
  static const bool silenced = [] {
    TIFFSetErrorHandler(nullptr);
    TIFFSetWarningHandler(nullptr);
    return true;
  }();
  static_cast<void>(silenced);
  return TIFFClientOpen("input", "rm", &source, read_source, write_source, seek_source,
                        close_source, size_source, nullptr, nullptr);
}
#endif

class TiffReader {
 public:
  explicit TiffReader(std::string_view bytes)
      : source_{bytes}, tiff_(open_tiff(source_), TIFFClose) {
    if (!tiff_) fail("its head is damaged");
  }

  Image read(const std::optional<std::size_t>& page, std::size_t max_pixels) {
    choose_page(page);
    height_ = number<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
    width_ = number<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
    bits_ = number<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
    samples_ = number<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
    photometric_ = number<std::uint16_t>(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    check_image_size(height_, width_, max_pixels);
    check_promise(height_, width_, source_.bytes.size(), kTiffPixelsPerByte);
    check_format();
    check_image_bytes(height_, width_, samples_, bits_ == 16 ? 2 : 1);
    const auto orientation = number<std::uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    return upright(is_plain() ? (bits_ == 16 ? plain<std::uint16_t>() : plain<std::uint8_t>())
                              : converted(orientation),
                   orientation);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw DataError(source_.complaint.empty() ? reason : reason + " (" + source_.complaint + ")");
  }

  template <class Number>
  Number number(std::uint32_t tag, Number otherwise) const {
    Number value = 0;
    return TIFFGetFieldDefaulted(tiff_.get(), tag, &value) == 1 ? value : otherwise;
  }

  bool is_reduced() const {
    return (number<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) & FILETYPE_REDUCEDIMAGE) != 0;
  }

  void choose_page(const std::optional<std::size_t>& wanted) {
    std::vector<tdir_t> pages;
    for (std::size_t i = 0; i < kMostPages; ++i) {
      if (i == 0 || !is_reduced()) pages.push_back(static_cast<tdir_t>(i));
      if (TIFFReadDirectory(tiff_.get()) == 0) break;
    }
    if (!wanted && pages.size() > 1) {
      throw DataError("it has " + std::to_string(pages.size()) + " pages, 0 to " +
                      std::to_string(pages.size() - 1) + ": name the one that is wanted");
    }
    const std::size_t page = wanted.value_or(0);
    if (page >= pages.size()) {
      throw DataError("it has no page " + std::to_string(page) + ", only 0 to " +
                      std::to_string(pages.size() - 1));
    }
    if (TIFFSetDirectory(tiff_.get(), pages[page]) == 0) fail("its table of tags is damaged");
    source_.complaint.clear();
  }

  void check_format() const {
    const auto format = number<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) {
      throw DataError("its values are signed or floating-point numbers, which are not decoded");
    }
    const bool known = bits_ == 1 || bits_ == 2 || bits_ == 4 || bits_ == 8 || bits_ == 16;
    if (!known) {
      throw DataError("it has " + std::to_string(bits_) +
                      " bits per value where 1, 2, 4, 8 and 16 are decoded");
    }
    if (samples_ == 0 || samples_ > 16) {
      throw DataError("it has " + std::to_string(samples_) + " values per pixel");
    }
    const auto compression = number<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (TIFFIsCODECConfigured(compression) == 0) {
      throw DataError("its compression (number " + std::to_string(compression) +
                      ") is not known to libtiff here");
    }
  }

  bool is_gray() const {
    return photometric_ == PHOTOMETRIC_MINISBLACK || photometric_ == PHOTOMETRIC_MINISWHITE;
  }

  bool is_plain() const {
    const bool is_rgb = photometric_ == PHOTOMETRIC_RGB && samples_ >= 3;
    return (bits_ == 8 || bits_ == 16) && (is_gray() || is_rgb);
  }

  /// Whether the value after the colours is an alpha.
  bool has_alpha(std::size_t colours) const {
    std::uint16_t count = 0;
    std::uint16_t* kinds = nullptr;
    if (samples_ <= colours) return false;
    if (TIFFGetField(tiff_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) != 1 || count == 0) {
      return false;
    }
    return kinds[0] == EXTRASAMPLE_UNASSALPHA;  // associated alpha is laid on black already
  }

  /// Copies a strip or a tile that starts at (top, left) into the values of the whole image.
  template <class Level>
  void place(const std::vector<Level>& part, std::size_t top, std::size_t left, std::size_t rows,
             std::size_t columns, std::size_t plane, std::size_t planes,
             std::vector<Level>& values) const {
    const std::size_t each = samples_ / planes;  // values of a pixel that lie together
    for (std::size_t y = top; y < std::min(top + rows, height_); ++y) {
      for (std::size_t x = left; x < std::min(left + columns, width_); ++x) {
        const std::size_t from = ((y - top) * columns + x - left) * each;
        const std::size_t to = (y * width_ + x) * samples_ + plane;
        for (std::size_t s = 0; s < each; ++s) values[to + s] = part[from + s];
      }
    }
  }

  template <class Level>
  std::vector<Level> read_values() {
    const bool tiled = TIFFIsTiled(tiff_.get()) != 0;
    const bool apart =
        number<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE &&
        samples_ > 1;
    std::size_t rows = number<std::uint32_t>(tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, 0);
    const std::size_t columns = tiled ? number<std::uint32_t>(TIFFTAG_TILEWIDTH, 0) : width_;
    if (!tiled) rows = std::min(rows, height_);
    if (rows == 0 || columns == 0) fail("its strips or tiles have no size");
    check_image_size(rows, columns);
    const std::size_t planes = apart ? samples_ : 1;
    const tmsize_t size = tiled ? TIFFTileSize(tiff_.get()) : TIFFStripSize(tiff_.get());
    const std::size_t needed = rows * columns * (samples_ / planes) * sizeof(Level);
    if (size <= 0 || static_cast<std::size_t>(size) != needed) {
      fail("its strips or tiles are not of the size their pixels need");
    }
    std::vector<Level> values(height_ * width_ * samples_);
    std::vector<Level> part(needed / sizeof(Level));
    std::uint32_t index = 0;
    for (std::size_t plane = 0; plane < planes; ++plane) {
      for (std::size_t top = 0; top < height_; top += rows) {
        for (std::size_t left = 0; left < width_; left += columns, ++index) {
          const std::size_t here = tiled ? rows : std::min(rows, height_ - top);
          const auto wanted = static_cast<tmsize_t>(here * (needed / rows));
          const tmsize_t got = tiled
                                   ? TIFFReadEncodedTile(tiff_.get(), index, part.data(), wanted)
                                   : TIFFReadEncodedStrip(tiff_.get(), index, part.data(), wanted);
          if (got != wanted || !source_.complaint.empty()) fail("it is damaged or cut short");
          place(part, top, left, here, columns, plane, planes, values);
        }
      }
    }
    return values;
  }

  template <class Level>
  Image plain() {
    const std::size_t colours = is_gray() ? 1 : 3;
    std::vector<Level> values = read_values<Level>();
    const bool alpha = has_alpha(colours);
    const std::size_t kept = colours + (alpha ? 1 : 0);
    if (kept < samples_) {
      for (std::size_t i = 0; i < height_ * width_; ++i) {
        for (std::size_t s = 0; s < kept; ++s) values[i * kept + s] = values[i * samples_ + s];
      }
      values.resize(height_ * width_ * kept);
    }
    if (photometric_ == PHOTOMETRIC_MINISWHITE) {
      constexpr Level kMax = std::numeric_limits<Level>::max();
      for (std::size_t i = 0; i < values.size(); i += kept) {
        values[i] = static_cast<Level>(kMax - values[i]);
      }
    }
    if (alpha) values = on_black(values, kept);
    Image image{height_, width_, colours};
    if constexpr (sizeof(Level) == 1) {
      image.pixels = std::move(values);
    } else {
      image.deep_pixels = std::move(values);
    }
    return image;
  }

  /// Through libtiff's own conversion to RGBA, whose alpha is multiplied in already.
  Image converted(std::uint16_t orientation) {
    char reason[1024] = "";
    if (TIFFRGBAImageOK(tiff_.get(), reason) == 0) fail(reason);
    std::vector<std::uint32_t> raster(height_ * width_);
    // Stored order is asked for; it is brought upright afterwards.
    const int good = TIFFReadRGBAImageOriented(tiff_.get(), static_cast<std::uint32_t>(width_),
                                               static_cast<std::uint32_t>(height_), raster.data(),
                                               orientation, /*stop=*/1);
    if (good == 0 || !source_.complaint.empty()) fail("it is damaged or cut short");
    Image image{height_, width_, is_gray() ? std::size_t{1} : std::size_t{3}};
    image.pixels.reserve(height_ * width_ * image.channels);
    for (const std::uint32_t pixel : raster) {
      image.pixels.push_back(static_cast<std::uint8_t>(TIFFGetR(pixel)));
      if (image.channels == 1) continue;
      image.pixels.push_back(static_cast<std::uint8_t>(TIFFGetG(pixel)));
      image.pixels.push_back(static_cast<std::uint8_t>(TIFFGetB(pixel)));
    }
    return image;
  }

  TiffSource source_;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff_;
  std::size_t height_ = 0;
  std::size_t width_ = 0;
  std::size_t samples_ = 1;
  unsigned bits_ = 0;
  std::uint16_t photometric_ = 0;
};

}  // namespace

Image decode_tiff(std::string_view bytes, const std::string& name,
                  const std::optional<std::size_t>& page, std::size_t max_pixels) {
  try {
    return TiffReader(bytes).read(page, max_pixels);
  } catch (const DataError& error) {
    throw image_failure("TIFF", name, error.what());
  }
}

}  // namespace cubcal
