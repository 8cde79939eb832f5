#pragma once

#include "cubcal/node/report_target.h"

namespace cubcal {

/// A folder in which each report becomes the file UID.dcm. A new folder and the files are their
/// owner's alone, since reports name patients.
class FolderTarget : public ReportTarget {
 public:
  /// Makes the folder where it is not there. Throws IoError.
  explicit FolderTarget(const std::string& folder);

  DeliveryResult deliver(const std::string& report_uid, const std::string& report) override;
  std::string name() const override { return folder_; }

 private:
  const std::string folder_;
};

}  // namespace cubcal
