#pragma once

#include <string>

namespace cubcal {

enum class Delivery {
  kStored,
  kRefused,     ///< it was understood and not wanted
  kUnreachable  ///< it may be wanted later
};

struct DeliveryResult {
  Delivery outcome = Delivery::kStored;
  std::string reason = {};  ///< where it was not stored
};

/// Where reports go.
class ReportTarget {
 public:
  ReportTarget() = default;
  virtual ~ReportTarget() = default;
  ReportTarget(const ReportTarget&) = delete;
  ReportTarget& operator=(const ReportTarget&) = delete;

  /// By one thread at a time. A report that was delivered before may come again, and is the same.
  virtual DeliveryResult deliver(const std::string& report_uid, const std::string& report) = 0;
  /// For now there are no more reports.
  virtual void rest() {}
  /// Its name in sentences.
  virtual std::string name() const = 0;
};

}  // namespace cubcal
