#include "cubcal/inspection/correction.h"

#include <algorithm>
#include <map>
#include <set>

#include "cubcal/core/check.h"
#include "cubcal/core/counted.h"
#include "cubcal/core/error.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/dataset/split_name.h"
#include "cubcal/inspection/spelling.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

class Corrector {
 public:
  Corrector(const Catalog& catalog, const std::vector<ImageFacts>& facts)
      : facts_(facts), out_(catalog.samples.size(), false) {
    check_same_size("image facts", facts.size(), "samples", catalog.samples.size());
    result_.catalog = catalog;
    for (const std::string& fault : catalog.faults) changed("left out: " + fault);
    result_.catalog.faults.clear();
    if (!catalog.label_gaps.empty()) {
      changed("the classes are numbered without gaps, and keep their numbers as names");
      result_.catalog.label_gaps.clear();
    }
  }

  Correction finish(const NearOptions& near) {
    leave_out_unreadable();
    respell_labels();
    clean_splits();
    give_splits();
    part_duplicates();
    tell_what_is_left(near);
    drop_rows();
    return std::move(result_);
  }

 private:
  std::vector<Sample>& samples() { return result_.catalog.samples; }
  void changed(const std::string& text) { result_.changes.push_back(text); }

  void leave_out(std::size_t i, const std::string& why) {
    out_[i] = true;
    changed("left out " + in_quotes(samples()[i].file) + ": " + why);
  }

  void leave_out_unreadable() {
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      if (!facts_[i].is_readable()) leave_out(i, "it cannot be read");
    }
  }

  void respell_labels() {
    std::map<std::string, std::string> names;   // to the commonest that is like them
    std::map<std::string, std::size_t> counts;  // of every name that is one of several
    std::map<std::string, std::map<std::string, std::size_t>> spellings;  // of a commonest one
    for (const AlikeNames& alike : alike_labels(result_.catalog)) {
      const std::string both = in_quotes(alike.rarer) + " (" + counted(alike.rarer_count, "image") +
                               ") and " + in_quotes(alike.commoner) + " (" +
                               std::to_string(alike.commoner_count) + ")";
      if (!alike.is_corrected()) {
        result_.left.push_back("the classes " + both + " may be one");
        continue;
      }
      // The commoner one may itself be a slip of one that is commoner still.
      const auto further = names.find(alike.commoner);
      const std::string root = further == names.end() ? alike.commoner : further->second;
      names[alike.rarer] = root;
      counts[alike.rarer] = alike.rarer_count;
      if (counts.emplace(alike.commoner, alike.commoner_count).second) {
        spellings[root][trimmed_cell(alike.commoner)] += alike.commoner_count;
      }
      if (alike.is_same) spellings[root][trimmed_cell(alike.rarer)] += alike.rarer_count;
    }
    std::map<std::string, std::string> best;
    for (const auto& [root, of_root] : spellings) {
      best[root] = trimmed_cell(root);
      for (const auto& [spelling, count] : of_root) {
        if (count > of_root.at(best[root])) best[root] = spelling;
      }
    }
    std::vector<std::string> classes;
    for (const std::string& name : result_.catalog.class_names) {
      const auto root = best.find(name);
      if (root != best.end()) classes.push_back(root->second);
      if (root == best.end() && names.count(name) == 0) classes.push_back(name);
    }
    result_.catalog.class_names = std::move(classes);
    for (const auto& root : best) names.emplace(root.first, root.first);
    for (auto& [name, now] : names) {
      now = best.at(now);
      if (name == now) continue;
      changed("class " + in_quotes(name) + " of " + counted(counts.at(name), "image") + " became " +
              in_quotes(now));
    }
    for (Sample& sample : samples()) {
      const auto name = names.find(sample.label_name);
      if (sample.label != kNoLabel && name != names.end()) sample.label_name = name->second;
    }
  }

  void clean_splits() {
    std::map<std::string, std::string> names;
    for (const AlikeNames& alike : alike_splits(result_.catalog)) {
      names[alike.rarer] = alike.commoner;
      changed("split " + in_quotes(alike.rarer) + " of " + counted(alike.rarer_count, "image") +
              " became " + in_quotes(alike.commoner));
    }
    for (Sample& sample : samples()) {
      const auto name = names.find(sample.split);
      if (name != names.end()) sample.split = name->second;
    }
  }

  void give_splits() {
    if (!result_.catalog.has_splits()) return;
    std::map<std::string, std::set<std::string>> of_group;
    for (const Sample& sample : samples()) {
      if (!sample.group.empty() && !sample.split.empty()) {
        of_group[sample.group].insert(sample.split);
      }
    }
    for (std::size_t i = 0; i < samples().size(); ++i) {
      Sample& sample = samples()[i];
      if (out_[i] || !sample.split.empty()) continue;
      const std::set<std::string>& splits = of_group[sample.group];
      if (splits.size() == 1) {
        sample.split = *splits.begin();
        changed(in_quotes(sample.file) + " had no split and joins its group in " +
                in_quotes(sample.split));
      } else {
        leave_out(i, "it has no split");
      }
    }
  }

  void part_duplicates() {
    for (const SampleList& set : identical_images(facts_)) {
      const auto rank = [&](std::size_t i) { return split_rank(samples()[i].split); };
      SampleList members;
      std::set<std::string> splits, labels;
      for (const std::size_t i : set) {
        if (out_[i] || samples()[i].split == kOutlierSplit) continue;
        members.push_back(i);
        splits.insert(samples()[i].split);
        labels.insert(samples()[i].label_name);
      }
      if (labels.size() > 1) {
        result_.left.push_back(
            "identical images under different labels: " + in_quotes(samples()[members[0]].file) +
            " and " + std::to_string(members.size() - 1) + " more");
      }
      if (splits.size() < 2) continue;
      const std::size_t keep =
          *std::max_element(members.begin(), members.end(),
                            [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
      for (const std::size_t i : members) {
        if (samples()[i].split == samples()[keep].split) continue;
        leave_out(i, "in " + in_quotes(samples()[i].split) + ", the same pixels as " +
                         in_quotes(samples()[keep].file) + " in " +
                         in_quotes(samples()[keep].split));
      }
    }
  }

  void tell_what_is_left(const NearOptions& near) {
    std::size_t pairs = 0;
    for (const NearPair& pair : near_duplicates(facts_, near)) {
      const Sample& a = samples()[pair.first];
      const Sample& b = samples()[pair.second];
      const bool counts = !out_[pair.first] && !out_[pair.second] && a.split != b.split &&
                          a.split != kOutlierSplit && b.split != kOutlierSplit;
      if (counts) ++pairs;
    }
    if (pairs > 0) {
      result_.left.push_back(counted(pairs, "pair") + " of near-duplicates in two splits");
    }
    std::map<std::string, std::set<std::string>> of_group;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const Sample& sample = samples()[i];
      const bool counts = !out_[i] && !sample.group.empty() && sample.split != kOutlierSplit;
      if (counts) of_group[sample.group].insert(sample.split);
    }
    const auto torn = std::count_if(of_group.begin(), of_group.end(),
                                    [](const auto& entry) { return entry.second.size() > 1; });
    if (torn > 0) {
      result_.left.push_back(
          counted(static_cast<std::size_t>(torn), "group") +
          " in several splits: a new split keeps groups and duplicates together");
    }
  }

  /// Rows, then the numbers of the classes that stay, in the order they had.
  void drop_rows() {
    Catalog& catalog = result_.catalog;
    std::vector<Sample> kept;
    std::set<std::string> present;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i]) continue;
      if (catalog.samples[i].label != kNoLabel) present.insert(catalog.samples[i].label_name);
      kept.push_back(std::move(catalog.samples[i]));
    }
    if (kept.empty()) throw DataError("'" + catalog.path + "' would keep no image when corrected");
    std::vector<std::string> names;
    std::map<std::string, std::int64_t> labels;
    for (const std::string& name : catalog.class_names) {
      if (present.count(name) == 0) continue;
      labels[name] = static_cast<std::int64_t>(names.size());
      names.push_back(name);
    }
    for (Sample& sample : kept) {
      if (sample.label != kNoLabel) sample.label = labels.at(sample.label_name);
    }
    catalog.samples = std::move(kept);
    catalog.class_names = std::move(names);
  }

  const std::vector<ImageFacts>& facts_;
  std::vector<bool> out_;
  Correction result_;
};

}  // namespace

Correction corrected(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                     const NearOptions& near) {
  return Corrector(catalog, facts).finish(near);
}

}  // namespace cubcal
