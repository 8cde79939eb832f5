#include <unistd.h>

#include <fstream>

#include "cubcal/service/service_assets.h"
#include "cubcal/service/service_routes.h"

namespace cubcal {

namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Pages of memory, as the second number of /proc/self/statm; 0 where there is no such file.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double whole = 0;
  double resident = 0;
  file >> whole >> resident;
  return file ? resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

HttpResponse Service::page(const Call& call) {
  HttpResponse response{200, "text/html; charset=utf-8", kServicePage, {}};
  if (!call.target.segments.empty()) {
    const bool is_style = call.target.segments[0] == "page.css";
    response.type = is_style ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    response.body = is_style ? kServiceStyle : kServiceScript;
  }
  response.headers = {{"Content-Security-Policy", kPolicy},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}};
  return response;
}

HttpResponse Service::health(const Call&) { return json_response({{"live", true}}); }

HttpResponse Service::readiness(const Call&) {
  const bool is_ready = accepting_ && !slots_.empty();
  return json_response({{"ready", is_ready}}, is_ready ? 200 : 503);
}

HttpResponse Service::metrics(const Call&) {
  for (const auto& slot : slots_) {
    const MetricSet::Labels labels = {{"model", slot->name()}};
    metrics_.set("cubcal_queue_images", labels, static_cast<double>(slot->queue().waiting()));
    metrics_.set("cubcal_model_version", labels, static_cast<double>(slot->active().number));
  }
  metrics_.set("cubcal_resident_bytes", {}, resident_bytes());
  return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_.text(), {}};
}

HttpResponse Service::open_api(const Call&) { return {200, "application/json", kOpenApi, {}}; }

}  // namespace cubcal
