// A request as text, its head, an empty line, its body, through all that looks at one: framing,
// address, access, routes, multipart bodies, tensors, images. Behind them is a model that only
// looks at brightness. No request may make the service throw, or answer 500.

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cubcal/core/words.h"
#include "cubcal/service/service.h"
#include "service/fake_model.h"

namespace {

cubcal::Service& service() {
  static cubcal::Service* const instance = [] {
    cubcal::ServiceOptions options;
    options.max_images = 4;
    options.max_pixels = 10'000;
    options.admin_token = "0123456789abcdef";
    auto* made = new cubcal::Service(options);
    made->add_model("m", [] { return std::make_shared<cubcal::test::FakeModel>(); });
    return made;
  }();
  return *instance;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

cubcal::HttpRequest request_of(std::string_view text) {
  cubcal::HttpRequest request;
  const std::string_view first = take_line(text);
  const std::size_t blank = std::min(first.find(' '), first.size());
  request.method = std::string(first.substr(0, blank));
  request.target = std::string(first.substr(std::min(blank + 1, first.size())));
  request.client = "fuzzer";
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = std::min(line.find(':'), line.size());
    request.headers.emplace_back(
        cubcal::lower_case(line.substr(0, colon)),
        std::string(cubcal::trimmed(line.substr(std::min(colon + 1, line.size())))));
  }
  request.body = std::string(text);
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const cubcal::HttpRequest request = request_of({reinterpret_cast<const char*>(data), size});
  if (const auto refusal = service().begin(request)) {
    if (refusal->status < 400) std::abort();
    return 0;
  }
  const cubcal::HttpResponse response = service().respond(request);
  service().end(request);
  if (response.status == 500) {
    std::cerr << response.body;
    std::abort();
  }
  if (response.type == "application/json" && !nlohmann::json::accept(response.body)) std::abort();
  return 0;
}
