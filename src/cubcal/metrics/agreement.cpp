#include "cubcal/metrics/agreement.h"

#include <cmath>

namespace cubcal {

CountedConfusion::CountedConfusion(const SampleFacts& facts, SampleCounts counts)
    : cells_(facts.classes * facts.classes), rows_(facts.classes), columns_(facts.classes) {
  for (std::size_t i = 0; i < facts.samples; ++i) {
    const auto label = static_cast<std::size_t>(facts.labels[i]);
    const auto answer = static_cast<std::size_t>(facts.predicted[i]);
    cells_[label * facts.classes + answer] += counts[i];
  }
  for (std::size_t label = 0; label < facts.classes; ++label) {
    for (std::size_t answer = 0; answer < facts.classes; ++answer) {
      const double count = cell(label, answer);
      rows_[label] += count;
      columns_[answer] += count;
      total_ += count;
    }
  }
}

std::optional<double> cohen_kappa(const CountedConfusion& confusion, KappaWeights weights) {
  double observed = 0;
  double expected = 0;
  for (std::size_t i = 0; i < confusion.classes(); ++i) {
    for (std::size_t j = 0; j < confusion.classes(); ++j) {
      if (i == j) continue;
      const double apart = static_cast<double>(i) - static_cast<double>(j);
      const double weight = weights == KappaWeights::kQuadratic ? apart * apart : 1.0;
      observed += weight * confusion.cell(i, j);
      expected += weight * confusion.labelled(i) * confusion.answered(j);
    }
  }
  if (expected == 0) return std::nullopt;
  return 1 - observed * confusion.total() / expected;
}

std::optional<double> matthews_correlation(const CountedConfusion& confusion) {
  const double n = confusion.total();
  double right = 0;
  double products = 0;
  double answers = 0;
  double labels = 0;
  for (std::size_t k = 0; k < confusion.classes(); ++k) {
    right += confusion.cell(k, k);
    products += confusion.labelled(k) * confusion.answered(k);
    answers += confusion.answered(k) * confusion.answered(k);
    labels += confusion.labelled(k) * confusion.labelled(k);
  }
  const double spread = (n * n - answers) * (n * n - labels);
  if (spread <= 0) return std::nullopt;
  return (right * n - products) / std::sqrt(spread);
}

}  // namespace cubcal
