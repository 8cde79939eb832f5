// Runs every snippet of the documentation, page by page, each page in a scratch folder of its own:
// ```sh through the shell with the program on the PATH, ```cpp compiled as a whole program against
// the library, ```python with the package of this build and what the machine has of NumPy, torch
// and matplotlib. The page of results is made again.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/program.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

struct Snippet {
  std::string language;
  std::string text;
  int line;
};

std::vector<Snippet> snippets_of(const fs::path& page) {
  std::vector<Snippet> snippets;
  std::ifstream in(page);
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.rfind("```", 0) == 0) {
      if (!inside) snippets.push_back({line.substr(3), "", number + 1});
      inside = !inside;
    } else if (inside) {
      snippets.back().text += line + "\n";
    }
  }
  EXPECT_FALSE(inside) << page << " has an open code block";
  return snippets;
}

/// What a snippet in Python imports and the machine lacks; empty where there is nothing.
std::string lacking(const Snippet& snippet) {
  for (const std::string module : {"numpy", "torch", "matplotlib"}) {
    if (snippet.text.find("import " + module) == std::string::npos &&
        snippet.text.find("cubcal." + module) == std::string::npos) {
      continue;
    }
    const std::string command = CUBCAL_PYTHON " -c 'import " + module + "' 2>/dev/null";
    if (std::system(command.c_str()) != 0) return "Debian's python3-" + module;
  }
  const bool wants_package = snippet.text.find("import cubcal") != std::string::npos;
  return wants_package && std::string(CUBCAL_PYTHON_PACKAGE).empty() ? "the Python package" : "";
}

class Page : public testing::TestWithParam<fs::path> {
 protected:
  /// Runs a shell line in the page's folder; its output is shown when it fails.
  void expect_success(const std::string& command, const Snippet& snippet) {
    const std::string shell = "cd '" + scratch_.path().string() + "' && PATH='" +
                              fs::path(CUBCAL_PROGRAM).parent_path().string() + "':$PATH && (" +
                              command + ") > log 2>&1";
    EXPECT_EQ(std::system(shell.c_str()), 0)
        << GetParam() << ":" << snippet.line << "\n"
        << snippet.text << contents_of(scratch_.path() / "log");
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(scratch_.path() / name) << text;
  }

  ScratchFolder scratch_;
};

TEST_P(Page, SnippetsRun) {
  for (const Snippet& snippet : snippets_of(GetParam())) {
#ifndef CUBCAL_NN
    for (const char* command :
         {"cubcal train", "cubcal demo", "cubcal experiment", "cubcal import"}) {
      if (snippet.text.find(command) != std::string::npos) {
        GTEST_SKIP() << "this page's snippets need the network half";
      }
    }
#endif
#ifndef CUBCAL_SERVE
    if (snippet.language == "sh" && snippet.text.find("cubcal serve") != std::string::npos) {
      GTEST_SKIP() << "this page's snippets need libmicrohttpd";
    }
#endif
    if (snippet.language == "sh") {
      write("snippet.sh", "set -e\n" + snippet.text);
      expect_success("sh snippet.sh", snippet);
    } else if (snippet.text.find("cubcal/classifier.h") != std::string::npos) {
      continue;  // needs LibTorch to link: the test `install` builds and runs it
    } else if (snippet.language == "cpp") {
      write("snippet.cpp", snippet.text);
      expect_success(CUBCAL_COMPILE " snippet.cpp -o snippet " CUBCAL_LINK " && ./snippet",
                     snippet);
    } else if (snippet.language == "python") {
      const std::string missing = lacking(snippet);
      if (!missing.empty()) GTEST_SKIP() << "this page's snippets need " << missing;
      write("snippet.py", snippet.text);
      expect_success("MPLBACKEND=Agg PYTHONPATH='" CUBCAL_PYTHON_PACKAGE "' " CUBCAL_PYTHON
                     " snippet.py",
                     snippet);
    } else {
      EXPECT_EQ(snippet.language, "text")
          << GetParam() << ":" << snippet.line << " must say sh, cpp, python or text";
    }
  }
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found{fs::path(CUBCAL_DOCS).parent_path() / "README.md"};
  for (const auto& entry : fs::directory_iterator(CUBCAL_DOCS)) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Docs, Page, testing::ValuesIn(pages()), [](const auto& page) {
  const bool top = page.param.parent_path().filename() != "docs";
  std::string name = (top ? "top_" : "") + page.param.stem().string();
  for (char& character : name) {
    if (!std::isalnum(static_cast<unsigned char>(character))) character = '_';
  }
  return name;
});

// Links between pages, and to pictures, lead somewhere.
TEST_P(Page, LinksLeadSomewhere) {
  std::istringstream text(contents_of(GetParam()));
  std::string line;
  while (std::getline(text, line)) {
    for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
      std::string target = line.substr(at + 2, line.find(')', at) - at - 2);
      if (target.rfind("http", 0) == 0 || target.rfind("#", 0) == 0) continue;
      target = target.substr(0, target.find('#'));
      EXPECT_TRUE(fs::exists(GetParam().parent_path() / target)) << GetParam() << ": " << target;
    }
  }
}

// docs/results.md is what the command it names makes of the records, and shows every chart there
// is.
TEST(ResultsPage, IsWhatItsCommandMakesOfTheRecords) {
  const fs::path docs = CUBCAL_DOCS;
  const std::string page = contents_of(docs / "results.md");
  const std::size_t start = page.find("Made by `cubcal ") + 16;
  const std::string command = page.substr(start, page.find(" --markdown", start) - start);
  std::istringstream words(command);
  std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
  const ScratchFolder scratch;
  fs::create_directory(scratch.path() / "docs");
  arguments.insert(arguments.end(), {"--markdown", scratch.file("docs/results.md"), "--figures",
                                     scratch.file("docs/images")});
  const Outcome outcome = run_cubcal(arguments, docs.parent_path());
  ASSERT_EQ(outcome.exit_code, 0) << command << outcome.err;
  EXPECT_TRUE(contents_of(scratch.path() / "docs/results.md") == page)
      << "docs/results.md is out of date: " << command;
  for (const auto& entry : fs::directory_iterator(docs / "images")) {
    const std::string name = entry.path().filename().string();
    const bool is_result = name.find("-price.svg") != std::string::npos ||
                           name.find("-uncertainty.svg") != std::string::npos ||
                           name.find("-boundary.svg") != std::string::npos;
    if (!is_result) continue;
    EXPECT_NE(page.find("(images/" + name + ")"), std::string::npos) << name << " is shown nowhere";
  }
}

}  // namespace
}  // namespace cubcal::test
