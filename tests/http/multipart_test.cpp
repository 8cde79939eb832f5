#include "cubcal/http/multipart.h"

#include "cubcal/http/media_type.h"
#include "http/expect_status.h"

namespace cubcal::test {
namespace {

TEST(MediaType, ReadsParameters) {
  const MediaType type =
      parse_media_type("Multipart/Form-Data; charset=x ; boundary=\"a;\\\"b\" ; junk; Boundary=no");
  EXPECT_EQ(type.name, "multipart/form-data");
  EXPECT_EQ(type.parameters.at("boundary"), "a;\"b");
  EXPECT_EQ(type.parameters.at("charset"), "x");
  EXPECT_EQ(parse_media_type("").name, "");
  EXPECT_EQ(parse_media_type(";=;;=\"").name, "");
}

const std::string kBody =
    "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n"
    "Content-Type: image/PNG\r\n\r\nby\r\n--x\r\ntes\r\n--b\r\n"
    "content-disposition: form-data; name=note\r\n\r\n\r\n--b--\r\nepilogue";

TEST(Multipart, FindsParts) {
  const std::vector<BodyPart> parts = multipart_parts(kBody, "b", 2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "image");
  EXPECT_EQ(parts[0].file_name, "a.png");
  EXPECT_EQ(parts[0].type, "image/png");
  EXPECT_EQ(parts[0].content, "by\r\n--x\r\ntes");
  EXPECT_EQ(parts[1].name, "note");
  EXPECT_EQ(parts[1].file_name, "");
  EXPECT_EQ(parts[1].content, "");
}

TEST(Multipart, RefusesWhatIsBroken) {
  const auto status = [](const std::string& body, const std::string& boundary, std::size_t most) {
    return thrown_status([&] { multipart_parts(body, boundary, most); });
  };
  EXPECT_EQ(status(kBody, "b", 1), 413);
  EXPECT_EQ(status(kBody, "", 9), 400);
  EXPECT_EQ(status(kBody, std::string(71, 'b'), 9), 400);
  EXPECT_EQ(status(kBody, "other", 9), 400);
  EXPECT_EQ(status(kBody.substr(0, kBody.size() - 20), "b", 9), 400);
  EXPECT_EQ(status("--b\r\nno end of headers", "b", 9), 400);
  EXPECT_EQ(status("--bx\r\n\r\n\r\n--b--", "b", 9), 400);
  EXPECT_EQ(status("--b--", "b", 9), 0);
}

// Cut anywhere, it is refused or read, and never looked at beyond its end.
TEST(Multipart, MayBeCutAnywhere) {
  for (std::size_t length = 0; length < kBody.size(); ++length) {
    const std::string body = kBody.substr(0, length);
    const int status = thrown_status([&] { multipart_parts(body, "b", 9); });
    EXPECT_TRUE(status == 400 || status == 0) << length;
  }
}

}  // namespace
}  // namespace cubcal::test
