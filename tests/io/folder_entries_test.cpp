#include "cubcal/io/folder_entries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

TEST(FolderEntries, TellsFilesFoldersAndLinksApart) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder.file("file"), "x");
  std::filesystem::create_directory(folder.file("inner"));
  std::filesystem::create_symlink("file", folder.file("to_file"));
  std::filesystem::create_directory_symlink("inner", folder.file("to_folder"));
  std::filesystem::create_symlink("nothing", folder.file("to_nothing"));
  std::vector<std::string> found;
  for (const FolderEntry& entry : folder_entries(folder.path())) {
    found.push_back(entry.name + (entry.is_file ? " file" : "") +
                    (entry.is_folder ? " folder" : "") + (entry.is_link ? " link" : ""));
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::string>{"file file", "inner folder", "to_file file link",
                                             "to_folder folder link", "to_nothing link"}));
}

TEST(FolderEntries, WhatIsNoFolderIsAnError) {
  const test::TemporaryFolder folder;
  test::expect_error<IoError>([&] { folder_entries(folder.file("none")); },
                              "cannot read the folder '" + folder.file("none") + "'");
}

}  // namespace
}  // namespace cubcal
