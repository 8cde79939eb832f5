#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/shard/merge_shards.h"
#include "logits_input.h"

namespace cubcal::app {

namespace {

void merge(const std::vector<std::string>& shards, const std::string& output) {
  check_output(output, shards);
  const MergeResult result = merge_shards(shards, output);
  if (!result.warning.empty()) std::cerr << "cubcal: warning: " << result.warning << '\n';
  std::cout << "wrote " << output << ": " << result.kind << " of " << result.images
            << (result.images == 1 ? " image" : " images") << " from " << result.shards
            << (result.shards == 1 ? " shard" : " shards");
  if (result.unreadable > 0) std::cout << "; " << result.unreadable << " could not be read";
  std::cout << '\n';
}

}  // namespace

void add_merge(CLI::App& app) {
  auto shards = std::make_shared<std::vector<std::string>>();
  auto output = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("merge", "Put the shards of 'cubcal predict' or 'cubcal logits' together");
  command->add_option("SHARD", *shards, "All shards of one job, in any order")->required();
  command->add_option("-o,--output", *output, "The file to write")->required();
  command->footer(
      "The file is the one that the same command without --shard writes, byte for byte ('predict'\n"
      "with --no-time). Shards of different models, settings or images, shards that are missing "
      "and\n"
      "shards that are there twice are refused. Lines of predictions pass through: memory does "
      "not\n"
      "grow with their number.\n\n"
      "Example:\n"
      "  cubcal merge answers.*-of-4.jsonl -o answers.jsonl");
  command->callback([shards, output] { merge(*shards, *output); });
}

}  // namespace cubcal::app
