#include "cubcal/dicom/dicom_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_table.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr DicomTag kPadding = 0x00280120;
constexpr DicomTag kPaddingLimit = 0x00280121;
constexpr DicomTag kWindowCentre = 0x00281050;
constexpr DicomTag kWindowWidth = 0x00281051;
constexpr DicomTag kIntercept = 0x00281052;
constexpr DicomTag kSlope = 0x00281053;
constexpr DicomTag kWindowFunction = 0x00281056;
constexpr DicomTag kModalityTables = 0x00283000;
constexpr DicomTag kTableDescriptor = 0x00283002;
constexpr DicomTag kTableData = 0x00283006;
constexpr DicomTag kFrameWindow = 0x00289132;
constexpr DicomTag kFrameRescale = 0x00289145;
constexpr DicomTag kSharedGroups = 0x52009229;
constexpr DicomTag kFrameGroups = 0x52009230;

constexpr double kLowShare = 0.005;
constexpr double kHighShare = 0.995;

/// The item that says how a frame differs: of the frame, else of all frames, else the file itself.
DicomDataset frame_values(const DicomDataset& dataset, std::size_t frame, DicomTag macro) {
  const std::pair<DicomTag, std::size_t> places[] = {{kFrameGroups, frame}, {kSharedGroups, 0}};
  for (const auto& [groups, index] : places) {
    const std::optional<DicomDataset> group = dataset.item(groups, index);
    if (!group) continue;
    std::optional<DicomDataset> values = group->item(macro, 0);
    if (values) return *std::move(values);
  }
  return dataset;
}

std::int32_t number(std::size_t code, const DicomPixelFormat& format) {
  const bool negative = format.is_signed && (code >> (format.bits_stored - 1)) != 0;
  const auto value = static_cast<std::int32_t>(code);
  return negative ? value - static_cast<std::int32_t>(format.codes()) : value;
}

struct Rescale {
  double slope = 1;
  double intercept = 0;
  std::optional<DicomTable> table = {};

  bool is_identity() const { return slope == 1 && intercept == 0 && !table; }
  double operator()(std::int32_t value) const {
    return table ? static_cast<double>(table->at(value)) : slope * value + intercept;
  }
};

Rescale read_rescale(const DicomDataset& dataset, const DicomPixelFormat& format,
                     std::size_t frame) {
  Rescale rescale;
  const std::optional<DicomDataset> tables = dataset.item(kModalityTables, 0);
  if (tables) {
    rescale.table = read_dicom_table(*tables, kTableDescriptor, kTableData, format.is_signed);
  }
  const DicomDataset values = frame_values(dataset, frame, kFrameRescale);
  rescale.slope = values.decimal(kSlope).value_or(1);
  rescale.intercept = values.decimal(kIntercept).value_or(0);
  if (rescale.slope == 0) throw DataError("its rescale slope is 0");
  return rescale;
}

/// From a value to the share of the largest level, from 0 to 1.
struct Window {
  double low = 0;
  double high = 0;
  bool sigmoid = false;

  double operator()(double value) const {
    if (sigmoid && high > low) {
      return 1 / (1 + std::exp(-4 * (value - (low + high) / 2) / (high - low)));
    }
    if (value <= low) return 0;
    return value > high ? 1 : (value - low) / (high - low);
  }
};

std::optional<Window> file_window(const DicomDataset& dataset, std::size_t frame) {
  const DicomDataset values = frame_values(dataset, frame, kFrameWindow);
  const std::optional<double> centre = values.decimal(kWindowCentre);
  const std::optional<double> width = values.decimal(kWindowWidth);
  if (!centre || !width) return std::nullopt;
  if (*width <= 0) {
    throw DataError("its window is " + to_text(*width) +
                    " wide: ask for the percentile or the full window instead");
  }
  const std::string function = values.text(kWindowFunction);
  Window window;
  const bool is_linear = function.empty() || function == "LINEAR";
  if (is_linear && *width >= 1) {
    window.low = *centre - 0.5 - (*width - 1) / 2;
    window.high = window.low + *width - 1;
  } else if (is_linear || function == "LINEAR_EXACT" || function == "SIGMOID") {
    window.low = *centre - *width / 2;
    window.high = *centre + *width / 2;
    window.sigmoid = function == "SIGMOID";
  } else {
    throw DataError("the function of its window is " + in_quotes(function) +
                    " where LINEAR, LINEAR_EXACT and SIGMOID are known");
  }
  return window;
}

/// How often every code occurs, padding left out.
std::vector<std::size_t> code_counts(const DicomDataset& dataset, const DicomPixelFormat& format,
                                     const std::vector<std::uint16_t>& codes) {
  std::vector<std::size_t> counts(format.codes(), 0);
  for (const std::uint16_t code : codes) ++counts[code];
  const std::optional<std::uint16_t> padding = dataset.word(kPadding);
  if (!padding) return counts;
  const std::size_t mask = format.codes() - 1;
  const std::int32_t one_end = number(*padding & mask, format);
  const std::int32_t other_end =
      number(dataset.word(kPaddingLimit).value_or(*padding) & mask, format);
  for (std::size_t code = 0; code < counts.size(); ++code) {
    const std::int32_t value = number(code, format);
    const bool is_padding =
        value >= std::min(one_end, other_end) && value <= std::max(one_end, other_end);
    if (is_padding) counts[code] = 0;
  }
  return counts;
}

/// The ramp that leaves out the given shares of the pixels at either end.
Window ramp(const std::vector<std::size_t>& counts, const std::vector<double>& values,
            double low_share, double high_share) {
  std::vector<std::pair<double, std::size_t>> order;
  std::size_t pixels = 0;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    if (counts[code] == 0) continue;
    order.emplace_back(values[code], counts[code]);
    pixels += counts[code];
  }
  constexpr double kBeyondAll = std::numeric_limits<double>::infinity();
  if (order.empty()) return {kBeyondAll, kBeyondAll};  // nothing but padding, which becomes 0
  Window window;
  std::sort(order.begin(), order.end());
  window.low = order.front().first;
  window.high = order.back().first;
  const double total = static_cast<double>(pixels);
  double before = 0;
  for (const auto& [value, count] : order) {
    const double up_to = before + static_cast<double>(count);
    if (before < low_share * total && up_to >= low_share * total) window.low = value;
    if (before < high_share * total && up_to >= high_share * total) window.high = value;
    before = up_to;
  }
  return window;
}

Window choose_window(const DicomDataset& dataset, const DicomPixelFormat& format, std::size_t frame,
                     const std::vector<std::uint16_t>& codes, const std::vector<double>& values,
                     bool plain_bytes, DicomWindow wanted) {
  if (wanted == DicomWindow::kFile) {
    const std::optional<Window> window = file_window(dataset, frame);
    if (window) return *window;
    if (plain_bytes) return {0, 255};
  }
  const std::vector<std::size_t> counts = code_counts(dataset, format, codes);
  return wanted == DicomWindow::kFull ? ramp(counts, values, 0, 1)
                                      : ramp(counts, values, kLowShare, kHighShare);
}

template <class Level>
std::vector<Level> levels_of(const std::vector<std::uint16_t>& codes,
                             const std::vector<double>& shares, bool inverted) {
  constexpr Level kMax = std::numeric_limits<Level>::max();
  std::vector<Level> table;
  table.reserve(shares.size());
  for (const double share : shares) {
    const auto level = static_cast<Level>(std::floor(share * kMax + 0.5));
    table.push_back(inverted ? static_cast<Level>(kMax - level) : level);
  }
  std::vector<Level> levels(codes.size());
  std::transform(codes.begin(), codes.end(), levels.begin(),
                 [&](std::uint16_t code) { return table[code]; });
  return levels;
}

}  // namespace

Image dicom_gray(const DicomDataset& dataset, const DicomPixelFormat& format, std::size_t frame,
                 const std::vector<std::uint16_t>& codes, DicomWindow window) {
  const Rescale rescale = read_rescale(dataset, format, frame);
  std::vector<double> values(format.codes());
  for (std::size_t code = 0; code < values.size(); ++code) {
    values[code] = rescale(number(code, format));
  }
  const bool plain_bytes = format.bits_stored == 8 && !format.is_signed && rescale.is_identity();
  const Window chosen = choose_window(dataset, format, frame, codes, values, plain_bytes, window);
  std::vector<double> shares(values.size());
  std::transform(values.begin(), values.end(), shares.begin(), chosen);
  const bool inverted = format.photometric == "MONOCHROME1";
  Image image{format.height, format.width, 1};
  if (format.bits_stored > 8) {
    image.deep_pixels = levels_of<std::uint16_t>(codes, shares, inverted);
  } else {
    image.pixels = levels_of<std::uint8_t>(codes, shares, inverted);
  }
  return image;
}

}  // namespace cubcal
