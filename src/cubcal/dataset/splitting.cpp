#include "cubcal/dataset/splitting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "cubcal/core/check.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"

namespace cubcal {

namespace {

constexpr std::size_t kSplits = 3;
constexpr std::array<const char*, kSplits> kSplitNames = {"train", "val", "test"};

/// Streams of the three uses of a seed never meet.
enum class Purpose : char { kSplit = 's', kFraction = 'f', kBalance = 'b' };

/// Names are the numbers of streams, so that the draw of a group depends neither on other groups
/// nor on the order of rows.
SeedStream stream_of(Purpose purpose, const std::string& name, std::uint64_t seed) {
  ContentHash hash;
  hash.add(static_cast<char>(purpose) + name);
  return SeedStream(seed, hash.value());
}

/// Who must stay together: the group, or the sample alone.
std::string bond_of(const Sample& sample) {
  return sample.group.empty() ? "file " + sample.file : "group " + sample.group;
}

bool is_outlier(const Sample& sample) { return sample.label == kNoLabel; }

/// Samples of one bond and where they count: in their class, and in their stratum of it.
struct Bond {
  std::string name;
  std::uint64_t draw = 0;
  std::vector<std::size_t> samples;
  std::map<std::size_t, double> counts;  ///< by stratum
};

/// Deals bonds out to the splits. A stratum is a class, or a class together with values of columns;
/// the deviation of split j in stratum s of class c is measured as
///     (count[j, s] - share[j] * size[s])^2 / (share[j] * size[c]),
/// Pearson's chi-square where s is the class itself, and each bond goes to the split where the sum
/// grows least. Dividing by the class's size keeps small strata from ruling over their class.
class Dealer {
 public:
  explicit Dealer(const std::array<double, kSplits>& shares) : shares_(shares) {}

  /// `parent` is the stratum of the whole class, or the new stratum's own number.
  std::size_t add_stratum(std::size_t parent) {
    strata_.push_back({parent, 0, {}});
    return strata_.size() - 1;
  }

  void count(const Bond& bond) {
    for (const auto& [stratum, count] : bond.counts) strata_[stratum].size += count;
  }

  std::size_t deal(const Bond& bond) {
    std::size_t best = kSplits;
    // Between equals the smaller split for its share, lest rounding always favours the same one.
    std::pair<double, double> best_gain;
    for (std::size_t split = 0; split < kSplits; ++split) {
      if (shares_[split] <= 0) continue;
      const std::pair<double, double> split_gain{gain(bond, split), -filled_[split]};
      if (best == kSplits || split_gain > best_gain) {
        best = split;
        best_gain = split_gain;
      }
    }
    for (const auto& [stratum, count] : bond.counts) strata_[stratum].dealt[best] += count;
    filled_[best] += static_cast<double>(bond.samples.size()) / shares_[best];
    return best;
  }

 private:
  struct Stratum {
    std::size_t parent;
    double size;
    std::array<double, kSplits> dealt;
  };

  /// By how much the sum of deviations falls.
  double gain(const Bond& bond, std::size_t split) const {
    double sum = 0;
    for (const auto& [index, count] : bond.counts) {
      const Stratum& stratum = strata_[index];
      const double lack = shares_[split] * stratum.size - stratum.dealt[split];
      sum += count * (2 * lack - count) / (shares_[split] * strata_[stratum.parent].size);
    }
    return sum;
  }

  std::array<double, kSplits> shares_;
  std::array<double, kSplits> filled_{};  ///< samples dealt, over the share
  std::vector<Stratum> strata_;
};

std::array<double, kSplits> checked_shares(const SplitOptions& options) {
  check_at_least("the share of train", options.train, 0);
  check_at_least("the share of val", options.val, 0);
  check_at_least("the share of test", options.test, 0);
  const double sum = options.train + options.val + options.test;
  check_finite("the sum of the shares", sum);
  check_positive("the sum of the shares", sum);
  return {options.train / sum, options.val / sum, options.test / sum};
}

/// The strata of every sample, numbered in an order that does not depend on that of the rows.
class Strata {
 public:
  Strata(const Catalog& catalog, const std::vector<std::string>& columns) : catalog_(catalog) {
    for (const std::string& name : columns) columns_.push_back(catalog.column(name));
    for (const Sample& sample : catalog.samples) {
      if (!is_outlier(sample)) numbers_.emplace(values_of(sample), 0);
    }
  }

  void add_to(Dealer& dealer) {
    for (std::size_t k = 0; k < catalog_.classes(); ++k) dealer.add_stratum(k);
    if (columns_.empty()) return;
    for (auto& [values, number] : numbers_) number = dealer.add_stratum(class_of(values));
  }

  void count(const Sample& sample, std::map<std::size_t, double>& counts) const {
    counts[static_cast<std::size_t>(sample.label)] += 1;
    if (!columns_.empty()) counts[numbers_.at(values_of(sample))] += 1;
  }

 private:
  using Values = std::pair<std::size_t, std::vector<std::string>>;

  static std::size_t class_of(const Values& values) { return values.first; }

  Values values_of(const Sample& sample) const {
    Values values{static_cast<std::size_t>(sample.label), {}};
    for (const std::size_t column : columns_) values.second.push_back(sample.metadata[column]);
    return values;
  }

  const Catalog& catalog_;
  std::vector<std::size_t> columns_;
  std::map<Values, std::size_t> numbers_;
};

/// Largest first; equals in the order of their draws.
void sort_for_dealing(std::vector<Bond>& bonds) {
  std::sort(bonds.begin(), bonds.end(), [](const Bond& a, const Bond& b) {
    if (a.samples.size() != b.samples.size()) return a.samples.size() > b.samples.size();
    return a.draw != b.draw ? a.draw < b.draw : a.name < b.name;
  });
}

/// Bonds that share a list of samples become one, which keeps the first of their names, so that
/// the order of rows changes nothing.
class BondNames {
 public:
  explicit BondNames(const Catalog& catalog) : catalog_(catalog) {}

  void join(const std::vector<std::size_t>& samples) {
    std::string first;
    for (const std::size_t i : samples) {
      if (is_outlier(catalog_.samples[i])) continue;
      const std::string root = root_of(bond_of(catalog_.samples[i]));
      if (first.empty()) {
        first = root;
      } else if (root != first) {
        parent_[std::max(first, root)] = std::min(first, root);
        first = std::min(first, root);
      }
    }
  }

  std::string root_of(std::string name) const {
    for (auto next = parent_.find(name); next != parent_.end(); next = parent_.find(name)) {
      name = next->second;
    }
    return name;
  }

 private:
  const Catalog& catalog_;
  std::map<std::string, std::string> parent_;
};

std::vector<Bond> bonds_of(const Catalog& catalog, const std::vector<std::size_t>& samples,
                           Purpose purpose, std::uint64_t seed, const BondNames& names) {
  std::map<std::string, Bond> bonds;
  for (const std::size_t i : samples) {
    bonds[names.root_of(bond_of(catalog.samples[i]))].samples.push_back(i);
  }
  std::vector<Bond> list;
  for (auto& [name, bond] : bonds) {
    bond.name = name;
    bond.draw = stream_of(purpose, name, seed).next_u64();
    list.push_back(std::move(bond));
  }
  return list;
}

/// The class that most samples of the bond have; the lowest of several.
std::int64_t main_class(const Catalog& catalog, const Bond& bond) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::size_t i : bond.samples) ++counts[catalog.samples[i].label];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Marks what a split keeps: of the bonds of every class the first ones by draw, and at least one.
void keep_share(const Catalog& catalog, const std::string& split, double fraction,
                std::uint64_t seed, std::vector<bool>& kept) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < catalog.samples.size(); ++i) {
    if (catalog.samples[i].split != split) continue;
    members.push_back(i);
    kept[i] = false;
  }
  std::map<std::int64_t, std::vector<Bond>> by_class;
  for (Bond& bond : bonds_of(catalog, members, Purpose::kFraction, seed, BondNames(catalog))) {
    by_class[main_class(catalog, bond)].push_back(std::move(bond));
  }
  for (auto& [label, bonds] : by_class) {
    std::sort(bonds.begin(), bonds.end(), [](const Bond& a, const Bond& b) {
      return a.draw != b.draw ? a.draw < b.draw : a.name < b.name;
    });
    const auto wanted =
        static_cast<std::size_t>(std::llround(fraction * static_cast<double>(bonds.size())));
    for (std::size_t g = 0; g < std::max<std::size_t>(wanted, 1); ++g) {
      for (const std::size_t i : bonds[g].samples) kept[i] = true;
    }
  }
}

}  // namespace

Catalog split_catalog(const Catalog& catalog, const SplitOptions& options,
                      const std::vector<std::vector<std::size_t>>& together) {
  if (catalog.classes() == 0) {
    throw DataError(
        "'" + catalog.path +
        "' has no classes, which splits are stratified by; images without labels can be predicted, "
        "not split");
  }
  Dealer dealer(checked_shares(options));
  Strata strata(catalog, options.stratify_by);
  strata.add_to(dealer);
  Catalog result = catalog;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    if (is_outlier(result.samples[i])) {
      result.samples[i].split = kOutlierSplit;
    } else {
      members.push_back(i);
    }
  }
  BondNames names(catalog);
  for (const std::vector<std::size_t>& samples : together) names.join(samples);
  std::vector<Bond> bonds = bonds_of(catalog, members, Purpose::kSplit, options.seed, names);
  for (Bond& bond : bonds) {
    for (const std::size_t i : bond.samples) strata.count(catalog.samples[i], bond.counts);
    dealer.count(bond);
  }
  sort_for_dealing(bonds);
  for (const Bond& bond : bonds) {
    const char* split = kSplitNames[dealer.deal(bond)];
    for (const std::size_t i : bond.samples) result.samples[i].split = split;
  }
  return result;
}

Catalog take_fraction(const Catalog& catalog, double fraction, std::uint64_t seed,
                      const std::vector<std::string>& splits) {
  check_positive("the share of the images to keep", fraction);
  check_in_closed("the share of the images to keep", fraction, 0, 1);
  std::vector<bool> kept(catalog.samples.size(), true);
  for (const std::string& split : splits) keep_share(catalog, split, fraction, seed, kept);
  Catalog result = catalog;
  result.samples.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) result.samples.push_back(catalog.samples[i]);
  }
  return result;
}

std::vector<std::size_t> balanced_members(const std::vector<std::int64_t>& labels,
                                          std::size_t classes, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> members(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= static_cast<std::int64_t>(classes)) {
      throw ArgumentError("the label " + std::to_string(labels[i]) +
                          " cannot be balanced: labels must be in 0.." +
                          std::to_string(classes - 1));
    }
    members[static_cast<std::size_t>(labels[i])].push_back(i);
  }
  std::size_t largest = 0;
  for (const auto& of_class : members) largest = std::max(largest, of_class.size());

  std::vector<std::size_t> balanced(labels.size());
  std::iota(balanced.begin(), balanced.end(), std::size_t{0});
  for (std::size_t k = 0; k < classes; ++k) {
    std::vector<std::size_t>& round = members[k];
    if (round.empty()) continue;
    SeedStream random = stream_of(Purpose::kBalance, std::to_string(k), seed);
    const std::size_t missing = largest - round.size();
    for (std::size_t added = 0; added < missing; ++added) {
      const std::size_t place = added % round.size();
      // Drawn as they are dealt: a round gives every member once, in an order of its own.
      const auto left = static_cast<std::uint32_t>(round.size() - place);
      std::swap(round[place], round[place + random.below(left)]);
      balanced.push_back(round[place]);
    }
  }
  return balanced;
}

}  // namespace cubcal
