#include "cubcal/http/http_error.h"

#include <nlohmann/json.hpp>

namespace cubcal {

HttpResponse error_response(int status, const std::string& sentence, HttpHeaders headers) {
  using Json = nlohmann::ordered_json;
  const Json json = {{"error", sentence}};
  return {status, "application/json",
          json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", std::move(headers)};
}

}  // namespace cubcal
