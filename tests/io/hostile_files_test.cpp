// Damages small valid files in every way that is cheap to try and reads them: each reading must
// succeed or throw cubcal::Error, and must not ask for memory that the file could never fill.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"
#include "io/file_fixtures.h"
#include "io/largest_allocation.h"

namespace cubcal {
namespace {

using Reading = std::function<void(const std::string& bytes)>;

std::shared_ptr<const ByteSource> source_of(const std::string& bytes) {
  return std::make_shared<MemorySource>("hostile", bytes);
}

void read_as_npz(const std::string& bytes) {
  const NpzReader npz(source_of(bytes));
  for (const std::string& name : npz.names()) {
    try {
      if (npz.peek(name).is_text()) {
        npz.read_text(name);
      } else {
        npz.read(name);
      }
    } catch (const Error&) {
      // One damaged array does not keep the others from being tried.
    }
  }
}

void read_as_npy(const std::string& bytes) {
  const auto stream = open_range(source_of(bytes), 0, bytes.size());
  const NpyHeader header = read_npy_header(*stream, "hostile");
  if (header.is_text()) {
    read_npy_text(*stream, header, "hostile");
  } else {
    read_npy_numbers(*stream, header, "hostile");
  }
}

void read_as_logits(const std::string& bytes) { read_logits_file(source_of(bytes)); }

void read_as_csv(const std::string& bytes) { parse_csv(bytes, "hostile"); }

class Hostile {
 public:
  explicit Hostile(Reading reading) : reading_(std::move(reading)) {}

  void attempt(const std::string& bytes, const char* what) {
    ++attempts_;
    test::reset_largest_allocation();
    try {
      reading_(bytes);
      ++successes_;
    } catch (const Error&) {
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": a foreign error escaped: " << error.what();
    }
    ASSERT_LE(test::largest_allocation(), bytes.size() * 1100 + (std::size_t{1} << 20)) << what;
  }

  void cut_everywhere(const std::string& bytes) {
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
      attempt(bytes.substr(0, length), "cut off");
      attempt(bytes.substr(length), "start missing");
    }
  }

  void flip_every_bit(const std::string& bytes) {
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      attempt(damaged, "one bit flipped");
    }
  }

  void put_huge_numbers_everywhere(const std::string& bytes) {
    const std::vector<std::string> numbers{"\xFF\xFF",
                                           "\xFF\xFF\xFF\xFF",
                                           "\xFF\xFF\xFF\x7F",
                                           std::string("\x00\x00\x00\x80", 4),
                                           "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
                                           "\xF0\xFF\xFF\xFF\xFF\xFF\xFF\x7F",
                                           "99999999"};
    for (const std::string& number : numbers) {
      for (std::size_t at = 0; at + number.size() <= bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged.replace(at, number.size(), number);
        attempt(damaged, "a huge number");
      }
    }
  }

  void mutate_at_random(const std::string& bytes, int times) {
    std::mt19937 random(20240607);
    const auto below = [&](std::size_t bound) {
      return random() % std::max<std::size_t>(1, bound);
    };
    for (int i = 0; i < times; ++i) {
      std::string damaged = bytes;
      for (std::size_t edits = 1 + below(6); edits > 0 && !damaged.empty(); --edits) {
        const std::size_t at = below(damaged.size());
        switch (below(4)) {
          case 0: damaged[at] = static_cast<char>(random()); break;
          case 1: damaged.erase(at, 1 + below(8)); break;
          case 2: damaged.insert(at, damaged.substr(below(damaged.size()), below(40))); break;
          default: damaged.insert(at, 1, static_cast<char>(random())); break;
        }
      }
      attempt(damaged, "random edits");
    }
  }

  int attempts() const { return attempts_; }
  int successes() const { return successes_; }

 private:
  Reading reading_;
  int attempts_ = 0;
  int successes_ = 0;
};

void attack(const Reading& reading, const std::string& bytes, int random_edits) {
  Hostile hostile(reading);
  hostile.attempt(bytes, "the valid file");
  EXPECT_EQ(hostile.successes(), 1);
  hostile.cut_everywhere(bytes);
  hostile.flip_every_bit(bytes);
  hostile.put_huge_numbers_everywhere(bytes);
  hostile.mutate_at_random(bytes, random_edits);
  // Damage that reading does not notice is possible (unused fields), but the rule is refusal.
  EXPECT_LT(hostile.successes(), hostile.attempts());
}

TEST(HostileFiles, npy) {
  for (const char* name : {"cube_c.npy", "cube_fortran_big.npy", "version2.npy", "empty.npy"}) {
    attack(read_as_npy, test::file_bytes(test::vector_path(name)), 3000);
  }
  attack(read_as_npy, npy_text({"a", "肺炎", "long enough"}), 3000);
}

TEST(HostileFiles, npz) {
  for (const char* name : {"logits.npz", "streamed.npz", "text.npz", "prefix_and_comment.npz"}) {
    attack(read_as_npz, test::file_bytes(test::vector_path(name)), 3000);
  }
}

TEST(HostileFiles, npz_of_zip64_records) {
  const test::TemporaryFolder folder;
  NpzWriter npz(folder.file("x.npz"), {/*force_zip64=*/true});
  const std::vector<float> logits{0, 1, 2, 3, 4, 5, 6, 7};
  npz.add("logits", ArrayView<const float>(logits), {2, 2, 2});
  npz.add_text("groups", {"a", "b"});
  npz.finish();
  attack(read_as_npz, test::file_bytes(folder.file("x.npz")), 3000);
}

TEST(HostileFiles, logits) {
  for (const char* name : {"logits.npz", "logits_deflated.npz", "logits_fortran_big.npz"}) {
    attack(read_as_logits, test::file_bytes(test::vector_path(name)), 3000);
  }
  attack(read_as_logits, test::file_bytes(test::vector_path("cube_fortran.npy")), 3000);
}

TEST(HostileFiles, csv) {
  attack(read_as_csv, "file,label,\"a, \"\"b\"\"\"\r\n1,2,\"x\ny\"\r\n\r\n肺炎,,3\n", 10000);
}

}  // namespace
}  // namespace cubcal
