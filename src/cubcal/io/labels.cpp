#include "cubcal/io/labels.h"

#include <algorithm>
#include <unordered_map>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/io/array_text.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/integer_array.h"
#include "cubcal/io/logits_shape.h"
#include "cubcal/io/torch_file.h"
#include "cubcal/io/torch_logits.h"

namespace cubcal {

namespace {

void check_label_array(const NpyHeader& header, std::size_t length, const std::string& where) {
  refuse_one_hot(header, where);
  if (!header.is_text() && is_floating(header.dtype)) {
    throw DataError(where + " is " + header.type_text() +
                    ", but labels must be integers, as labels.astype(np.int64) makes them");
  }
  check_length(header, length, "samples", where);
}

RawLabels read_npy_labels(const std::shared_ptr<const ByteSource>& source, std::size_t length) {
  RawLabels labels;
  labels.where = "'" + source->name() + "'";
  const std::unique_ptr<ByteStream> stream = open_range(source, 0, source->size());
  const NpyHeader header = read_npy_header(*stream, labels.where);
  check_label_array(header, length, labels.where);
  labels.are_text = header.is_text();
  labels.texts = header.is_text() ? read_npy_text(*stream, header, labels.where)
                                  : texts_of(read_npy_numbers(*stream, header, labels.where));
  return labels;
}

/// "1" of "1.0", as tables are written whose labels were numbers with a point.
std::string without_zeros(const std::string& text) {
  const std::size_t point = text.find('.');
  const bool is_whole = point != std::string::npos && point > 0 && point + 1 < text.size() &&
                        text.find_first_not_of('0', point + 1) == std::string::npos;
  return is_whole ? text.substr(0, point) : text;
}

/// Whether labels 1 to `classes` are all there are.
bool starts_at_one(const RawLabels& labels, std::size_t classes) {
  return std::all_of(labels.texts.begin(), labels.texts.end(), [classes](const std::string& text) {
    const std::optional<std::uint64_t> index = parse_whole<std::uint64_t>(without_zeros(text));
    return index && *index >= 1 && *index <= classes;
  });
}

RawLabels read_csv_labels(const std::string& path, const std::string& key, std::size_t length) {
  CsvOptions options;
  const std::string text = read_text_file(path, options.max_bytes);
  options.separator = recognise_separator(text);
  const CsvTable table = parse_csv(text, path, options);
  std::size_t column = 0;
  if (table.has_column(key)) {
    column = table.column(key);
  } else if (table.header.size() > 1) {
    column = table.column("label");
  }
  if (table.rows.size() != length) {
    throw DataError("'" + path + "' has " + std::to_string(table.rows.size()) +
                    " rows of labels, but the logits have " + std::to_string(length) + " samples" +
                    (table.rows.size() + 1 == length
                         ? ": its first line is taken for the header, which names the column"
                         : ""));
  }
  RawLabels labels;
  labels.are_text = true;
  labels.where = "the column '" + table.header[column] + "' of '" + path + "'";
  for (const std::vector<std::string>& row : table.rows) labels.texts.push_back(row[column]);
  return labels;
}

}  // namespace

RawLabels read_labels(const NpzReader& npz, const std::string& key, std::size_t length) {
  const NpyHeader header = npz.peek(key);
  check_label_array(header, length, npz.where(key));
  return {read_as_text(npz, key), npz.where(key), header.is_text()};
}

RawLabels read_labels_file(const std::string& path, const std::string& key, std::size_t length) {
  const auto source = std::make_shared<FileSource>(path);
  if (is_npy(*source)) return read_npy_labels(source, length);
  if (TorchFile::is_likely(source)) return read_torch_labels(source, key, length);
  if (ZipArchive::is_likely(*source)) return read_labels(NpzReader(source), key, length);
  return read_csv_labels(path, key, length);
}

std::vector<std::int64_t> class_indices(const RawLabels& labels, std::size_t classes,
                                        const std::vector<std::string>& class_names,
                                        const std::string& ignored) {
  std::unordered_map<std::string, std::int64_t> known;
  for (std::size_t k = 0; labels.are_text && k < class_names.size(); ++k) {
    known.emplace(class_names[k], static_cast<std::int64_t>(k));
  }
  known.emplace("false", 0);
  known.emplace("true", 1);
  std::vector<std::int64_t> indices;
  indices.reserve(labels.texts.size());
  for (std::size_t i = 0; i < labels.texts.size(); ++i) {
    const std::string text =
        known.count(labels.texts[i]) > 0 ? labels.texts[i] : without_zeros(labels.texts[i]);
    if (!ignored.empty() && (labels.texts[i] == ignored || text == ignored)) {
      indices.push_back(kIgnoredLabel);
      continue;
    }
    if (const auto name = known.find(text); name != known.end()) {
      indices.push_back(name->second);
      continue;
    }
    const std::optional<std::uint64_t> index = parse_whole<std::uint64_t>(text);
    const bool is_number =
        !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
    if (index && *index < classes) {
      indices.push_back(static_cast<std::int64_t>(*index));
      continue;
    }
    if (is_number) {
      throw DataError(labels.where + " has the label " + text + " at index " + std::to_string(i) +
                      ", but the logits have classes 0 to " + std::to_string(classes - 1) +
                      (text[0] == '-' ? "; the option 'ignore_label' leaves out samples of a label"
                       : starts_at_one(labels, classes) ? "; do the labels start at 1?"
                                                        : ""));
    }
    throw DataError(labels.where + " has the label '" + text + "' at index " + std::to_string(i) +
                    ", which is neither the index of a class nor one of the class names");
  }
  return indices;
}

}  // namespace cubcal
