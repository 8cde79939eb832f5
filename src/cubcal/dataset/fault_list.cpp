#include "cubcal/dataset/fault_list.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr std::size_t kShown = 10;

std::string first_of(const std::vector<std::string>& texts, const char* separator) {
  std::string joined;
  for (std::size_t i = 0; i < std::min(kShown, texts.size()); ++i) {
    joined += (i > 0 ? separator : "") + texts[i];
  }
  if (texts.size() > kShown) joined += " and " + std::to_string(texts.size() - kShown) + " more";
  return joined;
}

}  // namespace

std::string joined_faults(const std::vector<std::string>& faults) { return first_of(faults, "; "); }

std::string quoted_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back(in_quotes(name));
  return first_of(quoted, ", ");
}

std::vector<std::string> FaultList::texts() const {
  std::vector<Fault> ordered = faults_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Fault& a, const Fault& b) { return a.line < b.line; });
  std::vector<std::string> texts;
  for (const Fault& fault : ordered) {
    const std::string where = fault.line > 0 ? "line " + std::to_string(fault.line) + " " : "";
    texts.push_back(where + fault.text);
  }
  return texts;
}

void FaultList::raise(const std::string& subject) const {
  if (faults_.empty()) return;
  const std::vector<std::string> all = texts();
  throw DataError("'" + subject + "' has " + std::to_string(all.size()) +
                  (all.size() == 1 ? " fault: " : " faults: ") + joined_faults(all));
}

}  // namespace cubcal
