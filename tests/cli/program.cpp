#include "cli/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cubcal::test {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    result += character == '\'' ? "'\\''" : std::string(1, character);
  }
  return result + "'";
}

}  // namespace

Outcome run_cubcal(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                   const std::map<std::string, std::string>& variables) {
  const ScratchFolder streams;
  std::string command = "cd " + quoted(folder.string()) + " &&";
  for (const auto& [name, value] : variables) command += " " + name + "=" + quoted(value);
  command += " " + quoted(CUBCAL_PROGRAM);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command +=
      " >" + quoted(streams.file("out")) + " 2>" + quoted(streams.file("err")) + " </dev/null";
  const int status = std::system(command.c_str());
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {exit_code, contents_of(streams.path() / "out"), contents_of(streams.path() / "err")};
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "cubcal-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch folder");
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace cubcal::test
