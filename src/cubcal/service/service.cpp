#include "cubcal/service/service.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/http/bearer_token.h"
#include "cubcal/http/http_error.h"
#include "cubcal/http/request_check.h"
#include "cubcal/io/utf8.h"
#include "cubcal/service/service_routes.h"

namespace cubcal {

namespace {

constexpr const char* kRequests = "cubcal_requests_total";
constexpr const char* kSeconds = "cubcal_request_seconds";

/// A key that is misspelt would be an answer to another question.
void check_query(const RequestTarget& target, const std::string& known) {
  for (const auto& entry : target.query) {
    if ((", " + known + ", ").find(", " + entry.first + ", ") != std::string::npos) continue;
    throw HttpError(400, "the query has the key " + in_quotes(entry.first) + ", and this address " +
                             (known.empty() ? "takes none" : "takes " + known));
  }
}

/// What was loaded before stays where it is: somebody may have rolled back from it, or not have
/// promoted it yet. What was done, as the end of a sentence.
std::string promote_changed(ModelSlot& slot) {
  if (const std::optional<ModelVersion> changed = slot.load_changed()) {
    slot.promote(changed->number);
    return "answers with version " + std::to_string(changed->number);
  }
  const std::size_t newest = slot.versions().back().number;
  const std::size_t active = slot.active().number;
  if (newest == active) return "has not changed";
  return "stays at version " + std::to_string(active) + ": its folder holds version " +
         std::to_string(newest) + ", which was loaded before";
}

}  // namespace

struct Service::Route {
  /// Who may ask.
  enum class Access { kAll, kToken, kAdmin };

  const char* method;
  const char* path;  ///< stars stand for names
  Access access;
  HttpResponse (Service::*handler)(const Call&);
  /// The keys of its query, ", " between them; those of others do not matter where it is null.
  const char* query = nullptr;
};

const std::vector<Service::Route>& Service::routes() {
  using Access = Route::Access;
  static const std::vector<Route> all = {
      {"GET", "/", Access::kAll, &Service::page},
      {"GET", "/page.css", Access::kAll, &Service::page},
      {"GET", "/page.js", Access::kAll, &Service::page},
      {"GET", "/healthz", Access::kAll, &Service::health},
      {"GET", "/readyz", Access::kAll, &Service::readiness},
      {"GET", "/metrics", Access::kToken, &Service::metrics},
      {"GET", "/openapi.json", Access::kAll, &Service::open_api},
      {"POST", "/v1/predict", Access::kToken, &Service::predict,
       "model, name, frame, picture, deadline_ms"},
      {"GET", "/v1/models", Access::kToken, &Service::models, ""},
      {"GET", "/v1/models/*", Access::kToken, &Service::model, ""},
      {"GET", "/v1/models/*/boundary", Access::kToken, &Service::boundary, ""},
      {"POST", "/v1/models/*/load", Access::kAdmin, &Service::load_version, ""},
      {"POST", "/v1/models/*/promote", Access::kAdmin, &Service::promote_version, "version"},
      {"POST", "/v1/models/*/rollback", Access::kAdmin, &Service::roll_back, ""},
      {"GET", "/v2", Access::kToken, &Service::inference_server, ""},
      {"GET", "/v2/health/live", Access::kAll, &Service::health},
      {"GET", "/v2/health/ready", Access::kAll, &Service::readiness},
      {"GET", "/v2/models/*", Access::kToken, &Service::inference_model, ""},
      {"GET", "/v2/models/*/ready", Access::kToken, &Service::inference_ready, ""},
      {"POST", "/v2/models/*/infer", Access::kToken, &Service::infer, "deadline_ms"},
      {"GET", "/v2/models/*/versions/*", Access::kToken, &Service::inference_model, ""},
      {"GET", "/v2/models/*/versions/*/ready", Access::kToken, &Service::inference_ready, ""},
      {"POST", "/v2/models/*/versions/*/infer", Access::kToken, &Service::infer, "deadline_ms"},
  };
  return all;
}

Service::Service(const ServiceOptions& options)
    : options_(options),
      run_id_(new_run_id()),
      clients_(options.client_requests),
      decoders_(std::max<std::size_t>(1, options.decoders)) {
  metrics_.add_counter(kRequests, "Requests by route and status.");
  metrics_.add_histogram(kSeconds, "Seconds from a request's last byte to its response, by route.",
                         {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30});
  metrics_.add_counter("cubcal_answers_total", "Answers by model and verdict.");
  metrics_.add_counter("cubcal_unreadable_images_total", "Images that could not be read.");
  metrics_.add_counter("cubcal_refused_images_total", "Images refused by a full queue, by model.");
  metrics_.add_counter("cubcal_expired_images_total", "Images whose deadline passed, by model.");
  metrics_.add_counter("cubcal_log_failures_total", "Answers that could not be logged.");
  metrics_.add_histogram("cubcal_batch_images", "Images of a call of the model, by model.",
                         {1, 2, 4, 8, 16, 32, 64, 128, 256});
  metrics_.add_counter("cubcal_model_seconds_total", "Seconds spent in the model, by model.");
  metrics_.add_gauge("cubcal_queue_images", "Images that wait, by model.");
  metrics_.add_gauge("cubcal_model_version", "The version that answers, by model.");
  metrics_.add_gauge("cubcal_resident_bytes", "Memory of the process.");
  if (!options_.log.empty()) {
    log_ = std::make_unique<AnswerLog>(options_.log);
    metrics_.count("cubcal_log_failures_total", {}, 0);
  }
}

Service::~Service() = default;

void Service::add_model(const std::string& name, ModelSlot::Loader loader) {
  constexpr std::size_t kLongest = 64;
  const bool is_plain = !name.empty() && name.size() <= kLongest && name != "." && name != ".." &&
                        std::all_of(name.begin(), name.end(), [](char each) {
                          const char lower = static_cast<char>(each | 0x20);
                          return (lower >= 'a' && lower <= 'z') || (each >= '0' && each <= '9') ||
                                 each == '.' || each == '_' || each == '+' || each == '-';
                        });
  if (!is_plain) {
    throw ArgumentError("a model is served under 1 to 64 letters, digits and '._+-', not under " +
                        in_quotes(name));
  }
  for (const auto& slot : slots_) {
    if (slot->name() == name) {
      throw ArgumentError("two models cannot be served under the same name " + in_quotes(name));
    }
  }
  slots_.push_back(std::make_unique<ModelSlot>(
      name, std::move(loader), options_.batch, [this, name](const BatchReport& report) {
        const MetricSet::Labels labels = {{"model", name}};
        if (report.images > 0) {
          metrics_.observe("cubcal_batch_images", labels, static_cast<double>(report.images));
          metrics_.count("cubcal_model_seconds_total", labels, report.seconds);
        }
        if (report.expired > 0) {
          metrics_.count("cubcal_expired_images_total", labels,
                         static_cast<double>(report.expired));
        }
      }));
}

std::vector<std::string> Service::model_names() const {
  std::vector<std::string> names;
  for (const auto& slot : slots_) names.push_back(slot->name());
  return names;
}

const ModelFacts& Service::facts(const std::string& name) const {
  for (const auto& slot : slots_) {
    if (slot->name() == name) return slot->active().model->facts();
  }
  throw ArgumentError("there is no model " + in_quotes(name));
}

const Service::Route& Service::route_of(const HttpRequest& request, Call& call) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  for (const Route& route : routes()) {
    const std::vector<std::string> pattern = parse_target(route.path).segments;
    const std::vector<std::string>& segments = call.target.segments;
    if (pattern.size() != segments.size()) continue;
    std::vector<std::string> names;
    bool fits = true;
    for (std::size_t i = 0; i < pattern.size() && fits; ++i) {
      if (pattern[i] == "*") names.push_back(segments[i]);
      fits = pattern[i] == "*" || pattern[i] == segments[i];
    }
    if (!fits) continue;
    if (method == route.method) {
      call.names = std::move(names);
      return route;
    }
    allowed = route.method;
  }
  if (allowed.empty()) throw HttpError(404, "there is nothing at this address");
  if (allowed == "GET") allowed = "GET, HEAD";
  throw HttpError(405, "this address takes " + allowed + " alone", {{"Allow", allowed}});
}

void Service::check_access(const Route& route, const HttpRequest& request) const {
  check_origin(request.headers, options_.only_this_machine);
  if (route.access == Route::Access::kToken && !options_.token.empty()) {
    check_bearer(request.headers, options_.token);
  }
  if (route.access != Route::Access::kAdmin) return;
  if (options_.admin_token.empty()) {
    throw HttpError(403, "versions are not changed over HTTP here: no token for it was given");
  }
  check_bearer(request.headers, options_.admin_token);
}

HttpResponse Service::guarded(const Route& route, const Call& call) {
  HttpResponse response;
  try {
    response = (this->*route.handler)(call);
  } catch (const HttpError& error) {
    response = error_response(error.status(), error.what(), error.headers());
  } catch (const DataError& error) {
    response = error_response(400, error.what());
  } catch (const std::exception& error) {
    response = error_response(500, error.what());
  }
  return response;
}

std::optional<HttpResponse> Service::begin(const HttpRequest& head) {
  std::string path = "(none)";
  try {
    check_framing(head.headers);
    Call call{head, parse_target(head.target)};
    const Route& route = route_of(head, call);
    path = route.path;
    check_access(route, head);
    if (route.query != nullptr) check_query(call.target, route.query);
    if (!accepting_ && std::string(route.method) == "POST") {
      throw HttpError(503, "the server is about to stop", {{"Retry-After", "5"}});
    }
    if (!clients_.enter(head.client)) {
      throw HttpError(429, "too many requests of this client are under way",
                      {{"Retry-After", "1"}});
    }
    return std::nullopt;
  } catch (const HttpError& error) {
    metrics_.count(kRequests, {{"route", path}, {"status", std::to_string(error.status())}});
    return error_response(error.status(), error.what(), error.headers());
  }
}

void Service::end(const HttpRequest& head) { clients_.leave(head.client); }

HttpResponse Service::respond(const HttpRequest& request) {
  Call call{request, {}};
  const Route* route = nullptr;
  HttpResponse response;
  try {
    call.target = parse_target(request.target);
    call.id = run_id_ + "-" + std::to_string(++request_count_);
    route = &route_of(request, call);
    response = guarded(*route, call);
  } catch (const HttpError& error) {
    response = error_response(error.status(), error.what(), error.headers());
  }
  const std::string path = route != nullptr ? route->path : "(none)";
  const double seconds = std::chrono::duration<double>(ServiceClock::now() - call.start).count();
  metrics_.count(kRequests, {{"route", path}, {"status", std::to_string(response.status)}});
  metrics_.observe(kSeconds, {{"route", path}}, seconds);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

std::vector<std::string> Service::reload() {
  std::vector<std::string> told;
  try {
    if (log_) log_->reopen();
  } catch (const Error& error) {
    told.push_back(error.what());
  }
  for (const auto& slot : slots_) {
    try {
      told.push_back("the model '" + slot->name() + "' " + promote_changed(*slot));
    } catch (const std::exception& error) {
      told.push_back("the model '" + slot->name() + "' stays as it is: " + error.what());
    }
  }
  return told;
}

}  // namespace cubcal
