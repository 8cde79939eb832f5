#include "cubcal/inspection/line_spectrum.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cubcal {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kLanes = 16;      ///< transforms done side by side
constexpr std::size_t kMaxLines = 128;  ///< per direction
constexpr std::size_t kMaxPieces = 8;   ///< per line

using Lanes = std::array<float, kLanes>;

/// Fourier transforms of kLanes complex sequences of `size` values at once, radix 2.
class Transform {
 public:
  explicit Transform(std::size_t size) : real(size), imaginary(size), size_(size) {
    for (std::size_t i = 0; i < size / 2; ++i) {
      const double angle = -2 * kPi * static_cast<double>(i) / static_cast<double>(size);
      cosine_.push_back(static_cast<float>(std::cos(angle)));
      sine_.push_back(static_cast<float>(std::sin(angle)));
    }
  }

  void run() {
    for (std::size_t i = 1, j = 0; i < size_; ++i) {  // order of reversed bits
      std::size_t bit = size_ >> 1;
      for (; (j & bit) != 0; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) {
        std::swap(real[i], real[j]);
        std::swap(imaginary[i], imaginary[j]);
      }
    }
    for (std::size_t half = 1; half < size_; half *= 2) {
      for (std::size_t first = 0; first < size_; first += 2 * half) {
        for (std::size_t i = 0; i < half; ++i) {
          butterfly(first + i, first + i + half, i * (size_ / (2 * half)));
        }
      }
    }
  }

  std::vector<Lanes> real;
  std::vector<Lanes> imaginary;

 private:
  void butterfly(std::size_t a, std::size_t b, std::size_t turn) {
    const float c = cosine_[turn];
    const float s = sine_[turn];
    float* ar = real[a].data();
    float* ai = imaginary[a].data();
    float* br = real[b].data();
    float* bi = imaginary[b].data();
    for (std::size_t k = 0; k < kLanes; ++k) {
      const float turned_real = c * br[k] - s * bi[k];
      const float turned_imaginary = c * bi[k] + s * br[k];
      br[k] = ar[k] - turned_real;
      bi[k] = ai[k] - turned_imaginary;
      ar[k] += turned_real;
      ai[k] += turned_imaginary;
    }
  }

  std::size_t size_;
  std::vector<float> cosine_;
  std::vector<float> sine_;
};

/// Collects real sequences, two to a complex one, and adds up their power.
class PowerSum {
 public:
  explicit PowerSum(std::size_t size) : transform_(size), power_(size / 2 + 1), size_(size) {
    for (std::size_t i = 0; i < size; ++i) {
      window_.push_back(
          static_cast<float>(0.5 - 0.5 * std::cos(2 * kPi * (static_cast<double>(i) + 1) /
                                                  (static_cast<double>(size) + 1))));
    }
  }

  void add(const float* first, std::size_t stride) {
    float mean = 0;
    for (std::size_t i = 0; i < size_; ++i) mean += first[i * stride];
    mean /= static_cast<float>(size_);
    std::vector<Lanes>& part = filled_ % 2 == 0 ? transform_.real : transform_.imaginary;
    for (std::size_t i = 0; i < size_; ++i) {
      part[i][filled_ / 2] = window_[i] * (first[i * stride] - mean);
    }
    ++lines_;
    if (++filled_ == 2 * kLanes) flush();
  }

  std::vector<double> mean_power() {
    flush();
    for (double& power : power_) power /= static_cast<double>(lines_);
    return power_;
  }

 private:
  void flush() {
    if (filled_ == 0) return;
    for (std::size_t lane = filled_; lane < 2 * kLanes; ++lane) {
      std::vector<Lanes>& part = lane % 2 == 0 ? transform_.real : transform_.imaginary;
      for (Lanes& values : part) values[lane / 2] = 0;
    }
    transform_.run();
    // Of z = a + ib: |A(k)|^2 + |B(k)|^2 = (|Z(k)|^2 + |Z(-k)|^2) / 2.
    for (std::size_t k = 0; k < power_.size(); ++k) {
      power_[k] += (power_at(k) + power_at((size_ - k) % size_)) / 2;
    }
    filled_ = 0;
  }

  double power_at(std::size_t k) const {
    float sum = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float real = transform_.real[k][lane];
      const float imaginary = transform_.imaginary[k][lane];
      sum += real * real + imaginary * imaginary;
    }
    return static_cast<double>(sum);
  }

  Transform transform_;
  std::vector<double> power_;
  std::vector<float> window_;
  std::size_t size_;
  std::size_t filled_ = 0;
  std::size_t lines_ = 0;
};

/// Where `wanted` of `count` places lie, evenly and with both ends.
std::size_t spread(std::size_t i, std::size_t wanted, std::size_t count) {
  return wanted <= 1 ? count / 2 : i * (count - 1) / (wanted - 1);
}

}  // namespace

std::vector<double> line_spectrum(const GrayPlane& plane) {
  const std::size_t shorter = std::min(plane.height, plane.width);
  if (shorter < 64) return {};
  const std::size_t size = shorter < 128 ? 64 : 128;
  PowerSum sum(size);
  const auto add_lines = [&](std::size_t lines, std::size_t length, std::size_t line_stride,
                             std::size_t stride) {
    const std::size_t taken = std::min(lines, kMaxLines);
    const std::size_t starts = length - size + 1;
    const std::size_t pieces = std::min({kMaxPieces, (length + size - 1) / size, starts});
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t start = spread(piece, pieces, starts);
      for (std::size_t i = 0; i < taken; ++i) {
        sum.add(&plane.levels[spread(i, taken, lines) * line_stride + start * stride], stride);
      }
    }
  };
  add_lines(plane.height, plane.width, plane.width, 1);
  add_lines(plane.width, plane.height, 1, plane.width);
  return sum.mean_power();
}

}  // namespace cubcal
