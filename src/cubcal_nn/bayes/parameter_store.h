#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cubcal {

/// How a parameter is held: as one number each, or as a Gaussian N(mu, softplus(rho)^2).
enum class ParameterKind { kPoint, kVariational };

/// The law a parameter (for a Gaussian one: its mu) is drawn from before training.
struct Initialisation {
  enum class Law { kConstant, kNormal, kUniform };
  Law law = Law::kConstant;
  double scale = 0;  ///< the constant, the standard deviation, or the half width around 0
};

struct ParameterEntry {
  std::string path;  ///< torchvision's name, for example "layer1.0.conv1.weight"
  std::vector<std::int64_t> shape;
  ParameterKind kind = ParameterKind::kPoint;
  Initialisation initialisation;
  std::int64_t offset = 0;  ///< first element in the flat buffer of its kind
  std::int64_t size = 0;
};

struct BufferEntry {
  std::string path;  ///< for example "bn1.running_mean"
  std::vector<std::int64_t> shape;
  double initial = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

/// A batch norm and the convolution before it, by their indices in the store: in prediction, where
/// its statistics are fixed, the norm can be taken into the convolution's weight and bias.
struct NormFold {
  std::size_t weight;               ///< of the convolution
  std::optional<std::size_t> bias;  ///< of the convolution
  std::size_t norm_weight, norm_bias;
  std::size_t running_mean, running_var;  ///< buffers
};

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;
/// One tensor per parameter, in the order of ParameterStore::parameters().
using TensorTable = std::vector<at::Tensor>;

/// All numbers of one network in a handful of flat tensors, with a view per parameter: sampling, KL
/// and the optimiser step are a few operations on whole buffers however many layers there are.
///
/// Life: the layers of a network register their parameters; allocate() makes the buffers; after
/// that nothing is added. Views alias the flat buffers: writing to one is writing to the other.
class ParameterStore {
 public:
  ParameterStore() = default;
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  /// Both return the index by which the layer finds its tensor in a table.
  std::size_t add_parameter(std::string path, std::vector<std::int64_t> shape, ParameterKind kind,
                            Initialisation initialisation);
  std::size_t add_buffer(std::string path, std::vector<std::int64_t> shape, double initial);

  void add_norm_fold(const NormFold& fold) { norm_folds_.push_back(fold); }
  const std::vector<NormFold>& norm_folds() const { return norm_folds_; }

  /// dtype is float32 or float64 (the latter for gradient checks). Values are 0 until initialised.
  void allocate(c10::ScalarType dtype, c10::Device device);
  /// Allocates the gradient buffers and lets point parameters take part in autograd.
  void enable_gradients();
  bool has_gradients() const { return mu_gradient_.defined(); }
  void zero_gradients();

  const std::vector<ParameterEntry>& parameters() const { return parameters_; }
  const std::vector<BufferEntry>& buffers() const { return buffer_entries_; }
  /// Weights of the network, each counted once whether it is a point or a Gaussian.
  std::int64_t parameter_count() const { return variational_size_ + point_size_; }
  std::int64_t variational_size() const { return variational_size_; }
  std::int64_t point_size() const { return point_size_; }

  c10::ScalarType dtype() const { return point_.scalar_type(); }
  c10::Device device() const { return point_.device(); }

  // The flat buffers, one-dimensional; an absent kind has size 0.
  const at::Tensor& mu() const { return mu_; }
  const at::Tensor& rho() const { return rho_; }
  const at::Tensor& prior_mean() const { return prior_mean_; }
  const at::Tensor& point() const { return point_; }
  const at::Tensor& buffer_values() const { return buffer_values_; }
  /// All of them by name, gradients left out: with them a network is as it was.
  NamedTensors flat_values() const;
  const at::Tensor& mu_gradient() const { return mu_gradient_; }
  const at::Tensor& rho_gradient() const { return rho_gradient_; }
  const at::Tensor& point_gradient() const { return point_gradient_; }

  /// The weights of mean mode: mu for Gaussian parameters, and the point parameters, which are the
  /// autograd leaves whose gradient lies in point_gradient().
  const TensorTable& mean_weights() const { return mean_weights_; }
  const at::Tensor& buffer(std::size_t index) const { return buffer_views_[index]; }

  /// A view of `flat` (mu, rho, a gradient, ...) with the shape and place of parameter `index`.
  at::Tensor view(const at::Tensor& flat, std::size_t index) const;
  /// The index of a path; throws ArgumentError where there is none.
  std::size_t index_of(const std::string& path) const;

  /// Everything that makes up the state, as views: "<path>" for point parameters and buffers,
  /// "<path>.mu", "<path>.rho" and "<path>.prior_mean" for Gaussian ones.
  NamedTensors named_tensors() const;

 private:
  std::vector<ParameterEntry> parameters_;
  std::vector<BufferEntry> buffer_entries_;
  std::vector<NormFold> norm_folds_;
  std::int64_t variational_size_ = 0;
  std::int64_t point_size_ = 0;
  std::int64_t buffer_size_ = 0;
  at::Tensor mu_, rho_, prior_mean_, point_, buffer_values_;
  at::Tensor mu_gradient_, rho_gradient_, point_gradient_;
  TensorTable mean_weights_;
  TensorTable buffer_views_;

  void make_views();
};

/// What a batch norm does to each channel at its running statistics: x -> scale x + shift, with
/// scale = gamma / sqrt(variance + kNormEpsilon) and shift = beta - scale mean.
struct FoldedNorm {
  at::Tensor scale, shift;
};
inline constexpr double kNormEpsilon = 1e-5;

/// Draws mu and the point parameters from their laws, sets rho, prior mean 0 and buffers to their
/// first values. A parameter's values depend on (seed, its path) alone: a network and its Bayesian
/// twin start from the same weights.
void initialise(ParameterStore& store, std::uint64_t seed, double rho = -3.0);

/// What a transfer by path found. Nothing is guessed: a name either matches exactly or is reported.
struct TransferReport {
  std::vector<std::string> missing;     ///< in the store, not in the source
  std::vector<std::string> unexpected;  ///< in the source, not in the store
  std::vector<std::string> misshapen;   ///< "path: expected (64, 3), got (64, 4)"
  bool complete() const { return missing.empty() && unexpected.empty() && misshapen.empty(); }
  /// One sentence that names every unmatched path.
  std::string text() const;
};

/// Copies each source tensor onto the tensor of the same name in named_tensors(), converting type
/// and device. Copies what matches; the caller decides whether an incomplete report is an error.
TransferReport transfer(const NamedTensors& source, ParameterStore& target);

}  // namespace cubcal
