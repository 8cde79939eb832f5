#include "cubcal/io/logits_file.h"

#include <algorithm>
#include <cstddef>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/array_text.h"
#include "cubcal/io/integer_array.h"
#include "cubcal/io/labels.h"
#include "cubcal/io/logits_csv.h"
#include "cubcal/io/logits_rows.h"
#include "cubcal/io/logits_shape.h"
#include "cubcal/io/logits_writer.h"
#include "cubcal/io/npz.h"
#include "cubcal/io/torch_file.h"
#include "cubcal/io/torch_logits.h"

namespace cubcal {

namespace {

/// Empty where the file has none, or something else under this name.
std::string read_weights_hash(const NpzReader& npz) {
  if (!npz.has(kWeightsHashArray)) return {};
  const NpyHeader header = npz.peek(kWeightsHashArray);
  return header.is_text() && header.count() == 1 ? npz.read_text(kWeightsHashArray).front() : "";
}

std::vector<std::string> read_groups(const NpzReader& npz) {
  if (npz.peek("groups").is_text()) return npz.read_text("groups");
  const NdArray array = npz.read("groups");
  std::vector<std::string> groups(array.size());
  with_integers(array, [&](const auto* values) {
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = std::to_string(values[i]);
  });
  return groups;
}

/// Checks type and length of the arrays beside the logits from their heads alone, so that a wrong
/// file is refused before much is read or allocated.
void check_companions(const NpzReader& npz, std::size_t samples, std::size_t classes) {
  if (npz.has("groups")) {
    const NpyHeader header = npz.peek("groups");
    if (!header.is_text() && !is_integer(header.dtype)) {
      throw DataError(npz.where("groups") + " is " + header.type_text() +
                      ", but groups must be text or integers");
    }
    check_length(header, samples, "samples", npz.where("groups"));
  }
  const auto check_text = [&npz](const char* name, const char* what, std::size_t count,
                                 const char* of) {
    if (!npz.has(name)) return;
    const NpyHeader header = npz.peek(name);
    if (!header.is_text()) {
      throw DataError(npz.where(name) + " is " + header.type_text() + ", but " + what +
                      " must be text");
    }
    check_length(header, count, of, npz.where(name));
  };
  check_text("files", "file names", samples, "samples");
  check_text("class_names", "class names", classes, "classes");
}

/// "sex, site": the columns there are.
std::string listed_columns(const NpzReader& npz) {
  std::string known;
  for (const std::string& name : npz.names()) {
    if (!starts_with(name, kColumnPrefix)) continue;
    known += (known.empty() ? "" : ", ") + name.substr(kColumnPrefix.size());
  }
  return known;
}

std::vector<SampleColumn> read_columns(const NpzReader& npz, const LogitsReading& reading,
                                       std::size_t samples) {
  std::vector<SampleColumn> columns;
  const auto add = [&](const std::string& column) {
    const std::string name = kColumnPrefix + column;
    std::vector<std::string> values = read_as_text(npz, name);
    if (values.size() != samples) {
      throw DataError(npz.where(name) + " has " + std::to_string(values.size()) +
                      " entries, but the logits have " + std::to_string(samples) + " samples");
    }
    columns.push_back({column, std::move(values)});
  };
  for (const std::string& name : npz.names()) {
    if (reading.all_columns && starts_with(name, kColumnPrefix)) {
      add(name.substr(kColumnPrefix.size()));
    }
  }
  for (const std::string& column : reading.columns) {
    const std::string array = kColumnPrefix + column;
    if (!npz.has(array)) {
      const std::string known = listed_columns(npz);
      throw DataError("'" + npz.path() + "' has no array '" + array +
                      "' [N]; its columns are: " + (known.empty() ? "none" : known));
    }
    add(column);
  }
  return columns;
}

/// Such as 'cubcal logits --shard' writes: every so many-th sample of a set.
void refuse_shard(const NpzReader& npz) {
  if (!npz.has("shard") || !npz.has("places")) return;
  throw DataError("'" + npz.path() +
                  "' is one shard of a larger job, with a part of its samples: merge all of them "
                  "first");
}

std::unique_ptr<ByteStream> open_logits(const NpzReader& npz, const std::string& key) {
  try {
    return npz.open(key);
  } catch (const DataError& error) {
    if (npz.has(key) || npz.names().empty()) throw;
    throw DataError(std::string(error.what()) +
                    "; the option 'logits_key' names that of the logits");
  }
}

LogitsFile read_npz_logits(std::shared_ptr<const ByteSource> source, const LogitsReading& reading) {
  const NpzReader npz(std::move(source));
  refuse_shard(npz);
  const std::string where = npz.where(reading.logits_key);
  const std::unique_ptr<ByteStream> stream = open_logits(npz, reading.logits_key);
  NpyHeader header = read_npy_header(*stream, where);
  check_logits(header, where, reading);
  const std::size_t samples = header.shape[1];
  const std::size_t classes = reading.binary ? 2 : header.shape[2];
  LogitsFile file;
  file.path = npz.path();
  file.has_labels =
      reading.with_labels && reading.labels_file.empty() && npz.has(reading.labels_key);
  if (file.has_labels) {
    refuse_swapped_axes(header, where, npz.peek(reading.labels_key).count(), kNumpyAxes);
  }
  check_companions(npz, samples, classes);
  if (npz.has("class_names")) file.class_names = npz.read_text("class_names");
  if (file.has_labels) {
    file.labels = class_indices(read_labels(npz, reading.labels_key, samples), classes,
                                file.class_names, reading.ignored_label);
  }
  if (npz.has("groups")) file.groups = read_groups(npz);
  if (npz.has("files")) file.files = npz.read_text("files");
  file.weights_hash = read_weights_hash(npz);
  file.columns = read_columns(npz, reading, samples);
  file.logits = read_npy_numbers(*stream, header, where);
  return file;
}

LogitsFile read_npy_logits(const std::shared_ptr<const ByteSource>& source,
                           const LogitsReading& reading) {
  const std::string where = "'" + source->name() + "'";
  const std::unique_ptr<ByteStream> stream = open_range(source, 0, source->size());
  NpyHeader header = read_npy_header(*stream, where);
  check_logits(header, where, reading);
  refuse_columns(reading, where);
  LogitsFile file;
  file.path = source->name();
  file.logits = read_npy_numbers(*stream, header, where);
  return file;
}

/// The whole source, which must be text. Binary files of other kinds have control characters near
/// their beginning.
std::string text_of(const ByteSource& source) {
  constexpr std::size_t kLooked = 4096;
  const std::size_t most = CsvOptions{}.max_bytes;
  std::string text(std::min<std::uint64_t>(source.size(), kLooked), '\0');
  source.read_at(0, text.data(), text.size());
  const bool is_text = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
  if (!is_text)
    throw DataError("'" + source.name() + "' is neither an npz, an npy, a PyTorch nor a CSV file");
  if (source.size() > most) {
    throw DataError("'" + source.name() + "' has " + std::to_string(source.size()) +
                    " bytes, but a CSV file may have " + std::to_string(most));
  }
  text.resize(source.size());
  source.read_at(0, text.data(), text.size());
  return text;
}

void leave_out_ignored(LogitsFile& file, const std::string& ignored) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < file.labels.size(); ++i) {
    if (file.labels[i] != kIgnoredLabel) kept.push_back(i);
  }
  if (kept.size() == file.labels.size()) return;
  if (kept.empty()) {
    throw DataError("all samples of '" + file.path + "' have the ignored label " + ignored);
  }
  file = take_samples(file, kept);
}

}  // namespace

LogitsFile read_logits_file(const std::string& path, const LogitsReading& reading) {
  return read_logits_file(std::make_shared<FileSource>(path), reading);
}

LogitsFile read_logits_file(std::shared_ptr<const ByteSource> source,
                            const LogitsReading& reading) {
  LogitsFile file;
  if (is_npy(*source)) {
    file = read_npy_logits(source, reading);
  } else if (TorchFile::is_likely(source)) {
    file = read_torch_logits(std::move(source), reading);
  } else if (ZipArchive::is_likely(*source)) {
    file = read_npz_logits(std::move(source), reading);
  } else {
    const std::string text = text_of(*source);
    CsvOptions options;
    options.separator = recognise_separator(text);
    file = read_csv_logits(parse_csv(text, source->name(), options), reading);
  }
  if (reading.with_labels && !reading.labels_file.empty()) {
    const std::vector<std::size_t>& shape = file.logits.shape();
    file.labels =
        class_indices(read_labels_file(reading.labels_file, reading.labels_key, shape[1]),
                      reading.binary ? 2 : shape[2], file.class_names, reading.ignored_label);
    file.has_labels = true;
  }
  leave_out_ignored(file, reading.ignored_label);
  return file;
}

const std::vector<std::string>& column_values(const LogitsFile& file, const std::string& name) {
  for (const SampleColumn& column : file.columns) {
    if (column.name == name) return column.values;
  }
  throw ArgumentError("the column '" + name + "' of '" + file.path + "' was not read");
}

void check_same_classes(const LogitsFile& file, const LogitsFile& other) {
  const std::size_t classes = file.logits.shape().back();
  const std::size_t others = other.logits.shape().back();
  if (classes == others) return;
  throw DataError("'" + other.path + "' has " + std::to_string(others) + " classes, but '" +
                  file.path + "' has " + std::to_string(classes));
}

void write_logits_file(const std::string& path, const LogitsFile& file) {
  LogitsArrays arrays{file.logits};
  if (file.has_labels) arrays.labels = file.labels;
  arrays.groups = file.groups;
  arrays.class_names = file.class_names;
  arrays.weights_hash = file.weights_hash;
  arrays.files = file.files;
  arrays.columns = file.columns;
  NpzWriter npz(path);
  add_logits_arrays(npz, arrays);
  npz.finish();
}

}  // namespace cubcal
