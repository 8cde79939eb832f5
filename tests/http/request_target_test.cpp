#include "cubcal/http/request_target.h"

#include "http/expect_status.h"

namespace cubcal::test {
namespace {

TEST(RequestTarget, DecodesPathAndQuery) {
  const RequestTarget target = parse_target("/v1//models/a%2Fb+c/?x=1+2%20&y&=z&x=4&n=%C3%A4");
  EXPECT_EQ(target.segments, (std::vector<std::string>{"v1", "models", "a/b+c"}));
  EXPECT_EQ(target.query,
            (std::map<std::string, std::string>{{"x", "4"}, {"y", ""}, {"n", "\xC3\xA4"}}));
  EXPECT_TRUE(parse_target("/").segments.empty());
  EXPECT_EQ(parse_target("/?").query.size(), 0U);
}

TEST(RequestTarget, RefusesWhatIsNone) {
  for (const std::string text : {"", "v1", "http://a/", "/%", "/%4", "/%zz", "/a?b=%0", "/%00"}) {
    EXPECT_EQ(thrown_status([&] { parse_target(text); }), 400) << text;
  }
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += "/a";
  EXPECT_EQ(thrown_status([&] { parse_target(deep); }), 400);
}

}  // namespace
}  // namespace cubcal::test
