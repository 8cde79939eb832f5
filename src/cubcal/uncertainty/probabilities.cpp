#include "cubcal/uncertainty/probabilities.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/core/half.h"
#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

// Float16 probabilities of many classes sum to 1 no better than this.
constexpr double kSumTolerance = 1e-2;

/// Reads one number of a floating-point array, widened.
double number_at(const NdArray& array, std::size_t index) {
  switch (array.dtype()) {
    case DType::kF16: return to_float(array.as<Half>()[index]);
    case DType::kF32: return array.as<float>()[index];
    default: return array.as<double>()[index];
  }
}

/// Fills an array of float64 where the numbers given are, else of float32.
class ArrayWriter {
 public:
  ArrayWriter(DType from, std::vector<std::size_t> shape)
      : array_(from == DType::kF64 ? DType::kF64 : DType::kF32, std::move(shape)) {}
  void set(std::size_t index, double value) {
    if (array_.dtype() == DType::kF64) {
      array_.as<double>()[index] = value;
    } else {
      array_.as<float>()[index] = static_cast<float>(value);
    }
  }
  NdArray take() { return std::move(array_); }

 private:
  NdArray array_;
};

double floored_log(double p) { return std::log(std::max(p, kProbabilityFloor)); }

[[noreturn]] void refuse_number(double p, const std::string& path) {
  throw DataError("'" + path + "' holds " + to_text(p) +
                  ", but the option 'probabilities' takes numbers from 0 to 1");
}

bool are_percentages(const McLogits& logits) {
  constexpr double kSlack = 1;  // of rounded numbers
  bool some_between = false;    // others may be logits made by hand
  for (std::size_t i = 0; i < logits.samples(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < logits.classes(); ++k) {
      const double value = logits.at(0, i, k);
      if (!(value >= 0 && value <= 100)) return false;
      some_between = some_between || (value > 0 && value < 100);
      sum += value;
    }
    if (!(std::abs(sum - 100) <= kSlack)) return false;
  }
  return some_between;
}

}  // namespace

NumberKind kind_of_numbers(const McLogits& logits) {
  if (are_percentages(logits)) return NumberKind::kPercentages;
  bool sums_are_one = true;
  bool some_between = false;
  for (std::size_t i = 0; i < logits.samples(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < logits.classes(); ++k) {
      const double value = logits.at(0, i, k);
      if (!(value >= 0 && value <= 1)) return NumberKind::kLogits;
      some_between = some_between || (value > 0 && value < 1);
      sum += value;
    }
    sums_are_one = sums_are_one && std::abs(sum - 1) <= kSumTolerance;
  }
  if (sums_are_one) return NumberKind::kProbabilities;
  return some_between ? NumberKind::kSigmoids : NumberKind::kLogits;
}

void refuse_probabilities(const McLogits& logits, const std::string& path) {
  switch (kind_of_numbers(logits)) {
    case NumberKind::kLogits: return;
    case NumberKind::kProbabilities:
      throw DataError("the rows of '" + path +
                      "' sum to 1: these are probabilities, and logits are wanted; give "
                      "the option 'probabilities' to use them as they are");
    case NumberKind::kSigmoids:
      throw DataError("all numbers of '" + path +
                      "' lie in [0, 1]: these look like sigmoid outputs, and logits are wanted; "
                      "give the option 'probabilities', which divides each row by its sum");
    case NumberKind::kPercentages:
      throw DataError("the rows of '" + path +
                      "' sum to 100: these are percentages, and logits are wanted; divided by 100 "
                      "they are probabilities, which the option 'probabilities' takes");
  }
}

double as_distribution(double* row, std::size_t classes, const std::string& path) {
  double sum = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    if (!(row[k] >= 0 && row[k] <= 1 + kSumTolerance)) refuse_number(row[k], path);
    sum += row[k];
  }
  if (sum == 0) {
    throw DataError("'" + path + "' has a row of zeros, which is not a distribution over classes");
  }
  if (std::abs(sum - 1) <= kSumSlack) return sum;
  for (std::size_t k = 0; k < classes; ++k) row[k] /= sum;
  return sum;
}

LogProbabilities log_probabilities(const NdArray& probabilities, const std::string& path) {
  const std::size_t classes = probabilities.shape().back();
  ArrayWriter writer(probabilities.dtype(), probabilities.shape());
  LogProbabilities result;
  std::vector<double> row(classes);
  for (std::size_t first = 0; first < probabilities.size(); first += classes) {
    for (std::size_t k = 0; k < classes; ++k) row[k] = number_at(probabilities, first + k);
    const double sum = as_distribution(row.data(), classes, path);
    for (std::size_t k = 0; k < classes; ++k) writer.set(first + k, floored_log(row[k]));
    if (std::abs(sum - 1) > kSumTolerance) ++result.rescaled;
  }
  result.logits = writer.take();
  return result;
}

namespace {

/// What a mean row says of sample i.
void take_row(const double* mean, double aleatoric, bool one_pass, const PredictionParts& parts,
              std::size_t i, Predictive& result) {
  const std::size_t classes = result.classes;
  if (parts.probabilities) std::copy(mean, mean + classes, &result.probabilities[i * classes]);
  if (!parts.uncertainty) {
    const double* best = std::max_element(mean, mean + classes);
    result.predicted[i] = static_cast<std::int32_t>(best - mean);
    result.confidence[i] = std::clamp(*best, 1 / static_cast<double>(classes), 1.0);
    return;
  }
  const Summary summary = summarise(mean, classes);
  result.predicted[i] = summary.predicted;
  result.confidence[i] = summary.confidence;
  result.entropy[i] = summary.entropy;
  result.aleatoric[i] = one_pass ? summary.entropy : aleatoric;
}

template <class T, class Widen>
void predict_rows(const McLogits& passes, Widen widen, const PredictionParts& parts,
                  const std::string& path, Predictive& result) {
  const std::size_t classes = passes.classes();
  const std::size_t samples = passes.samples();
  const auto* values = static_cast<const T*>(passes.data());
  const auto count = static_cast<double>(passes.passes());
  const bool one_pass = passes.passes() == 1;
  parallel_blocks(samples, 2048, [&](std::size_t first, std::size_t last) {
    std::vector<double> row(classes);
    std::vector<double> mean(classes);
    for (std::size_t i = first; i < last; ++i) {
      double aleatoric = 0;
      std::fill(mean.begin(), mean.end(), 0.0);
      for (std::size_t s = 0; s < passes.passes(); ++s) {
        const T* pass = values + (s * samples + i) * classes;
        for (std::size_t k = 0; k < classes; ++k) row[k] = widen(pass[k]);
        as_distribution(row.data(), classes, path);
        for (std::size_t k = 0; k < classes; ++k) mean[k] += row[k];
        if (parts.uncertainty && !one_pass) aleatoric += summarise(row.data(), classes).entropy;
      }
      for (std::size_t k = 0; k < classes && !one_pass; ++k) mean[k] /= count;
      take_row(mean.data(), aleatoric / count, one_pass, parts, i, result);
    }
  });
}

}  // namespace

Predictive predict_probabilities(const McLogits& passes, const PredictionParts& parts,
                                 const std::string& path) {
  Predictive result;
  result.samples = passes.samples();
  result.classes = passes.classes();
  result.predicted.resize(result.samples);
  result.confidence.resize(result.samples);
  if (parts.probabilities) result.probabilities.resize(result.samples * result.classes);
  if (parts.uncertainty) result.entropy.resize(result.samples);
  if (parts.uncertainty) result.aleatoric.resize(result.samples);
  const auto same = [](auto value) { return static_cast<double>(value); };
  switch (passes.dtype()) {
    case DType::kF16:
      predict_rows<Half>(
          passes, [](Half value) { return to_float(value); }, parts, path, result);
      break;
    case DType::kF32: predict_rows<float>(passes, same, parts, path, result); break;
    default: predict_rows<double>(passes, same, parts, path, result); break;
  }
  return result;
}

namespace {

ArrayWriter two_class_writer(const NdArray& numbers) {
  std::vector<std::size_t> shape = numbers.shape();
  shape.back() = 2;
  return {numbers.dtype(), shape};
}

}  // namespace

NdArray two_class_probabilities(const NdArray& numbers, const std::string& path) {
  ArrayWriter writer = two_class_writer(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double p = number_at(numbers, i);
    if (!(p >= 0 && p <= 1)) refuse_number(p, path);
    writer.set(2 * i, 1 - p);
    writer.set(2 * i + 1, p);
  }
  return writer.take();
}

NdArray two_class_logits(const NdArray& numbers, const std::string& path) {
  ArrayWriter writer = two_class_writer(numbers);
  bool all_in_unit = true;
  bool some_between = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double value = number_at(numbers, i);
    all_in_unit = all_in_unit && value >= 0 && value <= 1;
    some_between = some_between || (value > 0 && value < 1);
    writer.set(2 * i, 0.0);
    writer.set(2 * i + 1, value);
  }
  if (all_in_unit && some_between) {
    throw DataError("all numbers of '" + path +
                    "' lie in [0, 1]: these look like sigmoid outputs, and logits are wanted; give "
                    "the option 'probabilities' to use them as they are");
  }
  return writer.take();
}

}  // namespace cubcal
