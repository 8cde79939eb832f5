#include "cubcal_nn/batches/batch_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/core/stream_purpose.h"

namespace cubcal {

BatchOrder::BatchOrder(std::int64_t count, std::int64_t batch_size, std::uint64_t seed)
    : count_(count), batch_size_(batch_size), seed_(seed) {
  check_in_closed("the number of images", static_cast<double>(count), 1,
                  std::numeric_limits<std::uint32_t>::max());
  check_at_least("the batch size", static_cast<double>(batch_size), 1);
}

std::int64_t BatchOrder::batches_per_epoch() const { return (count_ - 1) / batch_size_ + 1; }

std::vector<std::int64_t> BatchOrder::permutation(std::uint64_t epoch) const {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count_));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  SeedStream random = purpose_stream(seed_, StreamPurpose::kBatchOrder, epoch, 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
  return order;
}

std::vector<std::vector<std::int64_t>> BatchOrder::batches(std::uint64_t epoch) const {
  const std::vector<std::int64_t> order = permutation(epoch);
  std::vector<std::vector<std::int64_t>> result;
  for (std::int64_t first = 0; first < count_; first += batch_size_) {
    const std::int64_t last = std::min(count_, first + batch_size_);
    result.emplace_back(order.begin() + first, order.begin() + last);
  }
  return result;
}

}  // namespace cubcal
