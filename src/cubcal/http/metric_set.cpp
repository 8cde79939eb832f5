#include "cubcal/http/metric_set.h"

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

std::string escaped_label(const std::string& value) {
  std::string text;
  for (const char character : value) {
    if (character == '\\' || character == '"') text += '\\';
    text += character == '\n' ? std::string("\\n") : std::string(1, character);
  }
  return text;
}

std::string labels_text(const MetricSet::Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += (text.empty() ? "" : ",") + name + "=\"" + escaped_label(value) + "\"";
  }
  return text;
}

std::string sample_line(const std::string& name, const std::string& labels,
                        const std::string& value) {
  return name + (labels.empty() ? "" : "{" + labels + "}") + " " + value + "\n";
}

}  // namespace

void MetricSet::add(const std::string& name, Family family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  families_.emplace(name, std::move(family));
}

void MetricSet::add_counter(const std::string& name, const std::string& help) {
  add(name, {Kind::kCounter, help, {}, {}});
}

void MetricSet::add_gauge(const std::string& name, const std::string& help) {
  add(name, {Kind::kGauge, help, {}, {}});
}

void MetricSet::add_histogram(const std::string& name, const std::string& help,
                              std::vector<double> bounds) {
  add(name, {Kind::kHistogram, help, std::move(bounds), {}});
}

MetricSet::Series& MetricSet::series_of(const std::string& name, Kind kind, const Labels& labels) {
  const auto found = families_.find(name);
  if (found == families_.end() || found->second.kind != kind) {
    throw ArgumentError("there is no such metric as '" + name + "'");
  }
  Series& series = found->second.series[labels_text(labels)];
  if (kind == Kind::kHistogram) series.buckets.resize(found->second.bounds.size() + 1);
  return series;
}

void MetricSet::count(const std::string& name, const Labels& labels, double by) {
  const std::lock_guard<std::mutex> lock(mutex_);
  series_of(name, Kind::kCounter, labels).value += by;
}

void MetricSet::set(const std::string& name, const Labels& labels, double value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  series_of(name, Kind::kGauge, labels).value = value;
}

void MetricSet::observe(const std::string& name, const Labels& labels, double value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Series& series = series_of(name, Kind::kHistogram, labels);
  const std::vector<double>& bounds = families_.find(name)->second.bounds;
  std::size_t bucket = 0;
  while (bucket < bounds.size() && value > bounds[bucket]) ++bucket;
  ++series.buckets[bucket];
  ++series.observations;
  series.value += value;
}

std::string MetricSet::text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const auto& [name, family] : families_) {
    const char* kind = family.kind == Kind::kCounter ? "counter"
                       : family.kind == Kind::kGauge ? "gauge"
                                                     : "histogram";
    text += "# HELP " + name + " " + family.help + "\n# TYPE " + name + " " + kind + "\n";
    for (const auto& [labels, series] : family.series) {
      if (family.kind != Kind::kHistogram) {
        text += sample_line(name, labels, to_text(series.value));
        continue;
      }
      const std::string before = labels.empty() ? "" : labels + ",";
      std::uint64_t below = 0;
      for (std::size_t i = 0; i < series.buckets.size(); ++i) {
        below += series.buckets[i];
        const std::string bound = i < family.bounds.size() ? to_text(family.bounds[i]) : "+Inf";
        text +=
            sample_line(name + "_bucket", before + "le=\"" + bound + "\"", std::to_string(below));
      }
      text += sample_line(name + "_sum", labels, to_text(series.value));
      text += sample_line(name + "_count", labels, std::to_string(series.observations));
    }
  }
  return text;
}

}  // namespace cubcal
