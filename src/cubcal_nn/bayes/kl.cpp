#include "cubcal_nn/bayes/kl.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <vector>

#include "cubcal/core/check.h"
#include "cubcal_nn/kernels/sigma.h"
#include "cubcal_nn/kernels/weight_kernels.h"

namespace cubcal {

namespace {

void check_kl(const KlOptions& options, const KlScale& scale) {
  check_at_least("kl_weight", options.weight, 0);
  check_positive("prior_sigma", options.prior_sigma);
  check_at_least("the number of training samples", static_cast<double>(scale.training_samples), 1);
  check_at_least("the batch size", static_cast<double>(scale.batch), 1);
}

at::Tensor elements_from_sigma(const at::Tensor& mu, const at::Tensor& sigma,
                               const at::Tensor& prior_mean, double prior_sigma) {
  // With t = (sigma / prior_sigma)^2: (t - 1 - ln t) / 2 + ((mu - m) / prior_sigma)^2 / 2.
  const at::Tensor t = (sigma / prior_sigma).square_();
  return (mu - prior_mean).div_(prior_sigma).square_().add_(t).sub_(1).sub_(t.log()).div_(2);
}

/// A run of the flat buffers whose elements all weigh the same.
struct Segment {
  std::int64_t offset;
  std::int64_t size;
  double weight;
};

std::vector<Segment> whole_segments(const ParameterStore& store, const KlOptions& options,
                                    const KlScale& scale) {
  if (options.reduction == KlReduction::kElbo) {
    return {{0, store.variational_size(), kl_element_weight(options, scale, 1)}};
  }
  std::vector<Segment> whole;
  for (const ParameterEntry& entry : store.parameters()) {
    if (entry.kind != ParameterKind::kVariational) continue;
    whole.push_back({entry.offset, entry.size, kl_element_weight(options, scale, entry.size)});
  }
  return whole;
}

/// In pieces of at most `longest` on the CPU; on other devices few large operations are better.
std::vector<Segment> segments(const ParameterStore& store, const KlOptions& options,
                              const KlScale& scale, std::int64_t longest) {
  const std::vector<Segment> whole = whole_segments(store, options, scale);
  if (!store.device().is_cpu()) return whole;
  std::vector<Segment> pieces;
  for (const Segment& segment : whole) {
    for (std::int64_t done = 0; done < segment.size; done += longest) {
      pieces.push_back(
          {segment.offset + done, std::min(longest, segment.size - done), segment.weight});
    }
  }
  return pieces;
}

/// Intermediate results of one block stay in the cache; a block of the gradient is shared by
/// threads.
constexpr std::int64_t kCacheBlock = 1 << 15;
constexpr std::int64_t kGradientBlock = 1 << 19;

std::string with_thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

}  // namespace

double kl_element_weight(const KlOptions& options, const KlScale& scale, std::int64_t size) {
  return options.reduction == KlReduction::kElbo
             ? options.weight / static_cast<double>(scale.training_samples)
             : options.weight / (static_cast<double>(scale.batch) * static_cast<double>(size));
}

at::Tensor kl_elements(const at::Tensor& mu, const at::Tensor& rho, const at::Tensor& prior_mean,
                       double prior_sigma) {
  check_positive("prior_sigma", prior_sigma);
  const c10::NoGradGuard no_grad;
  return elements_from_sigma(mu, sigma_from_rho(rho), prior_mean, prior_sigma);
}

double kl_term(const ParameterStore& store, const KlOptions& options, const KlScale& scale) {
  check_kl(options, scale);
  const c10::NoGradGuard no_grad;
  at::Tensor total = at::zeros({}, store.mu().options().dtype(at::kDouble));
  for (const Segment& segment : segments(store, options, scale, kCacheBlock)) {
    const auto part = [&](const at::Tensor& flat) {
      return flat.narrow(0, segment.offset, segment.size);
    };
    const at::Tensor elements = kl_elements(part(store.mu()), part(store.rho()),
                                            part(store.prior_mean()), options.prior_sigma);
    total.add_(elements.sum(at::kDouble), segment.weight);
  }
  return total.item<double>();
}

at::Tensor add_kl_gradient(ParameterStore& store, const KlOptions& options, const KlScale& scale) {
  check_kl(options, scale);
  const c10::NoGradGuard no_grad;
  const std::int64_t size = store.device().is_cpu()
                                ? std::min(kGradientBlock, store.variational_size())
                                : store.variational_size();
  const at::Tensor sigma = at::empty({size}, store.mu().options());
  const at::Tensor slope = at::empty_like(sigma);
  double total = 0;
  for (const Segment& segment : segments(store, options, scale, kGradientBlock)) {
    const auto part = [&](const at::Tensor& flat) {
      return flat.narrow(0, segment.offset, segment.size);
    };
    const at::Tensor block_sigma = sigma.narrow(0, 0, segment.size);
    const at::Tensor block_slope = slope.narrow(0, 0, segment.size);
    sigma_and_slope(part(store.rho()), block_sigma, block_slope);
    total += kl_gradient(part(store.mu()), block_sigma, block_slope, part(store.prior_mean()),
                         {options.prior_sigma, segment.weight}, part(store.mu_gradient()),
                         part(store.rho_gradient()));
  }
  return at::full({}, total, store.mu().options().dtype(at::kDouble));
}

std::string describe_kl_weight(const ParameterStore& store, const KlOptions& options,
                               const KlScale& scale) {
  check_kl(options, scale);
  std::int64_t tensors = 0;
  for (const ParameterEntry& entry : store.parameters()) {
    if (entry.kind == ParameterKind::kVariational) ++tensors;
  }
  if (tensors == 0) return "KL term: none, the network has no Gaussian weights";
  const std::string weights = with_thousands(store.variational_size()) + " Gaussian weights";
  const std::string factor = " x kl_weight " + to_text(options.weight);
  if (options.reduction == KlReduction::kElbo) {
    return "KL term: sum over " + weights + " / " + with_thousands(scale.training_samples) +
           " training samples" + factor + " (elbo), so each nat of KL weighs " +
           significant(kl_element_weight(options, scale, 1), 6);
  }
  const double mean_size =
      static_cast<double>(store.variational_size()) / static_cast<double>(tensors);
  const double of_elbo = kl_element_weight(options, scale, 1) / mean_size *
                         static_cast<double>(scale.training_samples);
  return "KL term: sum over " + std::to_string(tensors) + " tensors of the mean KL of their " +
         weights + " / batch of " + with_thousands(scale.batch) + factor + " (mean), about " +
         significant(of_elbo, 6) + " times the weight of the true bound";
}

}  // namespace cubcal
