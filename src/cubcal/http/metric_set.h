#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace cubcal {

/// Counters, gauges and histograms in Prometheus' text format 0.0.4. For any number of threads.
class MetricSet {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  void add_counter(const std::string& name, const std::string& help);
  void add_gauge(const std::string& name, const std::string& help);
  /// `bounds` are the upper ends of the buckets, ascending; one to infinity is added.
  void add_histogram(const std::string& name, const std::string& help, std::vector<double> bounds);

  /// Of families that were added; anything else throws ArgumentError.
  void count(const std::string& name, const Labels& labels, double by = 1);
  void set(const std::string& name, const Labels& labels, double value);
  void observe(const std::string& name, const Labels& labels, double value);

  std::string text() const;

 private:
  enum class Kind { kCounter, kGauge, kHistogram };
  struct Series {
    double value = 0;  ///< of a histogram: the sum
    std::uint64_t observations = 0;
    std::vector<std::uint64_t> buckets;
  };
  struct Family {
    Kind kind;
    std::string help;
    std::vector<double> bounds;
    std::map<std::string, Series> series;  ///< by labels as they are written, without braces
  };

  void add(const std::string& name, Family family);
  Series& series_of(const std::string& name, Kind kind, const Labels& labels);

  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
};

}  // namespace cubcal
