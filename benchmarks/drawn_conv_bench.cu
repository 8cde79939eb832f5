// What drawing weights inside the convolution of one image (drawn_conv.cuh) brings, against drawing
// and convolving them one after the other as prediction does, for the last layers of ResNet-34 and
// ResNet-50 under 80 draws. Needs nothing but CUDA:
//   nvcc -O3 -std=c++17 -arch=native --expt-relaxed-constexpr -Isrc -o bench THIS_FILE && ./bench
// A line of JSON per layer and tile: microseconds of either (medians), and how far apart their
// results are at most.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "cubcal_nn/kernels/draws_conv_tiles.cuh"
#include "cubcal_nn/kernels/fused_draw.cuh"
#include "drawn_conv.cuh"

namespace {

using namespace cubcal;
using namespace cubcal::device;

constexpr int kDraws = 80;
constexpr int kRuns = 50;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "drawn_conv_bench: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

struct QuickNoise {
  static __device__ void four(const std::uint32_t* words, std::int64_t block, float (&values)[4]) {
    quick_four(words, block, values);
  }
};

template <class T>
class Buffer {
 public:
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  explicit Buffer(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

template <class Work>
double microseconds(const Work& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> times;
  for (int i = 0; i < kRuns; ++i) {
    check(cudaEventRecord(begin));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    times.push_back(1000.0 * milliseconds);
  }
  check(cudaGetLastError());
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return times[kRuns / 2];
}

std::vector<float> uniform(std::size_t count, float low, float high) {
  static std::mt19937 random(1);
  std::uniform_real_distribution<float> between(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = between(random);
  return values;
}

template <class Kernel, class Job>
void launch(Kernel kernel, const Job& job, dim3 grid, int threads, int shared_bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  kernel<<<grid, threads, shared_bytes>>>(job);
}

/// A tile per run of the flat buffer that is whole rows of 36 channels' weights.
std::vector<FusedTile> tiles_of_segment(std::int64_t size) {
  std::vector<FusedTile> tiles;
  for (std::int64_t first = 0; first < size; first += kFusedTile) {
    tiles.push_back({first, static_cast<std::int32_t>(std::min(kFusedTile, size - first)), 0});
  }
  return tiles;
}

template <class Tile>
void measure(const char* name, int channels, int outputs) {
  const int side = Tile::kSide * Tile::kStride;
  const std::int64_t depth = std::int64_t{channels} * Tile::kTaps;
  const std::int64_t size = outputs * depth;
  const std::size_t pixels = static_cast<std::size_t>(side) * side * channels;
  const std::size_t results = static_cast<std::size_t>(Tile::kRows) * outputs;
  std::vector<Bf16> images;
  for (const float value : uniform(kDraws * pixels, 0, 1))
    images.push_back(__float2bfloat16(value));
  const Buffer<Bf16> x(images);
  const Buffer<float> mean(uniform(size, -0.05F, 0.05F));
  const Buffer<float> deviation(uniform(size, 0.0F, 0.02F));
  const Buffer<float> bias(uniform(kDraws * outputs, -1, 1));
  std::vector<std::uint32_t> given_words(4 * kDraws);
  for (std::uint32_t& word : given_words) word = static_cast<std::uint32_t>(std::rand());
  const Buffer<std::uint32_t> words(given_words);
  const Buffer<FusedSegment> segment(
      std::vector<FusedSegment>{{0, size, 0, -1, static_cast<std::int32_t>(depth), Tile::kTaps}});
  const std::vector<FusedTile> given_tiles = tiles_of_segment(size);
  const Buffer<FusedTile> tiles(given_tiles);
  const Buffer<Bf16> weight(static_cast<std::size_t>(kDraws * size));
  const Buffer<Bf16> apart(kDraws * results), together(kDraws * results);

  const DrawJob<Bf16> drawing{segment.data(), tiles.data(), mean.data(), deviation.data(),
                              words.data(),   nullptr,      nullptr,     weight.data(),
                              size,           size,         kDraws};
  const DrawsConvShape shape{
      side,        side,        channels,    Tile::kKernel, Tile::kStride,          Tile::kPadding,
      Tile::kSide, Tile::kSide, Tile::kRows, outputs,       static_cast<int>(depth)};
  const DrawsConvJob<float> convolution{shape,
                                        x.data(),
                                        weight.data(),
                                        bias.data(),
                                        nullptr,
                                        apart.data(),
                                        static_cast<std::int64_t>(pixels),
                                        size,
                                        outputs,
                                        true};
  const auto draw = [&] {
    draw_tiles<Bf16><<<dim3(static_cast<unsigned>(given_tiles.size()), 4), kDrawThreads>>>(drawing);
  };
  const auto convolve = [&] {
    const auto grid = [&](auto tile) {
      return dim3(static_cast<unsigned>(tiles_of<decltype(tile)>(shape)), kDraws);
    };
    choose_tile(
        shape, 227 * 1024,
        [&](auto tile) {
          using Own = decltype(tile);
          launch(draws_conv<Own, float>, convolution, grid(tile), Own::kThreads, Own::kSharedBytes);
        },
        [&](auto tile) {
          using Own = decltype(tile);
          launch(draws_conv_same<Own, float>, convolution, grid(tile), Own::kThreads,
                 SameConvMemory<Own>(shape).bytes());
        });
  };
  const DrawnConvJob<float> drawn{x.data(),
                                  mean.data(),
                                  deviation.data(),
                                  0,
                                  words.data(),
                                  bias.data(),
                                  nullptr,
                                  together.data(),
                                  static_cast<std::int64_t>(pixels),
                                  outputs,
                                  side,
                                  side,
                                  channels,
                                  outputs,
                                  kDraws,
                                  true};
  const auto both = [&] {
    launch(drawn_conv<Tile, QuickNoise, float>, drawn,
           dim3(static_cast<unsigned>(outputs / Tile::kOutputs),
                (kDraws + Tile::kDraws - 1) / Tile::kDraws),
           Tile::kThreads, Tile::kSharedBytes);
  };
  const double of_drawing = microseconds(draw);
  const double of_convolving = microseconds(convolve);
  const double of_both = microseconds(both);
  const std::vector<Bf16> one = apart.host(), other = together.host();
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double a = __bfloat162float(one[i]), b = __bfloat162float(other[i]);
    largest = std::max(largest, std::fabs(a));
    difference = std::max(difference, std::fabs(a - b));
  }
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, drawn_conv<Tile, QuickNoise, float>));
  std::printf(
      "{\"layer\": \"%s\", \"slices\": %d, \"draws\": %d, \"blocks\": %d, \"draw_us\": %.1f, "
      "\"convolve_us\": %.1f, "
      "\"drawn_inside_us\": %.1f, \"largest\": %.3g, \"difference\": %.3g, \"registers\": %d, "
      "\"spilled_bytes\": %zu}\n",
      name, Tile::kSlices, Tile::kDraws, Tile::kBlocks, of_drawing, of_convolving, of_both, largest,
      difference, attributes.numRegs, attributes.localSizeBytes);
}

}  // namespace

// Several tiles of a layer: warps side by side hide the noise's latency, registers hold the
// results.
int main() {
  measure<DrawnConvTile<3, 7, 1, 1, 10, 2>>("3x3, 512 to 512, 7x7", 512, 512);
  measure<DrawnConvTile<3, 7, 1, 1, 16, 1>>("3x3, 512 to 512, 7x7", 512, 512);
  measure<DrawnConvTile<3, 7, 1, 1, 20, 1>>("3x3, 512 to 512, 7x7", 512, 512);
  measure<DrawnConvTile<3, 7, 2, 1, 10, 1>>("3x3, 256 to 512, 14x14 to 7x7", 256, 512);
  measure<DrawnConvTile<3, 7, 2, 1, 5, 2>>("3x3, 256 to 512, 14x14 to 7x7", 256, 512);
  measure<DrawnConvTile<3, 14, 1, 1, 10, 1>>("3x3, 256 to 256, 14x14", 256, 256);
  measure<DrawnConvTile<3, 14, 1, 1, 5, 2>>("3x3, 256 to 256, 14x14", 256, 256);
  measure<DrawnConvTile<3, 14, 1, 1, 8, 1>>("3x3, 256 to 256, 14x14", 256, 256);
  measure<DrawnConvTile<3, 7, 2, 1, 10, 1>>("3x3, 512 to 512, 14x14 to 7x7", 512, 512);
  measure<DrawnConvTile<1, 7, 1, 2, 10, 2>>("1x1, 2048 to 512, 7x7", 2048, 512);
  measure<DrawnConvTile<1, 7, 1, 4, 10, 1>>("1x1, 2048 to 512, 7x7", 2048, 512);
  measure<DrawnConvTile<1, 7, 1, 2, 10, 2>>("1x1, 512 to 2048, 7x7", 512, 2048);
  measure<DrawnConvTile<1, 7, 2, 2, 10, 2>>("1x1, 1024 to 2048, 14x14 to 7x7", 1024, 2048);
  measure<DrawnConvTile<1, 14, 1, 1, 10, 1>>("1x1, 1024 to 256, 14x14", 1024, 256);
  measure<DrawnConvTile<1, 14, 1, 2, 5, 1>>("1x1, 1024 to 256, 14x14", 1024, 256);
  measure<DrawnConvTile<1, 14, 1, 1, 10, 1>>("1x1, 256 to 1024, 14x14", 256, 1024);
  return 0;
}
