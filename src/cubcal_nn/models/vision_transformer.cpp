#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/models/head.h"
#include "cubcal_nn/models/networks.h"
#include "cubcal_nn/models/rows.h"

namespace cubcal {

namespace {

constexpr std::int64_t kPatch = 16;
constexpr std::int64_t kFeatures = 384;
constexpr std::int64_t kAttentionHeads = 6;
constexpr std::size_t kTransformerBlocks = 12;
constexpr std::size_t kBlocksOfStage = 3;
constexpr Initialisation kSmall = {Initialisation::Law::kNormal, 0.02};

/// softmax(Q Kᵀ / √d) V in each head.
class Attention {
 public:
  Attention(LayerFactory& layers, const std::string& path)
      : queries_keys_values_(layers.linear(path + ".qkv", kFeatures, 3 * kFeatures)),
        project_(layers.linear(path + ".proj", kFeatures, kFeatures)) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    const std::int64_t width = kFeatures / kAttentionHeads;
    const at::Tensor all = by_rows(queries_keys_values_, x, context)
                               .view({x.size(0), x.size(1), 3, kAttentionHeads, width})
                               .permute({2, 0, 3, 1, 4});
    const at::Tensor likeness =
        at::matmul(all[0], all[1].transpose(-2, -1)) / std::sqrt(static_cast<double>(width));
    const at::Tensor seen = at::matmul(at::softmax(likeness, -1), all[2]);
    return by_rows(project_, seen.transpose(1, 2).reshape(x.sizes()), context);
  }

 private:
  Linear queries_keys_values_, project_;
};

class TransformerBlock {
 public:
  TransformerBlock(LayerFactory& layers, const std::string& path)
      : norm1_(layers.layer_norm(path + ".norm1", kFeatures)),
        attention_(layers, path + ".attn"),
        norm2_(layers.layer_norm(path + ".norm2", kFeatures)),
        widen_(layers.linear(path + ".mlp.fc1", kFeatures, 4 * kFeatures)),
        narrow_(layers.linear(path + ".mlp.fc2", 4 * kFeatures, kFeatures)) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    const at::Tensor y = x + attention_(norm1_(x, context), context);
    const at::Tensor wide = at::gelu(by_rows(widen_, norm2_(y, context), context));
    return y + by_rows(narrow_, wide, context);
  }

 private:
  LayerNorm norm1_;
  Attention attention_;
  LayerNorm norm2_;
  Linear widen_, narrow_;
};

class VisionTransformer : public Network {
 public:
  explicit VisionTransformer(const NetworkOptions& options)
      : Network("vit-s16", options),
        class_token_(layers().point_weights("cls_token", {1, 1, kFeatures}, kSmall)),
        positions_(layers().point_weights(
            "pos_embed", {1, 1 + patches(options.height) * patches(options.width), kFeatures},
            kSmall)),
        patches_(layers().conv2d("patch_embed.proj", patch_options(options.channels))),
        blocks_(make_blocks(layers())),
        norm_(layers().layer_norm("norm", kFeatures)),
        head_(layers(), {"head", kFeatures, 0.1}, options.classes) {
    finish({"stage1", "stage2", "stage3", "stage4", "penultimate"});
  }

 protected:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                       Features* features) const override {
    const at::Tensor tokens = patches_(images, context).flatten(2).transpose(1, 2);
    const at::Tensor first =
        class_token_.like(tokens, context).expand({tokens.size(0), 1, kFeatures});
    at::Tensor x = at::cat({first, tokens}, 1) + positions_.like(tokens, context);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      x = blocks_[i](x, context);
      const bool ends_stage = (i + 1) % kBlocksOfStage == 0;
      if (features != nullptr && ends_stage) features->taps.push_back(x.mean(1));
    }
    return norm_(x.select(1, 0), context);
  }

  at::Tensor run_head(const at::Tensor& trunk_output, const ForwardContext& context,
                      Features* features) const override {
    return head_(trunk_output, context, features);
  }

 private:
  static std::int64_t patches(std::int64_t side) {
    if (side % kPatch == 0) return side / kPatch;
    throw ArgumentError("an image side for vit-s16 must be a multiple of 16, not " +
                        std::to_string(side));
  }

  static Conv2dOptions patch_options(std::int64_t channels) {
    Conv2dOptions options;
    options.in_channels = channels;
    options.out_channels = kFeatures;
    options.kernel = options.stride = kPatch;
    options.before_relu = false;
    return options;
  }

  static std::vector<TransformerBlock> make_blocks(LayerFactory& layers) {
    std::vector<TransformerBlock> blocks;
    for (std::size_t i = 0; i < kTransformerBlocks; ++i) {
      blocks.emplace_back(layers, "blocks." + std::to_string(i));
    }
    return blocks;
  }

  PointWeights class_token_, positions_;
  Conv2d patches_;
  std::vector<TransformerBlock> blocks_;
  LayerNorm norm_;
  Head head_;
};

}  // namespace

std::unique_ptr<Network> make_vit_s16(const NetworkOptions& options) {
  return std::make_unique<VisionTransformer>(options);
}

}  // namespace cubcal
