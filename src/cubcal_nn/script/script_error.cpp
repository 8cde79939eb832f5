#include "cubcal_nn/script/script_error.h"

#include <c10/util/Exception.h>

#include <sstream>
#include <vector>

#include "cubcal/core/words.h"

namespace cubcal {

namespace {

constexpr std::size_t kLongest = 300;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    lines.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
  }
  return lines;
}

/// Of the many ways to say that there is a GPU's name in a file and no GPU.
bool wants_gpu(const std::string& line) {
  for (const char* words : {"'CUDA' backend", "linked with support for cuda", "compiled with CUDA",
                            "without ATen_cuda", "no CUDA-capable device", "No CUDA GPUs"}) {
    if (line.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string script_problem(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::vector<std::string> lines =
      lines_of(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
  if (lines.empty()) return "LibTorch gives no reason";
  // A traceback of the interpreter ends in what happened; everything else begins with it.
  const bool is_traceback = starts_with(lines.front(), "The following operation failed");
  std::string line = is_traceback ? lines.back() : lines.front();
  for (const char* prefix : {"RuntimeError: ", "[enforce fail"}) {
    if (!starts_with(line, prefix)) continue;
    const std::string rest = line.substr(std::string(prefix).size());
    const std::size_t colon = rest.find(". ");  // "at inline_container.cc:257] . what happened"
    line = prefix[0] == '[' && colon != std::string::npos ? rest.substr(colon + 2) : rest;
  }
  if (wants_gpu(line)) return "it names a GPU, and there is none: save it on the CPU";
  if (line.size() > kLongest) line = line.substr(0, kLongest) + "...";
  while (!line.empty() && line.back() == '.') line.pop_back();
  return line;
}

}  // namespace cubcal
