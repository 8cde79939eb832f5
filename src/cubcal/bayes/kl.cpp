#include "cubcal/bayes/kl.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "cubcal/bayes/sigma.h"
#include "cubcal/core/check.h"

namespace cubcal {

namespace {

void check_kl(const KlOptions& options, const KlScale& scale) {
  check_at_least("kl_weight", options.weight, 0);
  check_positive("prior_sigma", options.prior_sigma);
  check_at_least("the number of training samples", static_cast<double>(scale.training_samples), 1);
  check_at_least("the batch size", static_cast<double>(scale.batch), 1);
}

/// What each element of parameter tensor of `size` elements is multiplied by.
double element_weight(const KlOptions& options, const KlScale& scale, std::int64_t size) {
  return options.reduction == KlReduction::kElbo
             ? options.weight / static_cast<double>(scale.training_samples)
             : options.weight / (static_cast<double>(scale.batch) * static_cast<double>(size));
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

/// On the CPU segments are cut so that the intermediate results of one stay in the cache; on other
/// devices few large operations are better.
std::vector<Segment> segments(const ParameterStore& store, const KlOptions& options,
                              const KlScale& scale) {
  std::vector<Segment> whole;
  if (options.reduction == KlReduction::kElbo) {
    whole.push_back({0, store.variational_size(), element_weight(options, scale, 1)});
  } else {
    for (const ParameterEntry& entry : store.parameters()) {
      if (entry.kind != ParameterKind::kVariational) continue;
      whole.push_back({entry.offset, entry.size, element_weight(options, scale, entry.size)});
    }
  }
  if (!store.device().is_cpu()) return whole;
  constexpr std::int64_t kCacheBlock = 1 << 15;
  std::vector<Segment> cut;
  for (const Segment& segment : whole) {
    for (std::int64_t done = 0; done < segment.size; done += kCacheBlock) {
      cut.push_back(
          {segment.offset + done, std::min(kCacheBlock, segment.size - done), segment.weight});
    }
  }
  return cut;
}

std::string with_thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

/// Six significant digits.
std::string short_text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

}  // namespace

KlReduction parse_kl_reduction(const std::string& name) {
  if (name == "elbo") return KlReduction::kElbo;
  if (name == "mean") return KlReduction::kMean;
  throw ArgumentError("the KL reduction must be elbo or mean, not " + name);
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
  for (const Segment& segment : segments(store, options, scale)) {
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
  const double precision = 1.0 / (options.prior_sigma * options.prior_sigma);
  at::Tensor total = at::zeros({}, store.mu().options().dtype(at::kDouble));
  for (const Segment& segment : segments(store, options, scale)) {
    const auto part = [&](const at::Tensor& flat) {
      return flat.narrow(0, segment.offset, segment.size);
    };
    const at::Tensor mu = part(store.mu());
    const at::Tensor rho = part(store.rho());
    const at::Tensor prior_mean = part(store.prior_mean());
    const at::Tensor sigma = sigma_from_rho(rho);
    // d KL / d mu = (mu - m) / prior_sigma^2;
    // d KL / d rho = (sigma / prior_sigma^2 - 1 / sigma) sigmoid(rho).
    part(store.mu_gradient()).add_(mu - prior_mean, segment.weight * precision);
    part(store.rho_gradient())
        .addcmul_((sigma * precision).sub_(sigma.reciprocal()), rho.sigmoid(), segment.weight);
    total.add_(elements_from_sigma(mu, sigma, prior_mean, options.prior_sigma).sum(at::kDouble),
               segment.weight);
  }
  return total;
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
           short_text(element_weight(options, scale, 1));
  }
  const double mean_size =
      static_cast<double>(store.variational_size()) / static_cast<double>(tensors);
  const double of_elbo =
      element_weight(options, scale, 1) / mean_size * static_cast<double>(scale.training_samples);
  return "KL term: sum over " + std::to_string(tensors) + " tensors of the mean KL of their " +
         weights + " / batch of " + with_thousands(scale.batch) + factor + " (mean), about " +
         short_text(of_elbo) + " times the weight of the true bound";
}

}  // namespace cubcal
