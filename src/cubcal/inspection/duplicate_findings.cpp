#include "cubcal/inspection/duplicate_findings.h"

#include <algorithm>
#include <map>
#include <set>

#include "cubcal/core/check.h"
#include "cubcal/inspection/wording.h"

namespace cubcal {

namespace {

/// What decides how bad it is that samples show the same.
struct Spread {
  std::set<std::string> splits;  ///< without outliers and samples not split
  std::set<std::int64_t> labels;
  std::set<std::string> groups;
  std::size_t outliers = 0;
  std::size_t others = 0;

  Spread(const Catalog& catalog, const SampleList& set) {
    for (const std::size_t i : set) {
      const Sample& sample = catalog.samples[i];
      const bool is_outlier = sample.split == kOutlierSplit;
      ++(is_outlier ? outliers : others);
      if (!is_outlier && !sample.split.empty()) splits.insert(sample.split);
      if (sample.label != kNoLabel) labels.insert(sample.label);
      groups.insert(sample.group);
    }
  }

  bool across_splits() const { return splits.size() > 1; }
  bool under_labels() const { return labels.size() > 1; }
  bool with_outliers() const { return outliers > 0 && others > 0; }
  bool across_groups() const { return groups.size() > 1; }
};

std::size_t images_in(const std::vector<SampleList>& sets) {
  std::size_t images = 0;
  for (const SampleList& set : sets) images += set.size();
  return images;
}

using Property = bool (Spread::*)() const;

std::vector<SampleList> sets_with(const Catalog& catalog, const std::vector<SampleList>& sets,
                                  Property property) {
  std::vector<SampleList> result;
  for (const SampleList& set : sets) {
    if ((Spread(catalog, set).*property)()) result.push_back(set);
  }
  return result;
}

/// "3 sets of identical images (7 images)"
std::string sets_text(const std::vector<SampleList>& sets) {
  return counted(sets.size(), "set") + " of identical images (" + std::to_string(images_in(sets)) +
         " images)";
}

const char* verb(std::size_t count, const char* one, const char* many) {
  return count == 1 ? one : many;
}

/// Members of two sets, one of each, that have the property together.
std::optional<SampleList> pair_with(const Catalog& catalog, const SampleList& left,
                                    const SampleList& right, Property property) {
  for (const std::size_t a : left) {
    for (const std::size_t b : right) {
      if ((Spread(catalog, {a, b}).*property)()) return SampleList{a, b};
    }
  }
  return std::nullopt;
}

std::string near_text(const NearOptions& options) {
  return "at most " + std::to_string(options.max_distance) + " of " +
         std::to_string(kPerceptualBits) + " bits of the perceptual hash differ, correlation " +
         to_text(options.min_correlation) + " or more";
}

}  // namespace

void find_identical(const Catalog& catalog, const std::vector<SampleList>& identical,
                    std::vector<Finding>& findings) {
  if (identical.empty()) return;
  const auto across = sets_with(catalog, identical, &Spread::across_splits);
  if (!across.empty()) {
    findings.push_back(
        {Severity::kLeak, FindingKind::kIdenticalAcrossSplits,
         sets_text(across) + verb(across.size(), " lies", " lie") + " in more than one split.",
         across});
  }
  const auto labels = sets_with(catalog, identical, &Spread::under_labels);
  if (!labels.empty()) {
    findings.push_back({Severity::kWarning, FindingKind::kIdenticalUnderLabels,
                        sets_text(labels) + verb(labels.size(), " carries", " carry") +
                            " different labels: not all of them can be right.",
                        labels});
  }
  const auto outliers = sets_with(catalog, identical, &Spread::with_outliers);
  if (!outliers.empty()) {
    findings.push_back({Severity::kWarning, FindingKind::kIdenticalWithOutliers,
                        sets_text(outliers) + verb(outliers.size(), " lies", " lie") +
                            " both among the outliers ('" + kOutlierSplit + "') and elsewhere.",
                        outliers});
  }
  if (catalog.has_groups()) {
    const auto groups = sets_with(catalog, identical, &Spread::across_groups);
    if (!groups.empty()) {
      findings.push_back({Severity::kWarning, FindingKind::kIdenticalAcrossGroups,
                          sets_text(groups) + verb(groups.size(), " belongs", " belong") +
                              " to different groups; splitting the data anew keeps them together.",
                          groups});
    }
  }
  std::string sentence = counted(identical.size(), "set") + " of images (" +
                         std::to_string(images_in(identical)) + " images)" +
                         verb(identical.size(), " has", " have") + " identical pixels";
  if (catalog.has_splits()) {
    sentence += ", " + (across.empty() ? "none" : std::to_string(across.size())) +
                " of the sets across splits";
  } else if (!catalog.has_groups()) {
    sentence += "; splitting the data keeps each set together";
  }
  findings.push_back({Severity::kNote, FindingKind::kIdentical, sentence + ".", identical});
}

void find_near(const Catalog& catalog, const std::vector<SampleList>& identical,
               const std::vector<NearPair>& pairs, const NearOptions& options,
               std::vector<Finding>& findings) {
  if (pairs.empty()) return;
  std::map<std::size_t, const SampleList*> copies;  // by the image that stands for the others
  for (const SampleList& set : identical) copies[set.front()] = &set;
  const auto all_of = [&](std::size_t image) {
    const auto found = copies.find(image);
    return found == copies.end() ? SampleList{image} : *found->second;
  };
  const auto with = [&](Property property) {
    std::vector<SampleList> result;
    for (const NearPair& pair : pairs) {
      const auto members = pair_with(catalog, all_of(pair.first), all_of(pair.second), property);
      if (members) result.push_back(*members);
    }
    return result;
  };
  const auto add = [&](Severity severity, FindingKind kind, Property property, const char* one,
                       const char* many) {
    const std::vector<SampleList> found = with(property);
    if (found.empty()) return;
    findings.push_back({severity, kind,
                        counted(found.size(), "pair") + " of near-duplicates" +
                            verb(found.size(), one, many) + " (" + near_text(options) + ").",
                        found});
  };
  add(Severity::kLeak, FindingKind::kNearAcrossSplits, &Spread::across_splits,
      " lies in two splits", " lie in two splits");
  add(Severity::kWarning, FindingKind::kNearUnderLabels, &Spread::under_labels,
      " carries different labels", " carry different labels");
  add(Severity::kWarning, FindingKind::kNearWithOutliers, &Spread::with_outliers,
      " has one image among the outliers", " have one image among the outliers");
  std::string sentence = counted(pairs.size(), "pair") + " of near-duplicates";
  if (catalog.has_splits()) {
    const std::size_t across = with(&Spread::across_splits).size();
    sentence += ", " + (across == 0 ? "none" : std::to_string(across)) + " of them across splits";
  }
  findings.push_back({Severity::kNote,
                      FindingKind::kNear,
                      sentence + " (" + near_text(options) + ").",
                      near_sets(pairs),
                      {},
                      pairs});
}

void find_torn_groups(const Catalog& catalog, std::vector<Finding>& findings) {
  std::map<std::string, SampleList> by_group;
  for (std::size_t i = 0; i < catalog.samples.size(); ++i) {
    if (!catalog.samples[i].group.empty()) by_group[catalog.samples[i].group].push_back(i);
  }
  std::vector<SampleList> across;
  std::vector<SampleList> outliers;
  for (const auto& entry : by_group) {
    const Spread spread(catalog, entry.second);
    if (spread.across_splits()) across.push_back(entry.second);
    if (spread.with_outliers()) outliers.push_back(entry.second);
  }
  const auto text = [&](const std::vector<SampleList>& groups) {
    return counted(groups.size(), "group") + " (" + std::to_string(images_in(groups)) +
           " images, such as '" + catalog.samples[groups[0][0]].group + "')" +
           verb(groups.size(), " lies ", " lie ");
  };
  if (!across.empty()) {
    findings.push_back({Severity::kLeak, FindingKind::kGroupAcrossSplits,
                        text(across) + "in more than one split.", across});
  }
  if (!outliers.empty()) {
    findings.push_back({Severity::kWarning, FindingKind::kGroupWithOutliers,
                        text(outliers) + "both among the outliers and elsewhere.", outliers});
  }
}

}  // namespace cubcal
