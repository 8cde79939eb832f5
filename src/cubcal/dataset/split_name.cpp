#include "cubcal/dataset/split_name.h"

#include <array>
#include <utility>

#include "cubcal/core/words.h"
#include "cubcal/dataset/file_name.h"

namespace cubcal {

namespace {

constexpr std::array<std::pair<const char*, const char*>, 8> kSplitSpellings = {
    {{"train", "train"},
     {"training", "train"},
     {"val", "val"},
     {"valid", "val"},
     {"validation", "val"},
     {"test", "test"},
     {"testing", "test"},
     {"ood", "ood"}}};

const char* known_split(const std::string& name) {
  const std::string wanted = lower_case(trimmed_cell(name));
  for (const auto& [spelling, split] : kSplitSpellings) {
    if (wanted == spelling) return split;
  }
  return nullptr;
}

}  // namespace

std::string canonical_split(const std::string& name) {
  const char* split = known_split(name);
  return split != nullptr ? split : trimmed_cell(name);
}

bool is_split_name(const std::string& name) { return known_split(name) != nullptr; }

int split_rank(const std::string& split) {
  if (split == "train") return 0;
  if (split == "val") return 1;
  if (split == "test") return 2;
  return split == "ood" ? 4 : 3;
}

}  // namespace cubcal
