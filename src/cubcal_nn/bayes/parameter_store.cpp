#include "cubcal_nn/bayes/parameter_store.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <map>
#include <sstream>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/noise.h"

namespace cubcal {

namespace {

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

std::string shape_text(c10::IntArrayRef shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + ")";
}

at::Tensor piece(const at::Tensor& flat, std::int64_t offset, std::int64_t size,
                 const std::vector<std::int64_t>& shape) {
  return flat.narrow(0, offset, size).view(shape);
}

/// A name as a number that is the same on every machine.
std::uint64_t path_stream(const std::string& path) {
  ContentHash hash;
  hash.add(path.data(), path.size());
  return hash.value();
}

}  // namespace

std::size_t ParameterStore::add_parameter(std::string path, std::vector<std::int64_t> shape,
                                          ParameterKind kind, Initialisation initialisation) {
  if (mu_.defined()) throw ArgumentError("parameter " + path + " was added after allocation");
  std::int64_t& total = kind == ParameterKind::kVariational ? variational_size_ : point_size_;
  ParameterEntry entry;
  entry.path = std::move(path);
  entry.size = product(shape);
  entry.shape = std::move(shape);
  entry.kind = kind;
  entry.initialisation = initialisation;
  entry.offset = total;
  total += entry.size;
  parameters_.push_back(std::move(entry));
  return parameters_.size() - 1;
}

std::size_t ParameterStore::add_buffer(std::string path, std::vector<std::int64_t> shape,
                                       double initial) {
  if (mu_.defined()) throw ArgumentError("buffer " + path + " was added after allocation");
  BufferEntry entry;
  entry.path = std::move(path);
  entry.size = product(shape);
  entry.shape = std::move(shape);
  entry.initial = initial;
  entry.offset = buffer_size_;
  buffer_size_ += entry.size;
  buffer_entries_.push_back(std::move(entry));
  return buffer_entries_.size() - 1;
}

void ParameterStore::allocate(c10::ScalarType dtype, c10::Device device) {
  if (dtype != at::kFloat && dtype != at::kDouble) {
    throw ArgumentError("parameters are held as float32 or float64, no other type");
  }
  const auto options = at::TensorOptions().dtype(dtype).device(device);
  mu_ = at::zeros({variational_size_}, options);
  rho_ = at::zeros({variational_size_}, options);
  prior_mean_ = at::zeros({variational_size_}, options);
  point_ = at::zeros({point_size_}, options);
  buffer_values_ = at::zeros({buffer_size_}, options);
  make_views();
}

void ParameterStore::enable_gradients() {
  if (has_gradients()) return;
  mu_gradient_ = at::zeros_like(mu_);
  rho_gradient_ = at::zeros_like(rho_);
  point_gradient_ = at::zeros_like(point_);
  make_views();
}

void ParameterStore::zero_gradients() {
  mu_gradient_.zero_();
  rho_gradient_.zero_();
  point_gradient_.zero_();
}

void ParameterStore::make_views() {
  const c10::NoGradGuard no_grad;
  mean_weights_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const bool is_point = parameters_[i].kind == ParameterKind::kPoint;
    at::Tensor weight = view(is_point ? point_ : mu_, i).detach();
    if (is_point && has_gradients()) {
      weight.set_requires_grad(true);
      weight.mutable_grad() = view(point_gradient_, i);
    }
    mean_weights_.push_back(std::move(weight));
  }
  buffer_views_.clear();
  for (const BufferEntry& entry : buffer_entries_) {
    buffer_views_.push_back(piece(buffer_values_, entry.offset, entry.size, entry.shape));
  }
}

at::Tensor ParameterStore::view(const at::Tensor& flat, std::size_t index) const {
  const ParameterEntry& entry = parameters_[index];
  return piece(flat, entry.offset, entry.size, entry.shape);
}

std::size_t ParameterStore::index_of(const std::string& path) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].path == path) return i;
  }
  throw ArgumentError("the network has no parameter named " + path);
}

NamedTensors ParameterStore::flat_values() const {
  return {{"mu", mu_},
          {"rho", rho_},
          {"prior_mean", prior_mean_},
          {"point", point_},
          {"buffers", buffer_values_}};
}

NamedTensors ParameterStore::named_tensors() const {
  NamedTensors named;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::string& path = parameters_[i].path;
    if (parameters_[i].kind == ParameterKind::kPoint) {
      named.emplace_back(path, view(point_, i));
    } else {
      named.emplace_back(path + ".mu", view(mu_, i));
      named.emplace_back(path + ".rho", view(rho_, i));
      named.emplace_back(path + ".prior_mean", view(prior_mean_, i));
    }
  }
  for (std::size_t i = 0; i < buffer_entries_.size(); ++i) {
    named.emplace_back(buffer_entries_[i].path, buffer_views_[i]);
  }
  return named;
}

void initialise(ParameterStore& store, std::uint64_t seed, double rho) {
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < store.parameters().size(); ++i) {
    const ParameterEntry& entry = store.parameters()[i];
    const bool is_point = entry.kind == ParameterKind::kPoint;
    at::Tensor values = store.view(is_point ? store.point() : store.mu(), i);
    const double scale = entry.initialisation.scale;
    const NoiseKey key{seed, path_stream(entry.path), 0};
    switch (entry.initialisation.law) {
      case Initialisation::Law::kConstant: values.fill_(scale); break;
      case Initialisation::Law::kNormal:
        normal_noise(values, key);
        values.mul_(scale);
        break;
      case Initialisation::Law::kUniform:
        uniform_noise(values, key);
        values.mul_(2 * scale).sub_(scale);
        break;
    }
  }
  store.rho().fill_(rho);
  store.prior_mean().zero_();
  for (std::size_t i = 0; i < store.buffers().size(); ++i) {
    store.buffer(i).fill_(store.buffers()[i].initial);
  }
}

std::string TransferReport::text() const {
  std::ostringstream text;
  const char* separator = "";
  const auto list = [&](const char* title, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    text << separator << title;
    for (std::size_t i = 0; i < paths.size(); ++i) text << (i > 0 ? ", " : " ") << paths[i];
    separator = "; ";
  };
  list("missing from the source:", missing);
  list("unknown to the network:", unexpected);
  list("of another shape:", misshapen);
  return text.str();
}

TransferReport transfer(const NamedTensors& source, ParameterStore& target) {
  const c10::NoGradGuard no_grad;
  TransferReport report;
  std::map<std::string, at::Tensor> left;
  for (const auto& [name, tensor] : source) left.emplace(name, tensor);
  for (auto& [name, tensor] : target.named_tensors()) {
    const auto found = left.find(name);
    if (found == left.end()) {
      report.missing.push_back(name);
      continue;
    }
    if (found->second.sizes() == tensor.sizes()) {
      tensor.copy_(found->second);
    } else {
      report.misshapen.push_back(name + ": expected " + shape_text(tensor.sizes()) + ", got " +
                                 shape_text(found->second.sizes()));
    }
    left.erase(found);
  }
  for (const auto& [name, tensor] : left) report.unexpected.push_back(name);
  return report;
}

}  // namespace cubcal
