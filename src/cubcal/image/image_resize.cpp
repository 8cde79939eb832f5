#include "cubcal/image/image_resize.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "cubcal/core/error.h"
#include "cubcal/image/image_check.h"

namespace cubcal {

namespace {

/// Weights are whole numbers that sum to this.
constexpr std::uint32_t kWeightBits = 15;
constexpr std::uint32_t kWeightOne = 1U << kWeightBits;

/// Rows that go through the horizontal pass side by side, so that it can use vector instructions.
constexpr std::size_t kLanes = 8;
/// Levels of a row that the vertical pass sums at a time, so that the sums stay in the cache.
constexpr std::size_t kChunk = 512;

/// Output j is the sum over t < taps of weights[j * taps + t] * in[first[j] + t].
struct Axis {
  std::size_t taps = 0;
  std::vector<std::size_t> first = {};
  std::vector<std::uint16_t> weights = {};
};

/// The formula of the header times 2 max(in, out), which makes every weight a whole number.
class ExactWeights {
 public:
  ExactWeights(std::size_t in, std::size_t out)
      : in_(static_cast<std::int64_t>(in)),
        out_(static_cast<std::int64_t>(out)),
        reach_(2 * std::max(in_, out_)) {}

  /// The first and the last pixel, exclusive, that output j takes from.
  std::pair<std::int64_t, std::int64_t> range(std::size_t j) const {
    const std::int64_t low = centre(j) - reach_ - out_;  // (2 i + 1) out > centre - reach
    const std::int64_t high = centre(j) + reach_ - out_;
    const std::int64_t first = low < 0 ? 0 : low / (2 * out_) + 1;
    const std::int64_t last = (high + 2 * out_ - 1) / (2 * out_);
    return {first, std::min(last, in_)};
  }
  std::int64_t weight(std::size_t j, std::int64_t i) const {
    return reach_ - std::abs((2 * i + 1) * out_ - centre(j));
  }

 private:
  std::int64_t centre(std::size_t j) const { return (2 * static_cast<std::int64_t>(j) + 1) * in_; }

  std::int64_t in_;
  std::int64_t out_;
  std::int64_t reach_;
};

/// Whole 32768ths of the weights of output j, which sum to one exactly: the running sum is rounded.
void round_weights(const ExactWeights& exact, std::size_t j, std::uint16_t* weights) {
  const auto [first, last] = exact.range(j);
  std::int64_t total = 0;
  for (std::int64_t i = first; i < last; ++i) total += exact.weight(j, i);
  // The unit is 1 but for images of millions of pixels along the axis, where it keeps the products
  // within 64 bits.
  const std::int64_t unit = 1 + (total >> 46);
  const std::int64_t whole = std::max<std::int64_t>(1, total / unit);  // there is always a weight
  std::int64_t sum = 0;
  std::int64_t rounded_before = 0;
  for (std::int64_t i = first; i < last; ++i) {
    sum += exact.weight(j, i);
    const std::int64_t rounded = (2 * (sum / unit) * kWeightOne + whole) / (2 * whole);
    *weights++ = static_cast<std::uint16_t>(rounded - rounded_before);
    rounded_before = rounded;
  }
}

Axis make_axis(std::size_t in, std::size_t out) {
  const ExactWeights exact(in, out);
  Axis axis;
  for (std::size_t j = 0; j < out; ++j) {
    const auto [first, last] = exact.range(j);
    axis.taps = std::max(axis.taps, static_cast<std::size_t>(last - first));
  }
  axis.first.resize(out);
  axis.weights.assign(out * axis.taps, 0);
  for (std::size_t j = 0; j < out; ++j) {
    // Near the end the taps start earlier, with weights of 0, so that all stay inside.
    const auto first = static_cast<std::size_t>(exact.range(j).first);
    axis.first[j] = std::min(first, in - axis.taps);
    round_weights(exact, j, axis.weights.data() + j * axis.taps + (first - axis.first[j]));
  }
  return axis;
}

/// Between the passes levels are 16 bits wide: bytes carry 8 more bits, 16-bit levels none.
template <class Level>
constexpr std::uint32_t kExtraBits = 16 - 8 * sizeof(Level);

constexpr std::uint32_t rounded_shift(std::uint32_t value, std::uint32_t bits) {
  return (value + (1U << (bits - 1))) >> bits;
}

/// sums[i] += sum over t < taps of weights[t] * in[t * stride + i]. Several taps at a time, and
/// sums that overlap nothing, let the compiler use vector registers.
template <std::size_t taps, class Value>
inline void add_taps(const Value* in, std::size_t stride, const std::uint16_t* weights,
                     std::size_t count, std::uint32_t* __restrict sums) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t sum = sums[i];
    for (std::size_t t = 0; t < taps; ++t) sum += std::uint32_t{weights[t]} * in[t * stride + i];
    sums[i] = sum;
  }
}

template <class Value>
inline void add_all_taps(const Value* in, std::size_t stride, const std::uint16_t* weights,
                         std::size_t taps, std::size_t count, std::uint32_t* __restrict sums) {
  std::size_t t = 0;
  for (; t + 4 <= taps; t += 4) add_taps<4>(in + t * stride, stride, weights + t, count, sums);
  for (; t + 2 <= taps; t += 2) add_taps<2>(in + t * stride, stride, weights + t, count, sums);
  if (t < taps) add_taps<1>(in + t * stride, stride, weights + t, count, sums);
}

/// One row of the output, still as wide as the input.
template <class Level>
void sum_rows(const Level* in, std::size_t row, const std::uint16_t* weights, std::size_t taps,
              std::uint16_t* __restrict out) {
  for (std::size_t start = 0; start < row; start += kChunk) {
    const std::size_t count = std::min(kChunk, row - start);
    std::array<std::uint32_t, kChunk> sums{};
    add_all_taps(in + start, row, weights, taps, count, sums.data());
    for (std::size_t i = 0; i < count; ++i) {
      out[start + i] =
          static_cast<std::uint16_t>(rounded_shift(sums[i], kWeightBits - kExtraBits<Level>));
    }
  }
}

/// rows [kLanes, row] to columns [row, kLanes].
void interleave(const std::vector<std::uint16_t>& rows, std::size_t row,
                std::vector<std::uint16_t>& columns) {
  const std::uint16_t* source = rows.data();
  std::uint16_t* target = columns.data();
  for (std::size_t i = 0; i < row; ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      target[i * kLanes + lane] = source[lane * row + i];
    }
  }
}

/// Finishes `lanes` rows: columns [in_width * channels, kLanes] to out [lanes, out_width *
/// channels].
template <class Level, std::size_t channels>
void sum_columns(const std::uint16_t* columns, const Axis& axis, std::size_t lanes, Level* out) {
  const std::size_t out_row = axis.first.size() * channels;
  for (std::size_t x = 0; x < axis.first.size(); ++x) {
    std::array<std::uint32_t, kLanes * channels> sums{};
    const std::uint16_t* source = columns + axis.first[x] * channels * kLanes;
    const std::uint16_t* weights = axis.weights.data() + x * axis.taps;
    add_all_taps(source, kLanes * channels, weights, axis.taps, kLanes * channels, sums.data());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t c = 0; c < channels; ++c) {
        out[lane * out_row + x * channels + c] = static_cast<Level>(
            rounded_shift(sums[c * kLanes + lane], kWeightBits + kExtraBits<Level>));
      }
    }
  }
}

template <class Level>
std::vector<Level> resize_levels(const std::vector<Level>& levels, const Image& image,
                                 std::size_t height, std::size_t width) {
  const Axis vertical = make_axis(image.height, height);
  const Axis horizontal = make_axis(image.width, width);
  const std::size_t row = image.width * image.channels;
  const std::size_t out_row = width * image.channels;
  std::vector<std::uint16_t> rows(kLanes * row);
  std::vector<std::uint16_t> columns(kLanes * row);
  std::vector<Level> resized(height * out_row);
  for (std::size_t y = 0; y < height; y += kLanes) {
    const std::size_t lanes = std::min(kLanes, height - y);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sum_rows(levels.data() + vertical.first[y + lane] * row, row,
               vertical.weights.data() + (y + lane) * vertical.taps, vertical.taps,
               rows.data() + lane * row);
    }
    interleave(rows, row, columns);
    Level* out = resized.data() + y * out_row;
    if (image.channels == 1) {
      sum_columns<Level, 1>(columns.data(), horizontal, lanes, out);
    } else {
      sum_columns<Level, 3>(columns.data(), horizontal, lanes, out);
    }
  }
  return resized;
}

void check_size(std::size_t height, std::size_t width) {
  if (height == 0 || width == 0 || width > kMaxImagePixels / height) {
    throw ArgumentError("an image can have 1 to 100 million pixels, not " + std::to_string(width) +
                        " x " + std::to_string(height));
  }
}

/// (all - part) / 2, halves to the even neighbour.
std::size_t middle_start(std::size_t all, std::size_t part) {
  const std::size_t spare = all - part;
  return spare / 2 + (spare % 4 == 3 ? 1 : 0);
}

template <class Level>
std::vector<Level> cut_out(const std::vector<Level>& levels, const Image& image, std::size_t height,
                           std::size_t width) {
  std::vector<Level> part;
  if (levels.empty()) return part;
  part.reserve(height * width * image.channels);
  const std::size_t left = middle_start(image.width, width) * image.channels;
  const std::size_t top = middle_start(image.height, height);
  for (std::size_t y = 0; y < height; ++y) {
    const auto from = levels.begin() +
                      static_cast<std::ptrdiff_t>((top + y) * image.width * image.channels + left);
    part.insert(part.end(), from, from + static_cast<std::ptrdiff_t>(width * image.channels));
  }
  return part;
}

template <class Level>
std::vector<Level> repeated(const std::vector<Level>& gray) {
  std::vector<Level> rgb;
  rgb.reserve(3 * gray.size());
  for (const Level level : gray) rgb.insert(rgb.end(), 3, level);
  return rgb;
}

template <class Level>
std::vector<Level> luma(const std::vector<Level>& rgb) {
  std::vector<Level> gray(rgb.size() / 3);
  for (std::size_t i = 0; i < gray.size(); ++i) {
    const std::uint32_t thousand =
        299U * rgb[3 * i] + 587U * rgb[3 * i + 1] + 114U * rgb[3 * i + 2];
    gray[i] = static_cast<Level>((thousand + 500) / 1000);
  }
  return gray;
}

}  // namespace

Image resize_image(const Image& image, std::size_t height, std::size_t width) {
  check_image(image);
  check_size(height, width);
  if (image.height == height && image.width == width) return image;
  Image resized{height, width, image.channels};
  if (image.is_deep()) {
    resized.deep_pixels = resize_levels(image.deep_pixels, image, height, width);
  } else {
    resized.pixels = resize_levels(image.pixels, image, height, width);
  }
  return resized;
}

Image resize_shorter_side(const Image& image, std::size_t length) {
  check_image(image);
  check_size(length, 1);
  const std::size_t shorter = std::min(image.height, image.width);
  return resize_image(image, length * image.height / shorter, length * image.width / shorter);
}

Image centre_crop(const Image& image, std::size_t height, std::size_t width) {
  check_image(image);
  check_size(height, width);
  if (height > image.height || width > image.width) {
    throw ArgumentError("an image of " + std::to_string(image.width) + " x " +
                        std::to_string(image.height) + " pixels has no middle of " +
                        std::to_string(width) + " x " + std::to_string(height));
  }
  return {height, width, image.channels, cut_out(image.pixels, image, height, width),
          cut_out(image.deep_pixels, image, height, width)};
}

Image to_channels(Image image, std::size_t channels) {
  check_image(image);
  if (channels != 1 && channels != 3) {
    throw ArgumentError("an image can have 1 or 3 channels, not " + std::to_string(channels));
  }
  if (channels == image.channels) return image;
  image.pixels = channels == 3 ? repeated(image.pixels) : luma(image.pixels);
  image.deep_pixels = channels == 3 ? repeated(image.deep_pixels) : luma(image.deep_pixels);
  image.channels = channels;
  return image;
}

Image to_8_bits(Image image) {
  check_image(image);
  if (!image.is_deep()) return image;
  image.pixels.resize(image.deep_pixels.size());
  std::transform(
      image.deep_pixels.begin(), image.deep_pixels.end(), image.pixels.begin(),
      [](std::uint16_t level) { return static_cast<std::uint8_t>((level + 128U) / 257U); });
  image.deep_pixels = {};
  return image;
}

}  // namespace cubcal
