#include "cubcal/io/logits_shape.h"

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

/// Tables of class against class grow with the square of it.
constexpr std::size_t kMostClasses = 2048;

constexpr const char* kBinaryHint =
    "; the option 'binary' takes one number for each sample, as of a sigmoid";

}  // namespace

void check_logits(NpyHeader& header, const std::string& where, const LogitsReading& reading) {
  if (header.is_text() || !is_floating(header.dtype)) {
    throw DataError(where + " is " + header.type_text() +
                    ", but logits must be float16, float32 or float64");
  }
  std::vector<std::size_t>& shape = header.shape;
  if (reading.binary) {
    if ((shape.size() == 1 || shape.size() == 2) && shape.back() != 1) shape.push_back(1);
    if (shape.size() < 2 || shape.size() > 3 || shape.back() != 1) {
      throw DataError(where + " has shape " + header.shape_text() +
                      ", but two classes told apart by one number need [N] or [S,N]");
    }
  } else if (shape.size() != 2 && shape.size() != 3) {
    throw DataError(where + " has shape " + header.shape_text() +
                    ", but logits must be [S,N,K] (passes, samples, classes) or [N,K]" +
                    (shape.size() == 1 ? kBinaryHint : ""));
  }
  if (header.count() == 0) {
    throw DataError(where + " has shape " + header.shape_text() +
                    ", but logits need at least one pass, one sample and two classes");
  }
  if (shape.back() < 2 && !reading.binary) {
    throw DataError(where + " has shape " + header.shape_text() +
                    " and so a single class, but at least two are needed" + kBinaryHint);
  }
  if (shape.back() > kMostClasses) {
    throw DataError(where + " has shape " + header.shape_text() + " and so " +
                    std::to_string(shape.back()) + " classes, but at most " +
                    std::to_string(kMostClasses) + " are accepted");
  }
  if (shape.size() == 2) header.shape.insert(header.shape.begin(), 1);
}

void check_length(const NpyHeader& header, std::size_t length, const char* axis,
                  const std::string& where) {
  const std::vector<std::size_t>& shape = header.shape;
  const bool is_column = shape.size() == 2 && shape[1] == 1;
  if ((shape.size() == 1 || is_column) && shape[0] == length) return;
  throw DataError(where + " has shape " + header.shape_text() + ", but the logits have " +
                  std::to_string(length) + " " + axis);
}

void refuse_one_hot(const NpyHeader& header, const std::string& where) {
  if (header.is_text() || header.shape.size() != 2 || header.shape[1] < 2) return;
  throw DataError(where + " has shape " + header.shape_text() +
                  ", but a label is one class index for each sample; of one-hot labels "
                  "labels.argmax(1) makes them");
}

void refuse_columns(const LogitsReading& reading, const std::string& where) {
  if (reading.columns.empty()) return;
  throw DataError(where + " holds logits alone, without the column '" + reading.columns.front() +
                  "': an npz file with the array '" + kColumnPrefix + reading.columns.front() +
                  "' is needed");
}

void refuse_swapped_axes(const NpyHeader& header, const std::string& where, std::size_t labels,
                         const AxisAdvice& advice) {
  const std::vector<std::size_t>& shape = header.shape;
  if (labels < 2 || labels == shape[1]) return;
  const std::string found = where + " has shape " + header.shape_text() + " and there are " +
                            std::to_string(labels) + " labels: this looks like ";
  const std::string wanted = ", and [passes, samples, classes] is wanted, as ";
  if (labels == shape[0]) {
    throw DataError(found + "[samples, passes, classes]" + wanted + advice.of_nsk +
                    " makes it; of [samples, classes, passes] " + advice.of_nks + " does");
  }
  if (labels != shape[2] || shape[1] >= shape[2]) return;  // fewer classes than samples
  if (shape[0] == 1) {
    throw DataError(found + "[classes, samples], and [samples, classes] is wanted, as logits.T is");
  }
  throw DataError(found + "[passes, classes, samples]" + wanted + advice.of_skn + " makes it");
}

}  // namespace cubcal
