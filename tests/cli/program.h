#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cubcal::test {

/// What a run of the real program gave.
struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

/// Runs build/cubcal with these arguments in a second process; `folder` becomes its working folder,
/// and the variables are added to its environment.
Outcome run_cubcal(const std::vector<std::string>& arguments,
                   const std::filesystem::path& folder = std::filesystem::current_path(),
                   const std::map<std::string, std::string>& variables = {});

/// A fresh folder that is removed with everything in it at the end of the test.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string contents_of(const std::filesystem::path& path);

}  // namespace cubcal::test
