#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cubcal/image/image_codec.h"

namespace cubcal {
namespace {

TEST(ImageCodecs, NameEachFormatAndExtensionOnce) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (const ImageCodec& codec : image_codecs()) {
    EXPECT_TRUE(names.insert(codec.name).second) << codec.name;
    EXPECT_FALSE(codec.extensions.empty()) << codec.name;
    for (const std::string_view extension : codec.extensions) {
      EXPECT_TRUE(extensions.insert(extension).second) << extension;
    }
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"PNG", "JPEG", "TIFF", "BMP", "WebP", "GIF",
                                               "JPEG 2000", "JPEG XL", "DICOM"}));
}

TEST(ImageCodecs, DicomBehindTheHeadOfATiffIsDicom) {
  const std::string both = std::string("II*\0", 4) + std::string(124, '\0') + "DICM";
  for (const ImageCodec& codec : image_codecs()) {
    EXPECT_EQ(codec.recognises(both), codec.name == "DICOM") << codec.name;
  }
}

TEST(ImageCodecs, TellEachOthersFilesApart) {
  const std::vector<std::string> heads = {"\x89PNG\r\n\x1a\n",
                                          "\xff\xd8\xff\xe0",
                                          std::string("II*\0", 4),
                                          std::string("BM____________\x28\0\0\0", 18),
                                          "RIFF____WEBP",
                                          "GIF89a",
                                          std::string("\0\0\0\x0cjP  \r\n\x87\n", 12),
                                          std::string("\0\0\0\x0cJXL \r\n\x87\n", 12),
                                          std::string(128, '\0') + "DICM"};
  for (std::size_t i = 0; i < heads.size(); ++i) {
    for (std::size_t k = 0; k < image_codecs().size(); ++k) {
      EXPECT_EQ(image_codecs()[k].has_signature(heads[i]), i == k) << i << " " << k;
      EXPECT_EQ(image_codecs()[k].recognises(heads[i]), i == k) << i << " " << k;
      EXPECT_FALSE(image_codecs()[k].has_signature(heads[i].substr(0, 2)));
    }
    EXPECT_LE(heads[i].size(), kImageHead);
  }
}

}  // namespace
}  // namespace cubcal
