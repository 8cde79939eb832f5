#include "cubcal/io/logits_rows.h"

#include <unordered_map>

#include "cubcal/core/error.h"
#include "cubcal/core/take_rows.h"

namespace cubcal {

namespace {

std::unordered_map<std::string, std::size_t> places(const LogitsFile& file) {
  std::unordered_map<std::string, std::size_t> found;
  for (std::size_t i = 0; i < file.files.size(); ++i) {
    const auto [first, is_new] = found.emplace(file.files[i], i);
    if (is_new) continue;
    throw DataError("'" + file.path + "' names the file '" + file.files[i] + "' twice (samples " +
                    std::to_string(first->second) + " and " + std::to_string(i) +
                    "), so that its samples cannot be matched by 'files'");
  }
  return found;
}

[[noreturn]] void throw_unmatched(const LogitsFile& has, const std::string& name,
                                  const LogitsFile& lacks) {
  throw DataError("'" + has.path + "' has the file '" + name + "', but '" + lacks.path +
                  "' has not: a comparison needs the same samples on both sides");
}

NdArray samples_of(const NdArray& array, const std::vector<std::size_t>& rows) {
  const std::vector<std::size_t>& shape = array.shape();
  return take_rows(array.bytes(), array.dtype(), shape[0], shape[1], shape[2], rows);
}

}  // namespace

LogitsFile take_samples(const LogitsFile& file, const std::vector<std::size_t>& rows) {
  LogitsFile result;
  result.logits = samples_of(file.logits, rows);
  if (file.probabilities.size() > 0) result.probabilities = samples_of(file.probabilities, rows);
  result.labels = take_rows(file.labels, rows);
  result.groups = take_rows(file.groups, rows);
  result.files = take_rows(file.files, rows);
  result.class_names = file.class_names;
  for (const SampleColumn& column : file.columns) {
    result.columns.push_back({column.name, take_rows(column.values, rows)});
  }
  result.has_labels = file.has_labels;
  result.weights_hash = file.weights_hash;
  result.path = file.path;
  return result;
}

std::vector<std::size_t> rows_by_file(const LogitsFile& file, const LogitsFile& other) {
  const auto own = places(file);
  const auto others = places(other);
  for (const std::string& name : other.files) {
    if (own.count(name) == 0) throw_unmatched(other, name, file);
  }
  std::vector<std::size_t> rows;
  for (const std::string& name : file.files) {
    const auto found = others.find(name);
    if (found == others.end()) throw_unmatched(file, name, other);
    rows.push_back(found->second);
  }
  return rows;
}

}  // namespace cubcal
