#include "cubcal/http/request_check.h"

#include "http/expect_status.h"

namespace cubcal::test {
namespace {

int framing(HttpHeaders headers) {
  headers.emplace_back("host", "localhost");
  return thrown_status([&] { check_framing(headers); });
}

TEST(RequestCheck, RefusesFramingThatCanBeReadTwoWays) {
  EXPECT_EQ(framing({}), 0);
  EXPECT_EQ(framing({{"content-length", "12"}}), 0);
  EXPECT_EQ(framing({{"transfer-encoding", "Chunked"}}), 0);
  EXPECT_EQ(framing({{"content-length", "12"}, {"transfer-encoding", "chunked"}}), 400);
  EXPECT_EQ(framing({{"content-length", "12"}, {"content-length", "12"}}), 400);
  EXPECT_EQ(framing({{"content-length", "+12"}}), 400);
  EXPECT_EQ(framing({{"content-length", "12, 12"}}), 400);
  EXPECT_EQ(framing({{"content-length", ""}}), 400);
  EXPECT_EQ(framing({{"content-length", "9999999999999999999"}}), 400);
  EXPECT_EQ(framing({{"transfer-encoding", "gzip, chunked"}}), 400);
  EXPECT_EQ(framing({{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}}), 400);
  EXPECT_EQ(framing({{"host", "other"}}), 400);
  for (const std::string name : {"transfer-encoding ", "\x0btransfer-encoding", "content-length\t",
                                 "content-length\x80", "", "a b", "a(b"}) {
    EXPECT_EQ(framing({{name, "chunked"}}), 400) << name;
  }
  EXPECT_EQ(framing({{std::string("content-length\0x", 16), "5"}}), 400);
  EXPECT_EQ(framing({{"x-a!#$%&'*+.^_`|~9", "1"}}), 0);
  EXPECT_EQ(thrown_status([] { check_framing({}); }), 400);
}

int origin(const std::string& host, const std::string& from, bool only_this_machine) {
  HttpHeaders headers = {{"host", host}};
  if (!from.empty()) headers.emplace_back("origin", from);
  return thrown_status([&] { check_origin(headers, only_this_machine); });
}

TEST(RequestCheck, PagesOfOtherSitesAreRefused) {
  EXPECT_EQ(origin("localhost:8080", "", true), 0);
  EXPECT_EQ(origin("localhost:8080", "http://localhost:8080", true), 0);
  EXPECT_EQ(origin("localhost:8080", "http://evil.example", true), 403);
  EXPECT_EQ(origin("localhost:8080", "null", true), 403);
  EXPECT_EQ(origin("evil.example:8080", "http://evil.example:8080", true), 403);
  EXPECT_EQ(origin("scans.example", "https://scans.example", false), 0);
  EXPECT_EQ(origin("127.0.0.1:1", "", true), 0);
  EXPECT_EQ(origin("127.evil.example", "", true), 403);
  EXPECT_EQ(origin("[::1]:8080", "", true), 0);
}

}  // namespace
}  // namespace cubcal::test
