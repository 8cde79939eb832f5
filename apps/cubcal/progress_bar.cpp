#include "progress_bar.h"

#include <unistd.h>

#include <cstdio>

namespace cubcal::app {

namespace {

constexpr int kWidth = 30;
constexpr std::chrono::milliseconds kInterval(100);

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  char text[48];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  }
  return text;
}

ProgressBar::ProgressBar(std::string title)
    : title_(std::move(title)), visible_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() { wipe(); }

void ProgressBar::show(std::size_t done, std::size_t of) {
  const Clock::time_point now = Clock::now();
  if (!visible_ || of == 0 || done == 0 || (drawn_ && now - last_ < kInterval)) return;
  last_ = now;
  drawn_ = true;
  const double share = static_cast<double>(done) / static_cast<double>(of);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r%s [%s] %3d%%, %s left\033[K", title_.c_str(), bar.c_str(),
               static_cast<int>(100 * share), clock_text(elapsed * (1 - share) / share).c_str());
  std::fflush(stderr);
}

void ProgressBar::wipe() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace cubcal::app
