// Input that is made to mislead, or that others change while it is read: one sentence, or the
// result of the file as it was; never a signal and never other numbers.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::test {
namespace {

using std::chrono::milliseconds;

class HostileInput : public testing::Test {
 protected:
  /// Large enough to be mapped.
  void write_large() const {
    LogitsFile file;
    file.logits = NdArray(DType::kF32, {20, 40000, 7});
    float* values = file.logits.as<float>();
    for (std::size_t i = 0; i < file.logits.size(); ++i) {
      values[i] = static_cast<float>((i * 2654435761U) % 1000) / 100;
    }
    file.has_labels = true;
    for (std::size_t i = 0; i < 40000; ++i) file.labels.push_back(static_cast<std::int64_t>(i % 7));
    write_logits_file(scratch_.file("whole.npz"), file);
  }

  Outcome evaluate() const {
    return run_cubcal({"evaluate", "large.npz", "--bootstrap", "20"}, scratch_.path());
  }

  /// Evaluates the file while `change` happens to it, at several moments.
  void expect_honest(const std::function<void(int descriptor)>& change) const {
    write_large();
    const auto put_in_place = [&] {
      std::filesystem::copy_file(scratch_.file("whole.npz"), scratch_.file("large.npz"),
                                 std::filesystem::copy_options::overwrite_existing);
    };
    put_in_place();
    const std::string whole = evaluate().out;
    ASSERT_NE(whole, "");
    for (const int delay : {10, 40, 80, 160}) {
      put_in_place();
      const int descriptor = ::open(scratch_.file("large.npz").c_str(), O_WRONLY | O_CLOEXEC);
      std::thread other([&] {
        std::this_thread::sleep_for(milliseconds(delay));
        change(descriptor);
      });
      const Outcome outcome = evaluate();
      other.join();
      ::close(descriptor);
      if (outcome.exit_code == 0) {
        EXPECT_EQ(outcome.out, whole) << "after " << delay << " ms";
      } else {
        EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
        EXPECT_NE(outcome.err.find("large.npz"), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
      }
    }
  }

  ScratchFolder scratch_;
};

TEST_F(HostileInput, AFileThatIsCutWhileItIsRead) {
  expect_honest([](int descriptor) { ASSERT_EQ(::ftruncate(descriptor, 100000), 0); });
}

TEST_F(HostileInput, AFileThatIsOverwrittenWhileItIsRead) {
  expect_honest([](int descriptor) {
    const std::string other(std::size_t{16} << 20, '\x40');
    ASSERT_GT(::pwrite(descriptor, other.data(), other.size(), 1000000), 0);
  });
}

TEST_F(HostileInput, NamesCannotSteerTheTerminal) {
  LogitsFile file;
  file.logits = NdArray(DType::kF32, {1, 4, 2});
  std::fill_n(file.logits.as<float>(), 8, 2.5F);
  file.has_labels = true;
  file.labels = {0, 1, 0, 1};
  file.class_names = {"\x1b]0;title\x07\u202e", "two\nlines"};
  write_logits_file(scratch_.file("x.npz"), file);
  const Outcome outcome = run_cubcal({"evaluate", "x.npz", "--bootstrap", "20"}, scratch_.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos);
  EXPECT_NE(outcome.out.find("two\\x0alines"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\\x07\\u202e"), std::string::npos) << "what turns the direction";
  const Outcome refused = run_cubcal({"evaluate", "no\x1b[2J\nfile"}, scratch_.path());
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("no\\x1b[2J\\x0afile"), std::string::npos) << refused.err;
}

TEST_F(HostileInput, TooManyClassesAreRefused) {
  LogitsFile file;
  file.logits = NdArray(DType::kF16, {1, 1, 12000});
  std::fill_n(file.logits.as<std::uint16_t>(), 12000, std::uint16_t{0});
  file.has_labels = true;
  file.labels = {0};
  write_logits_file(scratch_.file("x.npz"), file);
  const Outcome outcome = run_cubcal({"evaluate", "x.npz"}, scratch_.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("12000 classes, but at most 2048 are accepted"), std::string::npos)
      << outcome.err;
}

TEST_F(HostileInput, ANameNoFileCanHaveIsASentence) {
  const std::string name(300, 'x');
  const Outcome outcome = run_cubcal({"results", name}, scratch_.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "cubcal: cannot use '" + name + "': File name too long\n");
}

TEST_F(HostileInput, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(scratch_.file("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(scratch_.file("pipe.csv").c_str(), 0600), 0);
  ASSERT_EQ(run_cubcal({"example", "--out", "demo", "--images"}, scratch_.path()).exit_code, 0);
  ASSERT_EQ(run_cubcal({"example", "--out", "demo"}, scratch_.path()).exit_code, 0);
  ASSERT_EQ(::mkfifo(scratch_.file("demo/images/pipe.png").c_str(), 0600), 0);
  std::ofstream(scratch_.file("demo/images/table.csv"))
      << "file,label\nimage-1.png,0\nimage-2.png,1\npipe.png,1\n";
  const std::vector<std::vector<std::string>> commands = {
      {"results", "pipe"},
      {"merge", "pipe", "-o", "x.npz"},
      {"evaluate", "demo/val.npz", "--calibration", "pipe"},
      {"evaluate", "demo/val.npz", "--labels", "pipe"},
      {"evaluate", "pipe.csv"},
      {"data", "inspect", "pipe.csv"}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome outcome = run_cubcal(command, scratch_.path());
    EXPECT_EQ(outcome.exit_code, 1) << command[0];
    EXPECT_NE(outcome.err.find("regular file"), std::string::npos)
        << command[0] << " " << command[1] << ": " << outcome.err;
  }
  const Outcome table = run_cubcal({"data", "inspect", "demo/images/table.csv"}, scratch_.path());
  EXPECT_NE((table.out + table.err).find("pipe.png"), std::string::npos) << table.out << table.err;
}

TEST_F(HostileInput, NoNumberOfAnOptionIsNan) {
  ASSERT_EQ(run_cubcal({"example", "--out", "demo"}, scratch_.path()).exit_code, 0);
  const auto refused = [&](const std::vector<std::string>& command, const std::string& words) {
    const Outcome outcome = run_cubcal(command, scratch_.path());
    EXPECT_EQ(outcome.exit_code, 2) << command.back();
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  refused({"example", "--out", "o", "--evidence", "nan"}, "Value nan is not a finite number");
  refused({"evaluate", "demo/val.npz", "--eta", "nan"}, "Value nan is not a finite number");
  refused({"prevalence", "demo/val.npz", "--to", "equal", "--refer-above", "inf"},
          "Value inf is not a finite number");
  refused({"evaluate", "demo/val.npz", "--seed", "99999999999999999999"},
          "Value 99999999999999999999 not in range 0 to 18446744073709551615");
  refused({"data", "inspect", "demo", "--seed=-1"}, "Value -1 not in range");
}

TEST_F(HostileInput, TwoOutputsAreNotOneFile) {
  ASSERT_EQ(run_cubcal({"example", "--out", "demo"}, scratch_.path()).exit_code, 0);
  const Outcome outcome =
      run_cubcal({"evaluate", "demo/val.npz", "--json", "x", "--markdown", "./x"}, scratch_.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "cubcal: --markdown and --json both write './x': name two files\n");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "x"));
  EXPECT_EQ(
      run_cubcal({"evaluate", "demo/val.npz", "--json", "x", "--markdown", "y"}, scratch_.path())
          .exit_code,
      0);
}

TEST_F(HostileInput, ALimitOnTheSizeOfFilesIsASentence) {
  ASSERT_EQ(run_cubcal({"example", "--out", "demo"}, scratch_.path()).exit_code, 0);
  const std::string command = "ulimit -f 0; cd '" + scratch_.path().string() + "' && '" +
                              CUBCAL_PROGRAM +
                              "' calibrate demo/val.npz --method ts-nll -o cal.json 2>&1 | cat";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  EXPECT_NE(text.find("cubcal: cannot write 'cal.json': File too large"), std::string::npos)
      << text;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) {
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
  }
}

TEST_F(HostileInput, HelpThatCannotBeWrittenIsAFailure) {
  const std::string command = std::string("'") + CUBCAL_PROGRAM + "' --version > /dev/full";
  EXPECT_EQ(WEXITSTATUS(std::system((command + " 2> /dev/null").c_str())), 1);
}

TEST_F(HostileInput, APackIsNotWrittenOverItself) {
  ASSERT_EQ(run_cubcal({"example", "--out", ".", "--images"}, scratch_.path()).exit_code, 0);
  const std::vector<std::string> pack = {"data", "pack", "images", "--size", "16", "-o"};
  std::vector<std::string> first = pack;
  first.push_back("x.safetensors");
  ASSERT_EQ(run_cubcal(first, scratch_.path()).exit_code, 0);
  const Outcome outcome =
      run_cubcal({"data", "pack", "x.safetensors", "-o", "x.safetensors"}, scratch_.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("is also an input"), std::string::npos) << outcome.err;
}

TEST_F(HostileInput, WhatWasToldToIgnoreCtrlCIgnoresIt) {
  ASSERT_EQ(run_cubcal({"example", "--out", ".", "--images"}, scratch_.path()).exit_code, 0);
  const auto own = ::signal(SIGINT, SIG_IGN);  // before there is anybody to be interrupted
  const pid_t process = ::fork();
  if (process == 0) {
    const int quiet = ::open(scratch_.file("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(quiet, STDOUT_FILENO);
    ::dup2(quiet, STDERR_FILENO);
    ::execl(CUBCAL_PROGRAM, CUBCAL_PROGRAM, "data", "pack", scratch_.file("images").c_str(),
            "--size", "512", "-o", scratch_.file("x.safetensors").c_str(), nullptr);
    ::_exit(127);
  }
  ::signal(SIGINT, own);
  int status = 0;
  while (::waitpid(process, &status, WNOHANG) == 0) {
    ::kill(process, SIGINT);
    std::this_thread::sleep_for(milliseconds(1));
  }
  ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << contents_of(scratch_.path() / "out");
}

}  // namespace
}  // namespace cubcal::test
