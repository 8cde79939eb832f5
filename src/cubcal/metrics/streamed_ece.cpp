#include "cubcal/metrics/streamed_ece.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "cubcal/core/parallel.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

namespace {

constexpr std::size_t kBlock = 2048;
constexpr std::size_t kMostBins = 256;

/// What a block of samples adds: the sum of confidences in the order of the file, for which each
/// is kept, and counts, which are whole and so the same in any order.
struct Part {
  std::size_t size;
  std::array<double, kBlock> confidence;
  std::array<std::uint8_t, kBlock> bin;
};

/// bin_index() of values in (0, 1], with edges looked up.
class Edges {
 public:
  explicit Edges(std::size_t bins) : count_(static_cast<double>(bins)), last_(bins - 1) {
    for (std::size_t m = 0; m <= bins; ++m) edges_[m] = static_cast<double>(m) / count_;
    edges_[0] = -1;         // the first bin has no lower
    edges_[last_ + 1] = 2;  // nor the last one an upper
  }

  std::size_t bin(double value) const {
    const auto guess = static_cast<std::size_t>(value * count_);  // at most one off
    const std::size_t bin = guess < last_ ? guess : last_;
    return bin + static_cast<std::size_t>(value > edges_[bin + 1]) -
           static_cast<std::size_t>(value <= edges_[bin]);
  }

 private:
  double count_;
  std::size_t last_;
  std::array<double, kMostBins + 1> edges_;
};

struct Sums {
  std::array<double, kMostBins> confidence = {};
  std::array<std::int64_t, kMostBins> correct = {};
};

constexpr std::size_t kWidth = 2;  // rows at once: the vectors that every processor has

/// One number of each row of a tile. Compilers do not find these vectors by themselves.
using Lanes = double __attribute__((vector_size(kWidth * sizeof(double))));

/// What the rows of a tile say. Which class is the most probable is as good as random, so no branch
/// hangs on it.
struct TileTops {
  Lanes sum;
  Lanes least;
  Lanes most;
  Lanes answer;  ///< the first class that has it
};

/// ClassesKnown > 0 lets the compiler unroll.
template <std::size_t ClassesKnown, class T>
TileTops read_tile(const T* rows, std::size_t classes_given) {
  const std::size_t classes = ClassesKnown > 0 ? ClassesKnown : classes_given;
  const auto column = [&](std::size_t k) {
    Lanes lanes;
    for (std::size_t i = 0; i < kWidth; ++i) lanes[i] = static_cast<double>(rows[i * classes + k]);
    return lanes;
  };
  TileTops tops{column(0), column(0), column(0), Lanes{}};
  for (std::size_t k = 1; k < classes; ++k) {
    const Lanes p = column(k);
    tops.sum += p;
    tops.least = p < tops.least ? p : tops.least;
    tops.answer = p > tops.most ? Lanes{} + static_cast<double>(k) : tops.answer;
    tops.most = p > tops.most ? p : tops.most;
  }
  return tops;
}

/// False where a row or a label is not plain.
template <std::size_t ClassesKnown, class T>
bool read_block(const T* rows, std::size_t classes, const std::int64_t* labels, const Edges& edges,
                Part& part, Sums& own) {
  const double lowest = 1 / static_cast<double>(classes);
  std::vector<T> last_rows;
  for (std::size_t begin = 0; begin < part.size; begin += kWidth) {
    const std::size_t count = std::min(kWidth, part.size - begin);
    const T* tile = rows + begin * classes;
    if (count < kWidth) {
      last_rows.assign(kWidth * classes, T(0));
      std::copy_n(tile, count * classes, last_rows.begin());
      tile = last_rows.data();
    }
    const TileTops tops = read_tile<ClassesKnown>(tile, classes);
    for (std::size_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::uint64_t>(labels[begin + i]);  // -1 is beyond any class
      if (!(std::abs(tops.sum[i] - 1) <= kSumSlack) || !(tops.least[i] >= 0) || label >= classes) {
        return false;
      }
      const double confidence = std::clamp(tops.most[i], lowest, 1.0);
      const std::size_t bin = edges.bin(confidence);
      part.confidence[begin + i] = confidence;
      part.bin[begin + i] = static_cast<std::uint8_t>(bin);
      own.correct[bin] +=
          static_cast<std::int64_t>(static_cast<double>(labels[begin + i]) == tops.answer[i]);
    }
  }
  return true;
}

template <class T>
bool read_any(const T* rows, std::size_t classes, const std::int64_t* labels, const Edges& edges,
              Part& part, Sums& own) {
  switch (classes) {
    case 2: return read_block<2>(rows, classes, labels, edges, part, own);
    case 3: return read_block<3>(rows, classes, labels, edges, part, own);
    case 4: return read_block<4>(rows, classes, labels, edges, part, own);
    case 5: return read_block<5>(rows, classes, labels, edges, part, own);
    case 7: return read_block<7>(rows, classes, labels, edges, part, own);
    case 10: return read_block<10>(rows, classes, labels, edges, part, own);
    default: return read_block<0>(rows, classes, labels, edges, part, own);
  }
}

/// Takes parts in any order and adds them up in that of the file.
class OrderedSums {
 public:
  explicit OrderedSums(std::size_t parts) : parts_(parts) {}

  void add(std::size_t place, std::unique_ptr<Part> part, const Sums& own) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t m = 0; m < kMostBins; ++m) sums_.correct[m] += own.correct[m];
    parts_[place] = std::move(part);
    for (; next_ < parts_.size() && parts_[next_]; ++next_) {
      const Part& due = *parts_[next_];
      for (std::size_t i = 0; i < due.size; ++i) {
        sums_.confidence[due.bin[i]] += due.confidence[i];
      }
      parts_[next_].reset();
    }
  }
  const Sums& sums() const { return sums_; }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t next_ = 0;
  Sums sums_;
};

}  // namespace

std::optional<double> streamed_ece(const NdArray& probabilities,
                                   ArrayView<const std::int64_t> labels, std::size_t bins) {
  const bool is_wide = probabilities.dtype() == DType::kF64;
  if ((!is_wide && probabilities.dtype() != DType::kF32) || probabilities.shape().size() != 2 ||
      bins < 1 || bins > kMostBins) {
    return std::nullopt;
  }
  const std::size_t samples = probabilities.shape()[0];
  const std::size_t classes = probabilities.shape()[1];
  if (samples == 0 || classes < 2 || labels.size() != samples) return std::nullopt;
  const Edges edges(bins);
  OrderedSums sums((samples - 1) / kBlock + 1);
  std::atomic<bool> is_plain{true};
  parallel_blocks(samples, kBlock, [&](std::size_t first, std::size_t last) {
    if (!is_plain) return;
    std::unique_ptr<Part> part(new Part);  // not filled with zeros, as make_unique would
    Sums own;
    part->size = last - first;
    const std::size_t at = first * classes;
    const bool read =
        is_wide
            ? read_any(probabilities.as<double>() + at, classes, &labels[first], edges, *part, own)
            : read_any(probabilities.as<float>() + at, classes, &labels[first], edges, *part, own);
    if (!read) {
      is_plain = false;
      return;
    }
    sums.add(first / kBlock, std::move(part), own);
  });
  if (!is_plain) return std::nullopt;
  double error = 0;
  for (std::size_t m = 0; m < bins; ++m) {
    error += std::abs(static_cast<double>(sums.sums().correct[m]) - sums.sums().confidence[m]) /
             static_cast<double>(samples);
  }
  return error;
}

}  // namespace cubcal
