#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/dataset/pack_file.h"
#include "dataset/image_files.h"

namespace cubcal::test {
namespace {

TEST(DataPack, WritesWhatTrainingTakes) {
  const TemporaryFolder folder;
  write_small_set(folder);
  const Outcome outcome = run_cubcal({"data", "pack", ".", "--size", "16", "--channels", "3",
                                      "--hold-out", "malign", "-o", "p.safetensors"},
                                     folder.path());
  EXPECT_EQ(outcome.exit_code, 2) << "one class is left";
  const Outcome packed = run_cubcal({"data", "pack", ".", "--size", "16", "--channels", "3",
                                     "--where", "scanner=A", "-o", "p.safetensors"},
                                    folder.path());
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_NE(packed.out.find("manifest, 3 images"), std::string::npos) << packed.out;
  const SampleBlock block = read_pack(folder.file("p.safetensors"));
  EXPECT_EQ(block.images.shape(), (std::vector<std::size_t>{3, 3, 16, 16}));
  EXPECT_NE(packed.out.find(content_hash(block)), std::string::npos) << packed.out;
}

TEST(DataPack, CanBeInspected) {
  const TemporaryFolder folder;
  write_small_set(folder);
  const Outcome packed =
      run_cubcal({"data", "pack", ".", "--size", "16", "--channels", "3", "-o", "p.safetensors"},
                 folder.path());
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  const Outcome seen =
      run_cubcal({"data", "inspect", "p.safetensors", "--html", "p.html"}, folder.path());
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  EXPECT_NE(seen.out.find("p.safetensors: pack, 6 images, 2 classes"), std::string::npos)
      << seen.out;
  EXPECT_NE(seen.out.find("size 16 x 16"), std::string::npos) << seen.out;
  const Outcome chosen =
      run_cubcal({"data", "inspect", "p.safetensors", "--where", "scanner=A"}, folder.path());
  EXPECT_NE(chosen.out.find("pack, 3 images"), std::string::npos) << chosen.out << chosen.err;
  const Outcome fixed =
      run_cubcal({"data", "inspect", "p.safetensors", "--fix", "f.csv"}, folder.path());
  EXPECT_EQ(fixed.exit_code, 2);
  EXPECT_NE(fixed.err.find("'p.safetensors' is a pack"), std::string::npos) << fixed.err;
  write_file_atomically(folder.file("weights.safetensors"), "no pack at all");
  EXPECT_EQ(run_cubcal({"data", "inspect", "weights.safetensors"}, folder.path()).exit_code, 1);
  const SampleBlock block = read_pack(folder.file("p.safetensors"));
  const Image image = image_of(block, 1);
  const auto* levels = block.images.as<std::uint8_t>() + 3 * 256;
  EXPECT_EQ(image.pixels[3 * 17 + 2], levels[2 * 256 + 17]) << "planes become pixels";
}

TEST(DataPack, KeepsToWhatItWasReducedTo) {
  const TemporaryFolder folder;
  write_small_set(folder);
  const Outcome packed =
      run_cubcal({"data", "pack", ".", "--size", "16", "--reduce-to", "8", "-o", "p.safetensors"},
                 folder.path());
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_EQ(read_pack(folder.file("p.safetensors")).reduce_to, 8U);
  const Outcome again = run_cubcal(
      {"data", "pack", "p.safetensors", "--reduce-to", "12", "-o", "q.safetensors"}, folder.path());
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("reduced to 8, not of the size, the channels or the reduction"),
            std::string::npos)
      << again.err;
}

TEST(DataPack, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  write_small_set(folder);
  const Outcome name = run_cubcal({"data", "pack", ".", "-o", "p.npz"}, folder.path());
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_EQ(name.err, "cubcal: -o 'p.npz' must end in .safetensors\n");
  write_file_atomically(folder.file("image 2.png"), "no image at all");
  const Outcome bad = run_cubcal({"data", "pack", ".", "-o", "p.safetensors"}, folder.path());
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.err.find("image 2.png"), std::string::npos) << bad.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("p.safetensors")));
  const Outcome skipped =
      run_cubcal({"data", "pack", ".", "--skip-bad", "-o", "p.safetensors"}, folder.path());
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err;
  EXPECT_NE(skipped.err.find("skipped: "), std::string::npos);
  EXPECT_EQ(read_pack(folder.file("p.safetensors")).images.shape()[0], 5U);
}

}  // namespace
}  // namespace cubcal::test
