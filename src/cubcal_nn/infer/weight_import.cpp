#include "cubcal_nn/infer/weight_import.h"

#include <ATen/ATen.h>

#include <map>
#include <set>
#include <utility>

#include "cubcal/core/check.h"
#include "cubcal/core/words.h"
#include "cubcal/weights/tensor_path.h"
#include "cubcal_nn/infer/tensor_exchange.h"

namespace cubcal {

namespace {

enum class Meaning { kTensor, kPriorSigma, kNothing };

struct Leaf {
  Meaning meaning;
  std::string name;  ///< in the network, for kTensor
};

/// Last parts of names that mean something else than themselves.
const std::map<std::string, Leaf>& foreign_leaves() {
  static const std::map<std::string, Leaf> leaves = {
      {"mu_kernel", {Meaning::kTensor, "weight.mu"}},
      {"rho_kernel", {Meaning::kTensor, "weight.rho"}},
      {"mu_weight", {Meaning::kTensor, "weight.mu"}},
      {"rho_weight", {Meaning::kTensor, "weight.rho"}},
      {"mu_bias", {Meaning::kTensor, "bias.mu"}},
      {"rho_bias", {Meaning::kTensor, "bias.rho"}},
      {"prior_weight_mu", {Meaning::kTensor, "weight.prior_mean"}},
      {"prior_bias_mu", {Meaning::kTensor, "bias.prior_mean"}},
      {"prior_weight_sigma", {Meaning::kPriorSigma, ""}},
      {"prior_bias_sigma", {Meaning::kPriorSigma, ""}},
      {"eps_kernel", {Meaning::kNothing, ""}},
      {"eps_weight", {Meaning::kNothing, ""}},
      {"eps_bias", {Meaning::kNothing, ""}},
      {"num_batches_tracked", {Meaning::kNothing, ""}},
  };
  return leaves;
}

/// What a name of the file stands for, as a whole name of the network.
Leaf resolve(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t start = dot == std::string::npos ? 0 : dot + 1;
  const auto found = foreign_leaves().find(name.substr(start));
  if (found == foreign_leaves().end()) return {Meaning::kTensor, name};
  return {found->second.meaning, name.substr(0, start) + found->second.name};
}

at::Tensor finite_tensor(const NamedArray& entry) {
  at::Tensor tensor = to_tensor(entry, "the file");
  if (!at::isfinite(tensor).all().item<bool>()) {
    throw DataError("the tensor '" + entry.name + "' of the file holds a value that is not finite");
  }
  return tensor;
}

double common_sigma(const NamedArray& entry, std::optional<double> before) {
  const at::Tensor sigma = finite_tensor(entry).to(at::kDouble);
  const double value = sigma.numel() > 0 ? sigma.reshape({-1})[0].item<double>() : 0;
  if (sigma.ne(value).any().item<bool>() || (before && *before != value)) {
    throw DataError("the file has prior sigmas that differ, from '" + entry.name +
                    "' on, and a model here has one");
  }
  if (!(value > 0)) {
    throw DataError("the prior sigma '" + entry.name + "' of the file must be positive, not " +
                    to_text(value));
  }
  return value;
}

/// Sorts the file's entries into those to copy, under their names in the network, and the rest.
class SourceNames {
 public:
  SourceNames(const StateDict& weights, const ImportOptions& options, ImportReport& report) {
    for (const NamedArray& entry : weights) add(entry, options, report);
  }

  const NamedTensors& tensors() const { return tensors_; }
  /// The name in the file of what has this name in the network.
  const std::string& original(const std::string& name) const { return original_.at(name); }

 private:
  void add(const NamedArray& entry, const ImportOptions& options, ImportReport& report) {
    const std::string& prefix = options.strip_prefix;
    if (entry.name.compare(0, prefix.size(), prefix) != 0) {
      report.unexpected.push_back(entry.name);
      return;
    }
    const std::string name = entry.name.substr(prefix.size());
    if (lies_under(name, options.ignore)) {
      report.ignored.push_back(entry.name);
      return;
    }
    const Leaf leaf = resolve(name);
    switch (leaf.meaning) {
      case Meaning::kNothing: report.dropped.push_back(entry.name); return;
      case Meaning::kPriorSigma:
        report.prior_sigma = common_sigma(entry, report.prior_sigma);
        return;
      case Meaning::kTensor: break;
    }
    const auto [place, is_new] = original_.emplace(leaf.name, entry.name);
    if (!is_new) {
      throw DataError("the names '" + place->second + "' and '" + entry.name +
                      "' of the file mean the same tensor '" + leaf.name + "'");
    }
    tensors_.emplace_back(leaf.name, finite_tensor(entry));
  }

  NamedTensors tensors_;
  std::map<std::string, std::string> original_;
};

/// Sorts what the network lacks into what may be lacking and what may not.
void sort_missing(const std::vector<std::string>& missing, const ImportOptions& options,
                  ImportReport& report) {
  const std::set<std::string> lacking(missing.begin(), missing.end());
  const std::string prior = ".prior_mean";
  for (const std::string& name : missing) {
    const std::string parameter =
        ends_with(name, prior) ? name.substr(0, name.size() - prior.size()) : std::string();
    if (lies_under(name, options.allow_missing)) {
      report.fresh.push_back(name);
    } else if (!parameter.empty() && lacking.count(parameter + ".mu") == 0) {
      report.no_prior.push_back(parameter);
    } else {
      report.missing.push_back(name);
    }
  }
}

}  // namespace

std::string common_prefix_of(const StateDict& weights, const Network& network) {
  std::set<std::string> known;
  for (const auto& [name, tensor] : network.parameters().named_tensors()) known.insert(name);
  std::map<std::string, std::size_t> matches;  // by prefix
  for (const NamedArray& entry : weights) {
    for (std::size_t cut = 0; cut != std::string::npos && cut < entry.name.size();) {
      const Leaf leaf = resolve(entry.name.substr(cut));
      if (leaf.meaning == Meaning::kTensor && known.count(leaf.name) > 0) {
        ++matches[entry.name.substr(0, cut)];
      }
      const std::size_t dot = entry.name.find('.', cut);
      cut = dot == std::string::npos ? dot : dot + 1;
    }
  }
  std::string best;
  for (const auto& [prefix, count] : matches) {
    if (count > matches[best]) best = prefix;
  }
  return best;
}

ImportReport import_weights(const StateDict& weights, Network& network,
                            const ImportOptions& options) {
  ImportReport report;
  const SourceNames source(weights, options, report);
  const TransferReport transferred = transfer(source.tensors(), network.parameters());
  for (const std::string& name : transferred.unexpected) {
    report.unexpected.push_back(source.original(name));
  }
  report.misshapen = transferred.misshapen;
  sort_missing(transferred.missing, options, report);
  std::set<std::string> absent(transferred.missing.begin(), transferred.missing.end());
  for (const std::string& sentence : transferred.misshapen) {
    absent.insert(sentence.substr(0, sentence.find(':')));
  }
  for (const auto& [name, tensor] : network.parameters().named_tensors()) {
    if (absent.count(name) == 0) report.imported.push_back(name);
  }
  return report;
}

}  // namespace cubcal
