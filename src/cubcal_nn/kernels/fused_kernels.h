#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "cubcal_nn/kernels/fused_layout.h"

/// Passes over the flat buffers that read and write each number once: drawing weights, folding
/// their gradients, the optimiser. Noise is made where it is used and never stored. On CUDA each is
/// one kernel on the current stream that reads everything which changes from step to step (words of
/// the noise, learning rate) from device memory, so that it can be part of a graph; on the CPU a
/// plain loop, which the tests hold CUDA against.
///
/// Flat tensors are float32 and contiguous. `words` is int32 [S, 4]: NoiseWords of each pass.
namespace cubcal {

/// Whether the kernels below run on this device: on the CPU always, on CUDA where they were built.
bool has_fused_kernels(c10::Device device);

/// out[s, i] = mu[i] + sigma[i] noise_s[i] (mu[i] where sigma is undefined: point parameters), then
/// scaled and shifted by row where the segment has an affine place and the tables are defined; rows
/// channels last. out: [S, draw_size], float32 or bfloat16.
void fused_draw(const FusedLayout& layout, const at::Tensor& mu, const at::Tensor& sigma,
                const at::Tensor& words, const NormAffine& affine, const at::Tensor& out);

struct FoldOptions {
  double prior_sigma = 1;
  at::Tensor kl_weight;  ///< float32 [segments]: what each element's KL is multiplied by
};

/// mu_gradient = sum_s g_s + d KL, rho_gradient = sigmoid(rho) (sum_s g_s noise_s + d KL / d
/// sigma), and kl[t] the KL term of tile t (float64). `pointers`: int64 [S, segments], the
/// addresses of the gradients g_s of each parameter, channels last, of type `dtype` (float32 or
/// bfloat16). Point parameters have no sigma, prior mean, rho gradient and KL: those are undefined.
void fused_fold(const FusedLayout& layout, const at::Tensor& pointers, c10::ScalarType dtype,
                const at::Tensor& words, const at::Tensor& mu, const at::Tensor& sigma,
                const at::Tensor& prior_mean, const FoldOptions& options,
                const at::Tensor& mu_gradient, const at::Tensor& rho_gradient,
                const at::Tensor& kl);

/// sums[first_p + i] = sum_s of element i of parameter p's gradients: `pointers` int64 [S, P] to
/// float32, `places` int64 [P, 2]: first and count.
void fused_sum(const at::Tensor& pointers, const at::Tensor& places, const at::Tensor& sums);

struct FusedSgdOptions {
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  at::Tensor decay;  ///< per element; undefined: weight_decay for all
};

/// One step of FlatSgd over a flat buffer. controls: float32 [3] on the device: learning rate,
/// factor of the gradient, and 0 for a step that must change nothing.
void fused_sgd(const at::Tensor& values, const at::Tensor& gradient, const at::Tensor& momentum,
               const FusedSgdOptions& options, const at::Tensor& controls);

/// The mask of dropout_mask(): samples int64 [B] and words int32 [4] on the device of `mask`, which
/// is [B, features], float32 or bfloat16.
void fused_dropout_mask(const at::Tensor& mask, const at::Tensor& samples, const at::Tensor& words,
                        double rate);

/// y = x + bias of its channel (+ residual), then ReLU if asked, in place. x: [draws * rows, C,
/// ...] channels last or [.., C]; bias: [C] or [draws, C], float32 or of x's type; residual
/// undefined or like x.
void fused_bias_act(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    bool relu);

struct PatchOptions {
  std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
};

/// Places of the kernel along a side of so many pixels.
std::int64_t patch_places(std::int64_t side, const PatchOptions& options);

/// The patches a convolution sees, as rows: x [N, C, H, W] channels last -> [N, H' W', kernel^2 C]
/// with C running fastest, as in weights that are channels last.
at::Tensor fused_patches(const at::Tensor& x, const PatchOptions& options);

/// The largest value of each window, channels last; a NaN counts as the largest. Only forward, and
/// without the places that at::max_pool2d writes beside the values.
at::Tensor fused_max_pool(const at::Tensor& x, const PatchOptions& window);

/// A 3x3 convolution of each channel by itself, under S draws at once. x: [S * N, C, H, W] ordered
/// by draw, or [N, C, H, W] if all draws see the same images (`shared`), channels last; weight:
/// [S, C, 3, 3, 1], of x's type. Gives [S * N, C, H', W'] channels last.
at::Tensor fused_depthwise(const at::Tensor& x, const at::Tensor& weight,
                           const PatchOptions& options, bool shared);

}  // namespace cubcal
