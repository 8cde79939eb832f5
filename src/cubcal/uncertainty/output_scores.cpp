#include "cubcal/uncertainty/output_scores.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/core/half.h"

namespace cubcal {

namespace {

double number(Half value) { return to_float(value); }
double number(float value) { return value; }
double number(double value) { return value; }

template <class T>
std::vector<double> energies(const McLogits& logits) {
  const auto* z = static_cast<const T*>(logits.data());
  std::vector<double> result(logits.samples(), 0.0);
  const std::size_t classes = logits.classes();
  for (std::size_t s = 0; s < logits.passes(); ++s) {
    for (std::size_t i = 0; i < logits.samples(); ++i, z += classes) {
      double largest = number(z[0]);
      for (std::size_t k = 1; k < classes; ++k) {
        largest = std::max(largest, number(z[k]));
      }
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k) sum += std::exp(number(z[k]) - largest);
      result[i] -= (largest + std::log(sum)) / static_cast<double>(logits.passes());
    }
  }
  return result;
}

std::vector<double> energy(const McLogits& logits) {
  switch (logits.dtype()) {
    case DType::kF16: return energies<Half>(logits);
    case DType::kF32: return energies<float>(logits);
    default: return energies<double>(logits);
  }
}

}  // namespace

const std::vector<OutputScore>& output_score_entries() {
  static const std::vector<OutputScore> entries = {
      {"confidence", "Confidence"},
      {"uncertainty", "Uncertainty"},
      {"mutual-information", "Mutual information"},
      {"energy", "Energy"},
  };
  return entries;
}

std::vector<double> output_scores(const std::string& name, const McLogits& logits,
                                  const Predictive& predictive) {
  if (name == "energy") return energy(logits);
  if (name == "uncertainty") return predictive.entropy;
  if (name == "confidence") return doubts(predictive.confidence);
  if (name == "mutual-information") return epistemic_parts(predictive);
  std::string known;
  for (const OutputScore& each : output_score_entries()) {
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  throw ArgumentError("there is no output score named '" + name + "'; the known ones are " + known);
}

}  // namespace cubcal
