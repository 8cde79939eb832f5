#include "cubcal/inspection/spelling.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "cubcal/core/words.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/split_name.h"

namespace cubcal {

namespace {

constexpr std::size_t kShortestWord = 5;

std::vector<std::string> plain_words(const std::string& name) {
  std::string text = lower_case(trimmed_cell(name));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '_' || c == '-'; }, ' ');
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether one letter that is not the first makes the difference.
bool is_slip(std::string a, std::string b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (a.size() < kShortestWord || b.size() > a.size() + 1) return false;
  const std::size_t place =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  if (place == 0) return false;
  if (b.size() > a.size()) return !is_digit(b[place]) && a.substr(place) == b.substr(place + 1);
  if (is_digit(a[place]) || is_digit(b[place])) return false;
  if (a.substr(place + 1) == b.substr(place + 1)) return true;
  return place + 1 < a.size() && a[place] == b[place + 1] && a[place + 1] == b[place] &&
         a.substr(place + 2) == b.substr(place + 2);
}

enum class Likeness { kNone, kSlip, kSame };

Likeness likeness(const std::string& left, const std::string& right) {
  const std::vector<std::string> a = plain_words(left);
  const std::vector<std::string> b = plain_words(right);
  if (a == b) return Likeness::kSame;
  std::string joined_a, joined_b;
  for (const std::string& word : a) joined_a += word;
  for (const std::string& word : b) joined_b += word;
  if (joined_a == joined_b) return Likeness::kSame;
  if (a.size() != b.size()) return Likeness::kNone;
  std::size_t differing = 0;
  bool all_slips = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++differing;
    all_slips = all_slips && is_slip(a[i], b[i]);
  }
  return differing == 1 && all_slips ? Likeness::kSlip : Likeness::kNone;
}

}  // namespace

std::vector<AlikeNames> alike_labels(const Catalog& catalog) {
  std::map<std::string, std::size_t> counts;
  for (const Sample& sample : catalog.samples) {
    if (sample.label != kNoLabel) ++counts[sample.label_name];
  }
  std::vector<std::pair<std::string, std::size_t>> names(counts.begin(), counts.end());
  std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return (trimmed_cell(a.first) == a.first) > (trimmed_cell(b.first) == b.first);
  });
  std::vector<AlikeNames> alike;
  for (std::size_t rare = 1; rare < names.size(); ++rare) {
    std::optional<AlikeNames> best;
    for (std::size_t common = 0; common < rare && !(best && best->is_same); ++common) {
      const Likeness how = likeness(names[rare].first, names[common].first);
      if (how == Likeness::kNone || (best && how == Likeness::kSlip)) continue;
      best = AlikeNames{names[rare].first, names[common].first, names[rare].second,
                        names[common].second, how == Likeness::kSame};
    }
    if (best) alike.push_back(*best);
  }
  return alike;
}

std::vector<AlikeNames> alike_splits(const Catalog& catalog) {
  std::map<std::string, std::size_t> counts;
  for (const Sample& sample : catalog.samples) ++counts[sample.split];
  std::vector<AlikeNames> alike;
  for (const auto& [name, count] : counts) {
    const std::string clean = canonical_split(trimmed_cell(name));
    if (name.empty() || clean == name) continue;
    const auto other = counts.find(clean);
    alike.push_back({name, clean, count, other == counts.end() ? 0 : other->second, true});
  }
  for (const auto& [name, count] : catalog.blank_splits) {
    const std::string clean = canonical_split(name);
    alike.push_back({name, clean, count, counts[clean] - std::min(counts[clean], count), true});
  }
  return alike;
}

}  // namespace cubcal
