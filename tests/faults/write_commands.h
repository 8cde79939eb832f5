#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/program.h"

/// Every command of the numeric half that writes files, as the tests of faults and kills run it.
namespace cubcal::test {

/// Writes into the folder out/, from what make_inputs() puts beside it.
struct WriteCommand {
  std::string name;
  std::vector<std::string> arguments;
  bool tells_of_files = false;  ///< what it writes tells of files that cannot be read
};

const std::vector<WriteCommand>& write_commands();

/// What the commands read: logits, a calibration, images, records. The folder must be empty.
void make_inputs(const std::filesystem::path& folder);

/// The files of a folder at any depth, by their path within it, with their bytes.
using FolderContents = std::map<std::string, std::string>;
FolderContents contents_of_folder(const std::filesystem::path& folder);

/// The files a command writes, put where earlier ones lay.
class Rewriting {
 public:
  /// Runs the command once, to see what it writes.
  Rewriting(const std::filesystem::path& folder, const WriteCommand& command);

  /// Puts the earlier files in place.
  void reset() const;
  /// Expects the files to be there and no others, but for temporary ones where they are allowed.
  void expect_no_others(const std::string& after, bool temporary_files_allowed) const;
  /// And each to be the earlier or the new one, byte for byte.
  void expect_whole(const std::string& after, bool temporary_files_allowed) const;
  /// Whether all files are the new ones.
  bool is_complete() const;

 private:
  std::filesystem::path out_;
  FolderContents new_;
};

}  // namespace cubcal::test
