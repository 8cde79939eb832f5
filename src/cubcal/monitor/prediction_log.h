#pragma once

#include <string>
#include <vector>

#include "cubcal/monitor/answering_model.h"
#include "cubcal/monitor/predictions.h"

/// Predictions as 'cubcal predict --json' and other programs log them: an object for each in a line
/// of its own (JSON lines), or documents with a list `predictions` of them. Read are
///   class, class_index  the answer, by name or by number from 0; one of them
///   confidence          in [0, 1]
///   uncertainty         U in nats from 0 on, as a number or as the field `total` of an object
///   ood_p_value         p-value of an OOD detector in [0, 1], null or absent: not known
///   verdict             "accept", "refer" or "out-of-scope"; null or absent: not decided
///   group               the patient, as text or whole number; may be absent
///   label               the true class by name or number, null or absent: not known
///   probabilities       an object whose keys name all classes; may be absent
///   image               which image; of several answers for one the last counts, unless a field
///                       `request` tells that a service gave them, which is sent other images
///                       under equal names
///   seed, passes_asked  how it was computed; may be absent
///   model_name, model_version, weights_hash, decision_hash
///                       whose answer it is, or an object `model` with them; may be absent
///   calibration         the method it was calibrated with, null: none, absent: not known
/// The last three of a document may stand beside its list instead. Nothing else is read.
namespace cubcal {

/// The classes of all files that are compared. A closed list is that of a file of logits; an open
/// one grows by the names and numbers that logs hold.
class ClassList {
 public:
  ClassList() = default;
  /// Of a file of logits, whose names may be empty.
  ClassList(std::vector<std::string> names, std::size_t classes);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  bool is_open() const { return is_open_; }

  /// The class of this name or number; the name decides where both are known. Throws DataError, a
  /// sentence that starts with `where`, for what is not a class of a closed list.
  std::size_t by_name(const std::string& name, const std::string& where);
  std::size_t by_number(std::size_t number, const std::string& where);
  bool has_names() const { return has_names_; }

  /// What one prediction says of all names, in their order; they become those of a list without
  /// any. Throws DataError where they are others than those of the list.
  void take_names(const std::vector<std::string>& names, const std::string& where);
  /// The number, whose class then has the name where it had none.
  std::size_t by_number_and_name(std::size_t number, const std::string& name,
                                 const std::string& where);

 private:
  std::vector<std::string> names_;
  bool is_open_ = true;
  bool has_names_ = false;
};

/// Whether the file holds JSON, by its first character that is not a space.
bool is_prediction_log(const std::string& path);

/// By what a log is read.
struct LogRules {
  double alpha = 0.05;   ///< p at or below it is out of scope, where no verdict says so
  bool verdicts = true;  ///< false: verdicts are not looked at
};

/// Throws DataError naming file and line for what is not as described above or of another model
/// than those read before with the same `model`, and where some predictions have a p-value of an
/// OOD detector and others have none. A file without any prediction is read as such.
Predictions read_prediction_log(const std::string& path, const LogRules& rules, ClassList& classes,
                                AnsweringModel& model);

}  // namespace cubcal
