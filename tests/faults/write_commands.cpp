#include "faults/write_commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cubcal/io/atomic_file.h"
#include "results/example_record.h"

namespace cubcal::test {

namespace {

const std::string kEarlier = "an earlier file\n";

bool is_temporary(const std::string& path) {
  return std::filesystem::path(path).filename().string().rfind(".cubcal-", 0) == 0;
}

}  // namespace

const std::vector<WriteCommand>& write_commands() {
  static const std::vector<WriteCommand> commands = {
      {"example", {"example", "--out", "out", "--samples", "20", "--passes", "2", "--images"}},
      {"evaluate",
       {"evaluate", "test.npz", "--bootstrap", "20", "--json", "out/x.json", "--csv", "out/x.csv",
        "--markdown", "out/x.md", "--latex", "out/x.tex"}},
      {"calibrate", {"calibrate", "val.npz", "--method", "dts", "-o", "out/x.json"}},
      {"apply", {"apply", "test.npz", "--calibration", "cal.json", "-o", "out/x.csv"}},
      {"apply to npz", {"apply", "test.npz", "--calibration", "cal.json", "-o", "out/x.npz"}},
      {"compare",
       {"compare", "test.npz", "test.npz", "--calibration-b", "cal.json", "--bootstrap", "20",
        "--json", "out/x.json", "--csv", "out/x.csv"}},
      {"conformal",
       {"conformal", "val.npz", "--test", "test.npz", "--alpha", "0.2", "-o", "out/x.csv", "--json",
        "out/x.json"}},
      {"audit",
       {"audit", "test.npz", "--by", "site", "--fewest", "2", "--permutations", "20", "--bootstrap",
        "20", "--json", "out/x.json", "--csv", "out/x.csv"}},
      {"benefit",
       {"benefit", "test.npz", "--positive", "1", "--threshold", "0.1:0.5:0.1", "--bootstrap", "20",
        "--json", "out/x.json", "--svg", "out/x.svg", "--csv", "out/x.csv"}},
      {"prevalence",
       {"prevalence", "test.npz", "--new", "val.npz", "--bootstrap", "20", "-o", "out/x.csv",
        "--json", "out/x.json"}},
      {"monitor",
       {"monitor", "val.npz", "test.npz", "--permutations", "80", "--json", "out/x.json", "--csv",
        "out/x.csv", "--html", "out/x.html"}},
      {"adaptive", {"adaptive", "test.npz", "--json", "out/x.json"}},
      {"boundary", {"boundary", "--classes", "3", "--svg", "out/x.svg"}},
      {"results",
       {"results", "records", "--markdown", "out/x.md", "--tables", "out/tables", "--figures",
        "out/figures"}},
      {"data pack", {"data", "pack", "images", "--size", "8", "-o", "out/x.safetensors"}},
      {"data split", {"data", "split", "images", "-o", "out/x.csv"}, true},
      {"data inspect",
       {"data", "inspect", "images", "--html", "out/x.html", "--json", "out/x.json"},
       true},
      {"report",
       {"report", "--logits", "test.npz", "--val", "val.npz", "--bootstrap", "20", "-o",
        "out/x.html"}}};
  return commands;
}

void make_inputs(const std::filesystem::path& folder) {
  const auto run = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = run_cubcal(arguments, folder);
    ASSERT_EQ(outcome.exit_code, 0) << arguments.front() << ": " << outcome.err;
  };
  run({"example", "--out", ".", "--samples", "40", "--passes", "3", "--images"});
  run({"calibrate", "val.npz", "--method", "ts-nll", "-o", "cal.json"});
  // A dozen of the images is enough.
  std::istringstream rows(contents_of(folder / "images" / "labels.csv"));
  std::string first_rows;
  for (std::string row; std::getline(rows, row) && row.rfind("image-12.", 0) != 0;) {
    first_rows += row + "\n";
  }
  write_file_atomically((folder / "images" / "labels.csv").string(), first_rows);
  std::filesystem::create_directory(folder / "records");
  for (const std::uint64_t seed : {1, 2}) {
    write_file_atomically((folder / "records" / (std::to_string(seed) + ".json")).string(),
                          example_record_json("bnn+cub", seed, 0.8).dump());
  }
}

FolderContents contents_of_folder(const std::filesystem::path& folder) {
  FolderContents contents;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    contents[entry.path().lexically_relative(folder).string()] = contents_of(entry.path());
  }
  return contents;
}

Rewriting::Rewriting(const std::filesystem::path& folder, const WriteCommand& command)
    : out_(folder / "out") {
  std::filesystem::remove_all(out_);
  std::filesystem::create_directory(out_);
  const Outcome outcome = run_cubcal(command.arguments, folder);
  EXPECT_EQ(outcome.exit_code, 0) << command.name << ": " << outcome.err;
  new_ = contents_of_folder(out_);
  EXPECT_FALSE(new_.empty()) << command.name;
}

void Rewriting::reset() const {
  std::filesystem::remove_all(out_);
  for (const auto& [path, contents] : new_) {
    std::filesystem::create_directories((out_ / path).parent_path());
    std::ofstream(out_ / path) << kEarlier;
  }
}

void Rewriting::expect_whole(const std::string& after, bool temporary_files_allowed) const {
  expect_no_others(after, temporary_files_allowed);
  for (const auto& [path, contents] : new_) {
    const std::string found = contents_of(out_ / path);
    EXPECT_TRUE(found == kEarlier || found == contents)
        << after << ": " << path << " is neither the earlier file nor the new one";
  }
}

void Rewriting::expect_no_others(const std::string& after, bool temporary_files_allowed) const {
  const FolderContents found = contents_of_folder(out_);
  for (const auto& [path, contents] : found) {
    if (temporary_files_allowed && is_temporary(path)) continue;
    EXPECT_EQ(new_.count(path), 1U) << after << " left " << path;
  }
  for (const auto& [path, contents] : new_) {
    EXPECT_EQ(found.count(path), 1U) << after << ": " << path << " is gone";
  }
}

bool Rewriting::is_complete() const {
  return std::all_of(new_.begin(), new_.end(), [this](const auto& file) {
    return contents_of(out_ / file.first) == file.second;
  });
}

}  // namespace cubcal::test
