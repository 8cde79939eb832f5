#include "cubcal/io/torch_logits.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/array_text.h"
#include "cubcal/io/integer_array.h"
#include "cubcal/io/logits_shape.h"
#include "cubcal/io/torch_file.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Kind = PickleValue::Kind;

/// The entries of a saved tensor or dictionary.
class TorchEntries {
 public:
  explicit TorchEntries(std::shared_ptr<const ByteSource> source) : file_(std::move(source)) {
    const Kind kind = top().kind;
    if (kind == Kind::kTensor || kind == Kind::kDict) return;
    throw DataError(file_.name() +
                    " holds neither a tensor nor a dictionary of tensors, as "
                    "torch.save({'logits': z, 'labels': y}, path) writes it");
  }

  std::string name() const { return file_.name(); }
  bool is_tensor() const { return top().kind == Kind::kTensor; }
  bool has(const std::string& key) const { return !is_tensor() && entry(key) != nullptr; }

  std::string where(const std::string& key) const {
    return is_tensor() ? "the tensor of " + name()
                       : "the entry " + in_quotes(key) + " of " + name();
  }

  /// Keys that start so, in the order of the file.
  std::vector<std::string> keys_with(const std::string& prefix) const {
    std::vector<std::string> keys;
    for (std::size_t i = 0; !is_tensor() && i + 1 < top().items.size(); i += 2) {
      const PickleValue& key = file_.pickle().at(top().items[i]);
      if (key.kind == Kind::kText && starts_with(key.text, prefix)) keys.push_back(key.text);
    }
    return keys;
  }

  /// Whether it is a list or a tuple, of which texts_of makes texts.
  bool is_list(const std::string& key) const {
    const Kind kind = value(key).kind;
    return kind == Kind::kList || kind == Kind::kTuple;
  }

  /// Type and shape of a tensor.
  NpyHeader head(const std::string& key) const {
    const TorchTensor& tensor = tensor_of(key);
    NpyHeader header;
    header.dtype = file_.pickle().storages[tensor.storage].type.dtype;
    header.shape.assign(tensor.shape.begin(), tensor.shape.end());
    for (const std::uint64_t extent : tensor.shape) {
      if (extent > kMostExtent) throw DataError(where(key) + " is too large to address");
    }
    return header;
  }

  NdArray array(const std::string& key) const {
    return std::move(file_.read({{is_tensor() ? "" : key, &tensor_of(key)}}).front());
  }

  /// Of a list or of a tensor with one entry each.
  std::vector<std::string> texts(const std::string& key) const {
    if (!is_list(key)) return texts_of(array(key));
    std::vector<std::string> texts;
    for (const std::uint32_t item : value(key).items) {
      texts.push_back(text_of(file_.pickle().at(item), key));
    }
    return texts;
  }

 private:
  static constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 40;

  const PickleValue& top() const { return file_.pickle().top(); }
  const PickleValue* entry(const std::string& key) const {
    return find_entry(file_.pickle(), top(), key);
  }

  const PickleValue& value(const std::string& key) const {
    if (is_tensor()) return top();
    const PickleValue* found = entry(key);
    if (found != nullptr) return *found;
    const bool is_usual = key == "logits" || key == "labels";
    throw DataError(name() + " has no entry " + in_quotes(key) + "; its keys are " +
                    describe_keys(file_.pickle(), top()) +
                    (is_usual ? ": say with the option '" + key + "_key' which it is" : ""));
  }

  const TorchTensor& tensor_of(const std::string& key) const {
    const PickleValue& found = value(key);
    if (found.kind != Kind::kTensor) throw DataError(where(key) + " is not a tensor");
    return file_.pickle().tensors[static_cast<std::size_t>(found.integer)];
  }

  std::string text_of(const PickleValue& item, const std::string& key) const {
    switch (item.kind) {
      case Kind::kText: return item.text;
      case Kind::kInteger: return std::to_string(item.integer);
      case Kind::kBool: return item.integer != 0 ? "true" : "false";
      case Kind::kReal: return item.real == item.real ? to_text(item.real) : "";
      case Kind::kNone: return "";
      default: throw DataError(where(key) + " holds something else than text and numbers");
    }
  }

  TorchFile file_;
};

void check_count(std::size_t found, std::size_t length, const char* axis,
                 const std::string& where) {
  if (found == length) return;
  throw DataError(where + " has " + std::to_string(found) + " entries, but the logits have " +
                  std::to_string(length) + " " + axis);
}

RawLabels labels_of(const TorchEntries& entries, const std::string& key, std::size_t length) {
  const std::string where = entries.where(key);
  if (!entries.is_tensor() && entries.has(key) && entries.is_list(key)) {
    RawLabels labels{entries.texts(key), where, true};
    check_count(labels.texts.size(), length, "samples", where);
    return labels;
  }
  const NpyHeader header = entries.head(key);
  refuse_one_hot(header, where);
  if (is_floating(header.dtype)) {
    throw DataError(where + " is " + header.type_text() +
                    ", but labels must be integers, as labels.long() makes them");
  }
  check_length(header, length, "samples", where);
  return {entries.texts(key), where, false};
}

/// Names of samples or classes: a list of text, and where `with_numbers` also one of integers.
std::vector<std::string> names_of(const TorchEntries& entries, const char* key, std::size_t length,
                                  const char* axis, bool with_numbers) {
  if (!entries.has(key)) return {};
  const std::string where = entries.where(key);
  if (!entries.is_list(key)) {
    const NpyHeader header = entries.head(key);
    if (!with_numbers || !is_integer(header.dtype)) {
      throw DataError(where + " is " + header.type_text() + ", but " + key + " must be " +
                      (with_numbers ? "integers or a list of text" : "a list of text"));
    }
    check_length(header, length, axis, where);
  }
  std::vector<std::string> names = entries.texts(key);
  check_count(names.size(), length, axis, where);
  return names;
}

std::vector<SampleColumn> columns_of(const TorchEntries& entries, const LogitsReading& reading,
                                     std::size_t samples) {
  const std::vector<std::string> there = entries.keys_with(kColumnPrefix);
  std::vector<std::string> wanted = reading.all_columns ? there : std::vector<std::string>{};
  for (const std::string& column : reading.columns) wanted.push_back(kColumnPrefix + column);
  std::vector<SampleColumn> columns;
  for (const std::string& key : wanted) {
    if (!entries.has(key)) {
      std::string known;
      for (const std::string& each : there) {
        known += (known.empty() ? "" : ", ") + each.substr(kColumnPrefix.size());
      }
      throw DataError(entries.name() + " has no entry '" + key +
                      "' [N]; its columns are: " + (known.empty() ? "none" : known));
    }
    std::vector<std::string> values = entries.texts(key);
    check_count(values.size(), samples, "samples", entries.where(key));
    columns.push_back({key.substr(kColumnPrefix.size()), std::move(values)});
  }
  return columns;
}

}  // namespace

LogitsFile read_torch_logits(std::shared_ptr<const ByteSource> source,
                             const LogitsReading& reading) {
  LogitsFile file;
  file.path = source->name();
  const TorchEntries entries(std::move(source));
  const std::string& key = reading.logits_key;
  NpyHeader header = entries.head(key);
  check_logits(header, entries.where(key), reading);
  if (entries.is_tensor()) refuse_columns(reading, entries.where(key));
  const std::size_t samples = header.shape[1];
  const std::size_t classes = reading.binary ? 2 : header.shape[2];
  file.has_labels =
      reading.with_labels && reading.labels_file.empty() && entries.has(reading.labels_key);
  file.class_names = names_of(entries, "class_names", classes, "classes", false);
  file.groups = names_of(entries, "groups", samples, "samples", true);
  file.files = names_of(entries, "files", samples, "samples", false);
  if (file.has_labels) {
    if (!entries.is_list(reading.labels_key)) {
      refuse_swapped_axes(header, entries.where(key), entries.head(reading.labels_key).count(),
                          kTorchAxes);
    }
    file.labels = class_indices(labels_of(entries, reading.labels_key, samples), classes,
                                file.class_names, reading.ignored_label);
  }
  file.columns = columns_of(entries, reading, samples);
  NdArray logits = entries.array(key);
  file.logits = NdArray(logits.dtype(), header.shape, logits.memory());
  return file;
}

RawLabels read_torch_labels(std::shared_ptr<const ByteSource> source, const std::string& key,
                            std::size_t length) {
  return labels_of(TorchEntries(std::move(source)), key, length);
}

}  // namespace cubcal
