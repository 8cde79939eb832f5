#include "cubcal/http/bearer_token.h"

#include <filesystem>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"
#include "http/expect_status.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

TEST(BearerToken, EqualOnlyWhereEveryCharacterIs) {
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_in_constant_time("secretsecret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", ""));
}

TEST(BearerToken, NeedsTheHeader) {
  const auto status = [](const std::string& value) {
    return thrown_status([&] { check_bearer({{"authorization", value}}, "0123456789abcdef"); });
  };
  EXPECT_EQ(status("Bearer 0123456789abcdef"), 0);
  EXPECT_EQ(status("bearer  0123456789abcdef "), 0);
  EXPECT_EQ(status("Bearer 0123456789abcdeF"), 401);
  EXPECT_EQ(status("Basic 0123456789abcdef"), 401);
  EXPECT_EQ(status("Bearer"), 401);
  EXPECT_EQ(thrown_status([] { check_bearer({}, "0123456789abcdef"); }), 401);
}

TEST(BearerToken, FileMustBeLongPlainAndPrivate) {
  const ScratchFolder folder;
  const std::string path = folder.file("token");
  write_file_atomically(path, "0123456789abcdef\nmore\n");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_EQ(read_token_file(path), "0123456789abcdef");
  fs::permissions(path, fs::perms::owner_read | fs::perms::others_read);
  EXPECT_THROW(read_token_file(path), DataError);
  fs::remove(path);
  write_file_atomically(path, "short\n");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_THROW(read_token_file(path), DataError);
}

}  // namespace
}  // namespace cubcal::test
