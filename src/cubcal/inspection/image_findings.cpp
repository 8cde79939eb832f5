#include "cubcal/inspection/image_findings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cubcal/core/check.h"
#include "cubcal/inspection/wording.h"

namespace cubcal {

namespace {

template <class Predicate>
SampleList images_that(const std::vector<ImageFacts>& facts, Predicate predicate) {
  SampleList found;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (predicate(facts[i])) found.push_back(i);
  }
  return found;
}

/// "758 of 7309 images", "all 20 images".
std::string share_text(std::size_t part, std::size_t whole) {
  return (part == whole ? "all " : std::to_string(part) + " of ") + counted(whole, "image");
}

/// Under what a sample is counted in the sentence about enlarged images.
std::string class_and_outlier(const Sample& sample) {
  const std::string name = sample.label_name.empty() ? "no label" : sample.label_name;
  return sample.split == kOutlierSplit ? name + " (" + kOutlierSplit + ")" : name;
}

std::string tally_text(const Tally& tally) {
  std::vector<std::string> parts;
  for (const auto& entry : tally) {
    parts.push_back(entry.first + " (" + std::to_string(entry.second) + ")");
  }
  return listed(parts, "and");
}

/// Widths and heights, smallest to largest.
std::string size_range(const std::vector<ImageFacts>& facts) {
  std::size_t low_width = SIZE_MAX, high_width = 0, low_height = SIZE_MAX, high_height = 0;
  for (const ImageFacts& image : facts) {
    if (!image.is_readable()) continue;
    low_width = std::min(low_width, image.width);
    high_width = std::max(high_width, image.width);
    low_height = std::min(low_height, image.height);
    high_height = std::max(high_height, image.height);
  }
  const auto range = [](std::size_t low, std::size_t high) {
    return low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high);
  };
  return "widths " + range(low_width, high_width) + ", heights " + range(low_height, high_height);
}

}  // namespace

void find_unreadable(const std::vector<ImageFacts>& facts, std::vector<Finding>& findings) {
  const SampleList found =
      images_that(facts, [](const ImageFacts& image) { return !image.is_readable(); });
  if (found.empty()) return;
  findings.push_back({Severity::kWarning,
                      FindingKind::kUnreadable,
                      share_text(found.size(), facts.size()) + " cannot be read.",
                      {found}});
}

void find_enlarged(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                   std::vector<Finding>& findings) {
  const SampleList found =
      images_that(facts, [](const ImageFacts& image) { return image.is_enlarged(); });
  if (found.empty()) return;
  std::map<std::string, std::pair<std::size_t, std::size_t>> by_class;  // enlarged, all
  for (const Sample& sample : catalog.samples) ++by_class[class_and_outlier(sample)].second;
  std::vector<double> factors;
  for (const std::size_t i : found) {
    ++by_class[class_and_outlier(catalog.samples[i])].first;
    factors.push_back(facts[i].enlargement->factor);
  }
  std::sort(factors.begin(), factors.end());
  const double factor = std::round(10 * factors[factors.size() / 2]) / 10;
  std::vector<std::string> parts;
  bool is_common = found.size() * 100 >= facts.size();
  for (const auto& entry : by_class) {
    const auto [enlarged, all] = entry.second;
    if (enlarged == 0) continue;
    is_common = is_common || enlarged * 20 >= all;
    parts.push_back(entry.first + " " + std::to_string(enlarged) + " of " + std::to_string(all));
  }
  findings.push_back({is_common ? Severity::kWarning : Severity::kNote,
                      FindingKind::kEnlarged,
                      share_text(found.size(), facts.size()) +
                          (found.size() == 1 ? " is blurred as if it had been enlarged"
                                             : " are blurred as if they had been enlarged") +
                          ", about " + to_text(factor) + " times: " + listed(parts, "and") + ".",
                      {found}});
}

void find_constant(const std::vector<ImageFacts>& facts, std::vector<Finding>& findings) {
  const SampleList found =
      images_that(facts, [](const ImageFacts& image) { return image.is_constant(); });
  if (found.empty()) return;
  findings.push_back({Severity::kWarning,
                      FindingKind::kConstant,
                      share_text(found.size(), facts.size()) +
                          (found.size() == 1 ? " is of one level throughout and shows nothing."
                                             : " are of one level throughout and show nothing."),
                      {found}});
}

void find_mixture(const Overview& view, const std::vector<ImageFacts>& facts,
                  std::vector<Finding>& findings) {
  if (view.sizes.size() > 1) {
    findings.push_back({Severity::kNote, FindingKind::kMixedSizes,
                        "Images have " + std::to_string(view.sizes.size()) + " sizes (" +
                            size_range(facts) + "); the commonest is " + view.sizes[0].first +
                            " (" + counted(view.sizes[0].second, "image") + ")."});
  }
  if (view.channels.size() > 1) {
    findings.push_back({Severity::kNote, FindingKind::kMixedColour,
                        "Images differ in colour: " + tally_text(view.channels) + "."});
  }
  if (view.depths.size() > 1) {
    findings.push_back({Severity::kNote, FindingKind::kMixedDepth,
                        "Images differ in depth: " + tally_text(view.depths) + "."});
  }
  const SampleList gray =
      images_that(facts, [](const ImageFacts& image) { return image.gray_as_rgb; });
  if (!gray.empty()) {
    const std::string text = share_text(gray.size(), facts.size());
    findings.push_back(
        {Severity::kNote,
         FindingKind::kGrayAsRgb,
         text + (gray.size() == 1 ? " stores" : " store") + " gray as RGB: one channel would do.",
         {gray}});
  }
  const SampleList turned =
      images_that(facts, [](const ImageFacts& image) { return image.turned; });
  if (!turned.empty()) {
    findings.push_back({Severity::kNote,
                        FindingKind::kTurned,
                        share_text(turned.size(), facts.size()) +
                            (turned.size() == 1 ? " is" : " are") +
                            " stored turned or mirrored (EXIF) and read upright; programs that do "
                            "not look at that see other pixels.",
                        {turned}});
  }
  if (view.depths.size() == 1 && !view.channels.empty()) {
    const int full = view.depths[0].first == "8 bits" ? 255 : 65535;
    if (2 * view.max_level < full) {
      findings.push_back({Severity::kNote, FindingKind::kUnusedRange,
                          "No level is above " + std::to_string(view.max_level) + " of " +
                              std::to_string(full) +
                              ": the images are dark or their range is "
                              "another than their depth."});
    }
  }
}

}  // namespace cubcal
