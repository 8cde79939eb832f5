#include "cubcal/inspection/contact_sheet.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "cubcal/core/seed_stream.h"

namespace cubcal {

namespace {

constexpr std::size_t kMostPerStrip = 8;
constexpr std::size_t kFewestPerStrip = 2;
constexpr std::size_t kMostImages = 240;

}  // namespace

SampleList drawn(const SampleList& samples, std::size_t count, std::uint64_t seed,
                 std::uint64_t stream) {
  if (samples.size() <= count) return samples;
  SampleList rest = samples;
  SeedStream random(seed, stream);
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint32_t>(rest.size() - i);
    std::swap(rest[i], rest[i + random.below(left)]);
  }
  rest.resize(count);
  std::sort(rest.begin(), rest.end());
  return rest;
}

std::vector<ContactStrip> contact_sheet(const Catalog& catalog, std::uint64_t seed) {
  const std::vector<std::string> splits = catalog.split_names();
  // Classes in their order, outliers after them; splits in theirs.
  std::map<std::tuple<std::size_t, std::string, std::size_t>, SampleList> strips;
  for (std::size_t i = 0; i < catalog.samples.size(); ++i) {
    const Sample& sample = catalog.samples[i];
    const std::size_t row =
        sample.label == kNoLabel ? catalog.classes() : static_cast<std::size_t>(sample.label);
    const auto split = std::find(splits.begin(), splits.end(), sample.split) - splits.begin();
    const std::string name = row < catalog.classes()     ? catalog.class_names[row]
                             : sample.label_name.empty() ? "no label"
                                                         : sample.label_name;
    strips[{row, name, static_cast<std::size_t>(split)}].push_back(i);
  }
  const std::size_t per_strip = std::clamp(kMostImages / std::max<std::size_t>(1, strips.size()),
                                           kFewestPerStrip, kMostPerStrip);
  std::vector<ContactStrip> sheet;
  for (const auto& [place, samples] : strips) {
    sheet.push_back({std::get<1>(place), catalog.samples[samples[0]].split, samples.size(),
                     drawn(samples, per_strip, seed, sheet.size())});
  }
  return sheet;
}

}  // namespace cubcal
