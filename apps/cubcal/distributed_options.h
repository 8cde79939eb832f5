#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace cubcal {
struct RankSplit;
struct Recipe;
}  // namespace cubcal

namespace cubcal::app {

struct DistributedOptions {
  std::string over;      ///< "images" or "passes"; empty: one process
  double timeout = 600;  ///< seconds

  bool is_wanted() const { return !over.empty(); }
};

void add_distributed_options(CLI::App& command, DistributedOptions& options);

/// The processes that train with this one, whose launcher told them of each other.
class RankMeeting {
 public:
  /// Reads the launcher's variables; throws ArgumentError where they do not fit together.
  RankMeeting(const DistributedOptions& options, bool threads_given);
  ~RankMeeting();

  bool is_first() const;
  /// Meets the other ranks, and fits the recipe to this one: its GPU and its share of the
  /// processors. The first says in a line of stdout who trains.
  const RankSplit* join(Recipe& recipe);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cubcal::app
