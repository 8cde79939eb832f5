#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "cubcal/core/seed_stream.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/unit_features.h"

namespace cubcal {

namespace {

constexpr std::int64_t kQueries =
    512;  ///< at a time: bounds the memory to so many rows of the bank
/// Single precision may exchange neighbours whose distances agree in all its digits: so many on
/// either side of the k-th are measured again in double.
constexpr std::int64_t kWindow = 8;

/// Distance of phi = z / |z| to its k-th nearest neighbour among the training samples (Sun et al.
/// 2022), or to the last one where there are fewer than k. Of a training set larger than the bank a
/// sample of that size is kept, every subset being equally likely (reservoir sampling).
class Knn final : public Detector {
 public:
  explicit Knn(const DetectorOptions& options)
      : Detector("knn", options), stream_(options.seed, 1) {}

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    return {last_tap(batch).size(1)};
  }

  void take(const DetectorInput& batch, const at::Tensor&) override {
    const at::Tensor rows = unit_features(last_tap(batch)).to(at::kFloat);
    const std::int64_t room = options().bank - kept();
    const std::int64_t taken = std::min(room, rows.size(0));
    if (taken > 0) parts_.push_back(rows.narrow(0, 0, taken).clone());
    seen_ += taken;
    if (taken == rows.size(0)) return;
    if (parts_.size() > 1) parts_ = {at::cat(parts_)};
    for (std::int64_t i = taken; i < rows.size(0); ++i) {
      ++seen_;
      const auto place = static_cast<std::int64_t>(stream_.uniform() * static_cast<double>(seen_));
      if (place < options().bank) parts_.front()[place].copy_(rows[i]);
    }
  }

  void end_pass(int) override {
    set_bank(at::cat(parts_));
    parts_.clear();
  }

  at::Tensor scores(const DetectorInput& batch) const override {
    const at::Tensor rows = unit_features(last_tap(batch));
    std::vector<at::Tensor> parts;
    for (std::int64_t first = 0; first < rows.size(0); first += kQueries) {
      parts.push_back(nearest(rows.narrow(0, first, std::min(kQueries, rows.size(0) - first))));
    }
    return parts.empty() ? rows.new_empty({0}) : at::cat(parts);
  }

  NamedTensors fitted_tensors() const override { return {{"bank", bank_}}; }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    set_bank(entry(tensors, "bank", {-1, -1}).to(at::kFloat));
  }

  std::int64_t kept() const {
    std::int64_t sum = 0;
    for (const at::Tensor& part : parts_) sum += part.size(0);
    return sum;
  }

  void set_bank(const at::Tensor& bank) {
    bank_ = bank;
    // Measured from their mean, the products below lose no digits.
    mean_ = bank_.to(at::kDouble).mean(0);
    centred_ = (bank_.to(at::kDouble) - mean_).to(at::kFloat);
    squares_ = centred_.square().sum(1);
  }

  /// Distance of each of the rows to its k-th neighbour.
  at::Tensor nearest(const at::Tensor& rows) const {
    const std::int64_t size = bank_.size(0);
    const std::int64_t k = std::min(options().neighbours, size);
    const std::int64_t candidates = std::min(k + kWindow, size);
    const std::int64_t first = std::max<std::int64_t>(0, k - 1 - kWindow);
    // The squared distance less the row's own square, which does not change the order.
    const at::Tensor queries = (rows - mean_).to(at::kFloat);
    const at::Tensor order = at::addmm(squares_, queries, centred_.t(), 1, -2);
    const at::Tensor places =
        std::get<1>(at::topk(order, candidates, 1, /*largest=*/false, /*sorted=*/true));
    const at::Tensor near = places.narrow(1, first, candidates - first);
    const at::Tensor neighbours = bank_.index_select(0, near.reshape({-1}))
                                      .to(at::kDouble)
                                      .view({near.size(0), near.size(1), bank_.size(1)});
    const at::Tensor distances = (neighbours - rows.unsqueeze(1)).norm(2, 2);
    return std::get<0>(at::sort(distances, 1)).select(1, k - 1 - first);
  }

  SeedStream stream_;
  std::int64_t seen_ = 0;
  std::vector<at::Tensor> parts_;
  at::Tensor bank_;     ///< float32 [n, D]
  at::Tensor mean_;     ///< double [D]
  at::Tensor centred_;  ///< float32 [n, D]
  at::Tensor squares_;  ///< float32 [n]
};

}  // namespace

std::unique_ptr<Detector> make_knn(const DetectorOptions& options) {
  return std::make_unique<Knn>(options);
}

}  // namespace cubcal
