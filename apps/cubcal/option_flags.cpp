#include "option_flags.h"

#include <algorithm>

namespace cubcal::app {

std::string options_as_flags(const std::string& sentence) {
  static const std::string kBefore = "the option '";
  std::string text;
  std::size_t done = 0;
  for (;;) {
    const std::size_t start = sentence.find(kBefore, done);
    const std::size_t name = start + kBefore.size();
    const std::size_t end = start == std::string::npos ? start : sentence.find('\'', name);
    if (end == std::string::npos) return text + sentence.substr(done);
    std::string flag = sentence.substr(name, end - name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    text += sentence.substr(done, start - done) + "--" + flag;
    done = end + 1;
  }
}

}  // namespace cubcal::app
