#include "cubcal/dataset/splitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cubcal/core/seed_stream.h"
#include "dataset/set_fixtures.h"

namespace cubcal::test {
namespace {

Catalog empty_set(std::size_t classes) {
  Catalog catalog;
  catalog.path = "set";
  for (std::size_t k = 0; k < classes; ++k) catalog.class_names.push_back("c" + std::to_string(k));
  return catalog;
}

void add(Catalog& catalog, std::int64_t label, const std::string& group,
         const std::vector<std::string>& metadata = {}) {
  const std::string name = label < 0 ? "odd" : catalog.class_names[static_cast<std::size_t>(label)];
  catalog.samples.push_back(
      {std::to_string(catalog.samples.size()) + ".png", label, name, group, "", metadata});
}

void shuffle(Catalog& catalog, SeedStream& random) {
  for (std::size_t i = catalog.samples.size(); i > 1; --i) {
    std::swap(catalog.samples[i - 1], catalog.samples[random.below(static_cast<std::uint32_t>(i))]);
  }
}

/// Groups of 1 to 9 samples; with `mixed` a few of them are of two classes.
Catalog random_set(SeedStream& random, bool mixed) {
  const std::uint32_t classes = 2 + random.below(5);
  Catalog catalog = empty_set(classes);
  const std::uint32_t groups = 20 + random.below(300);
  for (std::uint32_t g = 0; g < groups; ++g) {
    const std::uint32_t size = 1 + random.below(1 + random.below(9));
    const auto label = static_cast<std::int64_t>(random.below(1 + random.below(classes)));
    const bool is_mixed = mixed && random.below(10) == 0;
    for (std::uint32_t i = 0; i < size; ++i) {
      add(catalog, is_mixed ? static_cast<std::int64_t>(random.below(classes)) : label,
          random.below(4) == 0 && size == 1 ? "" : "g" + std::to_string(g));
    }
  }
  if (random.below(2) == 0) add(catalog, kNoLabel, "odd");
  return catalog;
}

SplitOptions shares(double train, double val, double test, std::uint64_t seed = 42) {
  SplitOptions options;
  options.train = train;
  options.val = val;
  options.test = test;
  options.seed = seed;
  return options;
}

std::map<std::string, std::string> split_by_file(const Catalog& catalog) {
  std::map<std::string, std::string> splits;
  for (const Sample& sample : catalog.samples) splits[sample.file] = sample.split;
  return splits;
}

std::size_t largest_group(const Catalog& catalog) {
  std::map<std::string, std::size_t> sizes;
  std::size_t largest = 1;
  for (const Sample& sample : catalog.samples) {
    if (!sample.group.empty()) largest = std::max(largest, ++sizes[sample.group]);
  }
  return largest;
}

void expect_groups_whole(const Catalog& catalog) {
  std::map<std::string, std::string> split_of;
  for (const Sample& sample : catalog.samples) {
    if (sample.group.empty() || sample.label == kNoLabel) continue;
    EXPECT_EQ(split_of.emplace(sample.group, sample.split).first->second, sample.split)
        << sample.group;
  }
}

/// The largest distance of a count of class and split to its share.
double largest_deviation(const Catalog& catalog, const SplitOptions& options) {
  const double sum = options.train + options.val + options.test;
  double largest = 0;
  for (const std::string& name : catalog.class_names) {
    const double all = static_cast<double>(
        std::count_if(catalog.samples.begin(), catalog.samples.end(),
                      [&](const Sample& sample) { return sample.label_name == name; }));
    for (const auto& [split, share] : {std::pair<std::string, double>{"train", options.train},
                                       {"val", options.val},
                                       {"test", options.test}}) {
      const auto count = static_cast<double>(count_of(catalog, name, split));
      largest = std::max(largest, std::abs(count - share / sum * all));
    }
  }
  return largest;
}

TEST(Splitting, HoldsOnRandomSets) {
  SeedStream random(7, 0);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    const bool mixed = round % 2 == 1;
    Catalog catalog = random_set(random, mixed);
    const SplitOptions options =
        shares(1 + random.below(8), random.below(4), random.below(4), random.next_u64());
    const Catalog split = split_catalog(catalog, options);
    ASSERT_EQ(files_of(split), files_of(catalog));
    expect_groups_whole(split);
    EXPECT_LE(largest_deviation(split, options), static_cast<double>(largest_group(catalog)));
    for (const Sample& sample : split.samples) {
      EXPECT_EQ(sample.split == kOutlierSplit, sample.label == kNoLabel);
      EXPECT_FALSE(sample.split == "val" && options.val == 0);
      EXPECT_FALSE(sample.split == "test" && options.test == 0);
    }
    shuffle(catalog, random);
    EXPECT_EQ(split_by_file(split_catalog(catalog, options)), split_by_file(split));
  }
}

TEST(Splitting, WithoutGroupsIsExact) {
  Catalog catalog = empty_set(2);
  for (int i = 0; i < 100; ++i) add(catalog, i < 80 ? 0 : 1, "");
  const Catalog split = split_catalog(catalog, shares(70, 15, 15));
  EXPECT_EQ(count_of(split, "c0", "train"), 56u);
  EXPECT_EQ(count_of(split, "c0", "val"), 12u);
  EXPECT_EQ(count_of(split, "c0", "test"), 12u);
  EXPECT_EQ(count_of(split, "c1", "train"), 14u);
  EXPECT_EQ(count_of(split, "c1", "val"), 3u);
  EXPECT_EQ(count_of(split, "c1", "test"), 3u);
  EXPECT_EQ(split_by_file(split), split_by_file(split_catalog(catalog, shares(70, 15, 15))));
  EXPECT_NE(split_by_file(split), split_by_file(split_catalog(catalog, shares(70, 15, 15, 43))));
}

TEST(Splitting, GivesLargeGroupsToEverySplit) {
  Catalog catalog = empty_set(2);
  for (int g = 0; g < 200; ++g) {
    for (int i = 0; i < (g < 100 ? 9 : 1); ++i) add(catalog, g % 2, "g" + std::to_string(g));
  }
  const Catalog split = split_catalog(catalog, shares(70, 15, 15));
  std::map<std::string, std::set<std::string>> large;
  for (const Sample& sample : split.samples) {
    if (std::stoi(sample.group.substr(1)) < 100) large[sample.split].insert(sample.group);
  }
  EXPECT_NEAR(static_cast<double>(large["train"].size()), 70, 4);
  EXPECT_NEAR(static_cast<double>(large["val"].size()), 15, 3);
  EXPECT_NEAR(static_cast<double>(large["test"].size()), 15, 3);
}

TEST(Splitting, CopesWithOneHugeGroupAndTinyClasses) {
  Catalog catalog = empty_set(4);
  for (int i = 0; i < 90; ++i) add(catalog, 0, "huge");
  for (int i = 0; i < 10; ++i) add(catalog, 0, "");
  add(catalog, 1, "");
  add(catalog, 2, "");
  add(catalog, 2, "");
  for (int i = 0; i < 3; ++i) add(catalog, 3, "");
  const Catalog split = split_catalog(catalog, shares(70, 15, 15));
  expect_groups_whole(split);
  EXPECT_EQ(count_of(split, "c0", "train"), 90u);
  EXPECT_EQ(count_of(split, "c0", "val"), 5u);
  EXPECT_EQ(count_of(split, "c0", "test"), 5u);
  EXPECT_EQ(count_of(split, "c1", "train"), 1u);
  EXPECT_EQ(count_of(split, "c2", "train"), 2u);
  EXPECT_EQ(count_of(split, "c3", "train"), 2u);
}

TEST(Splitting, KeepsDuplicatesTogetherWithTheirGroups) {
  Catalog catalog = empty_set(2);
  for (int i = 0; i < 60; ++i) add(catalog, i % 2, "g" + std::to_string(i / 2));
  add(catalog, 0, "");
  const std::vector<std::vector<std::size_t>> together = {{0, 20, 60}, {21, 40}, {5, 7}};
  const Catalog plain = split_catalog(catalog, {});
  const Catalog split = split_catalog(catalog, {}, together);
  const auto of = [&](std::size_t i) { return split.samples[i].split; };
  for (const std::size_t i : {1, 20, 21, 40, 41, 60}) EXPECT_EQ(of(i), of(0)) << i;
  EXPECT_EQ(of(5), of(7));
  EXPECT_EQ(split.split_names(), (Names{"train", "val", "test"}));
  const Catalog none = split_catalog(catalog, {}, {});
  for (std::size_t i = 0; i < 61; ++i) EXPECT_EQ(none.samples[i].split, plain.samples[i].split);
}

TEST(Splitting, StratifiesByColumnsToo) {
  Catalog catalog = empty_set(2);
  catalog.columns = {"source", "site"};
  SeedStream random(3, 0);
  for (int i = 0; i < 1000; ++i) {
    const std::string source = random.below(5) == 0 ? "rare" : "common";
    add(catalog, random.below(3) == 0 ? 1 : 0, "", {source, std::to_string(i)});
  }
  SplitOptions options = shares(70, 15, 15);
  options.stratify_by = {"source"};
  const Catalog split = split_catalog(catalog, options);
  EXPECT_LE(largest_deviation(split, options), 2);
  for (std::int64_t label = 0; label < 2; ++label) {
    for (const std::string source : {"rare", "common"}) {
      double all = 0, in_val = 0;
      for (const Sample& sample : split.samples) {
        if (sample.label != label || sample.metadata[0] != source) continue;
        ++all;
        in_val += sample.split == "val";
      }
      EXPECT_NEAR(in_val, 0.15 * all, 1.5) << label << source;
    }
  }
  // A column of single values leaves the classes as they should be.
  options.stratify_by = {"site"};
  EXPECT_LE(largest_deviation(split_catalog(catalog, options), options), 2);
  options.stratify_by = {"size"};
  EXPECT_TRUE(contains(message_of<ArgumentError>([&] { split_catalog(catalog, options); }),
                       "'set' has no column 'size'"));
}

TEST(Splitting, ChecksItsShares) {
  Catalog catalog = empty_set(2);
  add(catalog, 0, "");
  add(catalog, 1, "");
  EXPECT_EQ(message_of<ArgumentError>([&] { split_catalog(catalog, shares(-1, 1, 1)); }),
            "the share of train must be at least 0, not -1");
  EXPECT_EQ(message_of<ArgumentError>([&] { split_catalog(catalog, shares(0, 0, 0)); }),
            "the sum of the shares must be a positive number, not 0");
  EXPECT_THROW(split_catalog(catalog, shares(1, NAN, 1)), ArgumentError);
  EXPECT_THROW(split_catalog(catalog, shares(1, INFINITY, 1)), ArgumentError);
  EXPECT_EQ(message_of<DataError>([&] { split_catalog(empty_set(0), {}); }),
            "'set' has no classes, which splits are stratified by; images without labels can be "
            "predicted, not split");
}

TEST(Fraction, IsNestedAndLeavesOtherSplitsAlone) {
  SeedStream random(11, 0);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    const bool mixed = round % 2 == 1;
    const Catalog whole = split_catalog(random_set(random, mixed), shares(6, 2, 2));
    std::set<std::string> smaller;
    for (const double fraction : {0.01, 0.1, 0.25, 0.5, 0.77, 1.0}) {
      const Catalog part = take_fraction(whole, fraction, 5);
      const Names files = files_of(part);
      const std::set<std::string> kept(files.begin(), files.end());
      EXPECT_TRUE(std::includes(kept.begin(), kept.end(), smaller.begin(), smaller.end()));
      smaller = kept;
      for (const std::string& name : whole.class_names) {
        EXPECT_EQ(count_of(part, name, "test"), count_of(whole, name, "test"));
        EXPECT_TRUE(mixed ||
                    (count_of(part, name, "train") > 0) == (count_of(whole, name, "train") > 0));
      }
      EXPECT_EQ(count_of(part, "odd", "ood"), count_of(whole, "odd", "ood"));
    }
    EXPECT_EQ(smaller.size(), whole.samples.size());
  }
}

TEST(Fraction, KeepsWholeGroupsOfEveryClass) {
  Catalog catalog = empty_set(3);
  for (int g = 0; g < 120; ++g) {
    for (int i = 0; i < 3; ++i) add(catalog, g < 80 ? 0 : g < 118 ? 1 : 2, "g" + std::to_string(g));
  }
  for (Sample& sample : catalog.samples) sample.split = "train";
  const Catalog part = take_fraction(catalog, 0.25, 1);
  EXPECT_EQ(count_of(part, "c0", "train"), 60u);
  EXPECT_EQ(count_of(part, "c1", "train"), 30u);  // 9.5 groups, rounded up
  EXPECT_EQ(count_of(part, "c2", "train"), 3u);   // at least one group
  EXPECT_NE(files_of(part), files_of(take_fraction(catalog, 0.25, 2)));
  EXPECT_THROW(take_fraction(catalog, 0, 1), ArgumentError);
  EXPECT_EQ(message_of<ArgumentError>([&] { take_fraction(catalog, 1.5, 1); }),
            "the share of the images to keep must be in [0, 1], not 1.5");
}

TEST(Balancing, BringsEveryClassToTheLargest) {
  std::vector<std::int64_t> labels(11, 0);
  labels.insert(labels.end(), {1, 1, 1, 1, 3});
  const std::vector<std::size_t> members = balanced_members(labels, 4, 9);
  ASSERT_EQ(members.size(), 33u);
  std::map<std::size_t, int> times;
  for (std::size_t place = 0; place < members.size(); ++place) {
    EXPECT_TRUE(place >= labels.size() || members[place] == place);
    ++times[members[place]];
  }
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(times[i], 1);
  for (std::size_t i = 11; i < 15; ++i) {
    EXPECT_GE(times[i], 2);
    EXPECT_LE(times[i], 3);
  }
  EXPECT_EQ(times[15], 11);
  EXPECT_EQ(members, balanced_members(labels, 4, 9));
  EXPECT_NE(members, balanced_members(labels, 4, 10));
  EXPECT_TRUE(balanced_members({}, 2, 1).empty());
  EXPECT_EQ(message_of<ArgumentError>([] {
              balanced_members({0, -1}, 2, 1);
            }),
            "the label -1 cannot be balanced: labels must be in 0..1");
}

}  // namespace
}  // namespace cubcal::test
