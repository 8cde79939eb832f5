#include "cubcal/monitor/prediction_log.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include "cubcal/core/class_difference.h"
#include "cubcal/core/counted.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/byte_source.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kMostClasses = 2048;
const std::string kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kShardFormat = "cubcal-shard";  // the first line of a shard of predictions
constexpr const char* kSpace = " \t\r\n";
constexpr JsonLimits kDocument{32, 2048, 100'000'000};

std::string nameless(std::size_t number) { return "class " + std::to_string(number); }

/// One prediction of a log.
struct LogRow {
  std::uint32_t predicted = 0;
  double confidence = 0;
  double uncertainty = 0;
  std::optional<double> p;
  std::optional<Decision> verdict;
  std::optional<std::string> group;
  std::optional<std::int64_t> label;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> passes;  ///< asked for
};

/// "5 and 40", "0, 1, 2, …".
std::string list_of(const std::set<std::uint64_t>& numbers) {
  constexpr std::size_t kMostNamed = 3;
  std::string list;
  std::size_t named = 0;
  for (const std::uint64_t each : numbers) {
    if (++named > kMostNamed) return list + ", …";
    const char* between = named == 1 ? "" : numbers.size() == 2 ? " and " : ", ";
    list += between + std::to_string(each);
  }
  return list;
}

class LogReader {
 public:
  LogReader(const std::string& path, const LogRules& rules, ClassList& classes,
            AnsweringModel& model)
      : path_(path), rules_(rules), classes_(classes), model_(model) {
    result_.name = path;
  }

  Predictions result() {
    const std::string text = read_text_file(path_, kMostBytes);
    const std::size_t start = text.find_first_not_of(
        kSpace, starts_with(text, kByteOrderMark) ? kByteOrderMark.size() : 0);
    if (start == std::string::npos) return std::move(result_);
    if (Json::accept(text.substr(start, text.find('\n', start) - start))) {
      add_lines(text, start);
    } else {
      add_document(text.substr(start));
    }
    take_answers();
    take_decisions();
    take_groups_and_labels();
    warn();
    return std::move(result_);
  }

 private:
  void add_lines(const std::string& text, std::size_t start) {
    auto number = static_cast<std::size_t>(
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
    for (; start < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string line = text.substr(start, end - start);
      start = end + 1;
      if (line.find_first_not_of(kSpace) == std::string::npos) continue;
      const std::string where = "line " + std::to_string(number) + " of '" + path_ + "'";
      add(parse_json(line, where, kDocument), where);
    }
  }

  void add_document(const std::string& text) {
    const std::string where = "'" + path_ + "'";
    Json json;
    try {
      json = parse_json(text, where, kDocument);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) +
                      "; a log is one JSON object to a line, or one document to a file");
    }
    add(json, where);
  }

  void add(const Json& json, const std::string& where) {
    if (!json.is_object()) throw DataError(where + " is not a JSON object");
    const auto format = json.find("format");
    if (format != json.end() && *format == kShardFormat) {
      throw DataError("'" + path_ +
                      "' is one shard of a larger job, with a part of its answers: merge all of "
                      "them first");
    }
    if (json.contains("error") && !json.contains("class")) return;  // an image without an answer
    const ModelMark mark = model_mark(json);
    if (!model_.counts(mark)) return;
    model_.check(mark, where);
    const auto list = json.find("predictions");
    if (list == json.end()) {
      add_prediction(json, json, where);
      return;
    }
    if (!list->is_array()) throw DataError(where + " has 'predictions' that are no list");
    for (std::size_t i = 0; i < list->size(); ++i) {
      add_prediction((*list)[i], json, "prediction " + std::to_string(i + 1) + " of " + where);
    }
  }

  /// `whole` is the line or document it stands in, which may say more of it.
  void add_prediction(const Json& json, const Json& whole, const std::string& where) {
    try {
      const JsonFields fields(json, "prediction");
      take_names(json, where);
      LogRow row;
      row.predicted = static_cast<std::uint32_t>(class_of(fields, "class", "class_index", where));
      row.confidence = number_in(fields, "confidence", 1);
      const bool has_parts = fields.at("uncertainty").is_object();
      row.uncertainty = has_parts ? number_in(fields.object("uncertainty"), "total", 1e6)
                                  : number_in(fields, "uncertainty", 1e6);
      if (fields.knows("ood_p_value")) row.p = number_in(fields, "ood_p_value", 1);
      if (rules_.verdicts && fields.knows("verdict")) row.verdict = verdict_in(fields);
      row.group = group_in(fields);
      row.label = label_in(fields, where);
      row.seed = number_of(json, whole, "seed");
      row.passes = number_of(json, whole, "passes_asked");
      add_row(std::move(row), image_of(json));
    } catch (const DataError& error) {
      const std::string sentence = error.what();
      const bool is_named = sentence.compare(0, where.size(), where) == 0;
      throw DataError(is_named ? sentence : where + ": " + sentence);
    }
  }

  /// Keys may have been sorted on the way: they are taken for the order of the classes only where
  /// the answer has its number in it.
  void take_names(const Json& json, const std::string& where) {
    const auto found = json.find("probabilities");
    if (found == json.end() || !found->is_object()) return;
    std::vector<std::string> names;
    for (const auto& entry : found->items()) names.push_back(entry.key());
    const auto name = json.find("class");
    const auto number = json.find("class_index");
    if (!classes_.has_names() && name != json.end() && number != json.end()) {
      const bool fits = number->is_number_unsigned() && number->get<std::size_t>() < names.size() &&
                        *name == names[number->get<std::size_t>()];
      if (!fits) return;
    }
    classes_.take_names(names, where);
  }

  static double number_in(const JsonFields& fields, const char* name, double most) {
    const double value = fields.number(name);
    if (!(value >= 0 && value <= most)) {
      fields.refuse(name, most == 1 ? "in [0, 1]" : "a number of nats from 0 on", fields.at(name));
    }
    return value;
  }

  /// The class in `name`, a text, or `number`; where both are there the name decides, unless no
  /// class has a name.
  std::size_t class_of(const JsonFields& fields, const char* name, const char* number,
                       const std::string& where) {
    const bool has_number = fields.knows(number);
    if (has_number && fields.has(name) && !classes_.has_names()) {
      return classes_.by_number_and_name(fields.count(number), fields.text(name), where);
    }
    const bool uses_name = fields.has(name) && (classes_.has_names() || !has_number);
    if (uses_name) return classes_.by_name(fields.text(name), where);
    if (!has_number) throw DataError("a prediction needs the field 'class' or 'class_index'");
    return classes_.by_number(fields.count(number), where);
  }

  static Decision verdict_in(const JsonFields& fields) {
    const std::string name = fields.text("verdict");
    for (const Decision each : {Decision::kAccept, Decision::kRefer, Decision::kOutOfScope}) {
      if (name == decision_name(each)) return each;
    }
    throw DataError("the field 'verdict' must be accept, refer or out-of-scope, not " +
                    in_quotes(name));
  }

  static std::optional<std::string> group_in(const JsonFields& fields) {
    if (!fields.knows("group")) return std::nullopt;
    if (fields.at("group").is_string()) return fields.text("group");
    return std::to_string(fields.whole_number("group"));
  }

  std::optional<std::int64_t> label_in(const JsonFields& fields, const std::string& where) {
    if (!fields.knows("label")) return std::nullopt;
    return static_cast<std::int64_t>(fields.at("label").is_string()
                                         ? classes_.by_name(fields.text("label"), where)
                                         : classes_.by_number(fields.count("label"), where));
  }

  /// The whole number of this name, of the prediction or of what it stands in.
  static std::optional<std::uint64_t> number_of(const Json& json, const Json& whole,
                                                const char* name) {
    for (const Json* each : {&json, &whole}) {
      const auto found = each->find(name);
      if (found != each->end() && found->is_number_unsigned()) return found->get<std::uint64_t>();
    }
    return std::nullopt;
  }

  /// Which image it is, as far as that is known: a service is sent other images under equal names.
  static std::string image_of(const Json& json) {
    const auto found = json.find("image");
    const bool is_named = found != json.end() && found->is_string() && !json.contains("request");
    return is_named ? found->get<std::string>() : std::string();
  }

  /// The last answer for an image stands in the place of the first.
  void add_row(LogRow row, const std::string& image) {
    if (image.empty()) {
      rows_.push_back(std::move(row));
      return;
    }
    const auto [place, is_new] = places_.emplace(image, rows_.size());
    if (is_new) {
      rows_.push_back(std::move(row));
    } else {
      rows_[place->second] = std::move(row);
      ++repeated_;
    }
  }

  void take_answers() {
    for (const LogRow& row : rows_) {
      result_.predicted.push_back(row.predicted);
      result_.confidence.push_back(row.confidence);
      result_.uncertainty.push_back(row.uncertainty);
    }
  }

  void take_decisions() {
    std::size_t with_p = 0;
    std::size_t judged = 0;
    bool any_outside = false;
    for (const LogRow& row : rows_) {
      with_p += row.p ? 1 : 0;
      judged += row.p || row.verdict ? 1 : 0;
      any_outside = any_outside || row.verdict == Decision::kOutOfScope;
      if (row.verdict && result_.verdicts.empty()) result_.verdicts.resize(rows_.size());
    }
    if (with_p == 0 && !any_outside) judged = 0;
    if (judged != 0 && judged != rows_.size()) {
      throw DataError("'" + path_ + "' has an 'ood_p_value' for " + std::to_string(judged) +
                      " of " + std::to_string(rows_.size()) +
                      " predictions, but all or none must have one");
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const LogRow& row = rows_[i];
      if (row.verdict) result_.verdicts[i] = row.verdict;
      if (judged == 0) continue;
      const bool is_outside =
          row.verdict ? *row.verdict == Decision::kOutOfScope : row.p && *row.p <= rules_.alpha;
      result_.outside.push_back(is_outside ? 1 : 0);
    }
  }

  /// A prediction without a patient is one of its own.
  void take_groups_and_labels() {
    bool has_groups = false;
    bool has_labels = false;
    for (const LogRow& row : rows_) {
      has_groups = has_groups || row.group;
      has_labels = has_labels || row.label;
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const LogRow& row = rows_[i];
      if (has_groups) {
        result_.groups.push_back(
            row.group ? *row.group : "prediction " + std::to_string(i + 1) + " without a group");
      }
      if (has_labels) result_.labels.push_back(row.label.value_or(-1));
    }
  }

  void warn() {
    if (repeated_ > 0) {
      result_.warnings.push_back(
          "'" + path_ + "' has further answers for images it has answered: " +
          counted(repeated_, "earlier answer") + (repeated_ == 1 ? " does" : " do") + " not count");
    }
    std::set<std::uint64_t> seeds;
    std::set<std::uint64_t> passes;
    for (const LogRow& row : rows_) {
      if (row.seed) seeds.insert(*row.seed);
      if (row.passes) passes.insert(*row.passes);
    }
    if (passes.size() > 1) {
      result_.warnings.push_back("'" + path_ + "' mixes answers from " + list_of(passes) +
                                 " passes, whose uncertainty is not the same");
    }
    if (seeds.size() > 1) {
      result_.warnings.push_back("'" + path_ + "' mixes answers of the seeds " + list_of(seeds));
    }
  }

  const std::string& path_;
  LogRules rules_;
  ClassList& classes_;
  AnsweringModel& model_;
  Predictions result_;
  std::vector<LogRow> rows_;
  std::unordered_map<std::string, std::size_t> places_;  ///< of images among the rows
  std::size_t repeated_ = 0;
};

}  // namespace

ClassList::ClassList(std::vector<std::string> names, std::size_t classes)
    : names_(std::move(names)), is_open_(false), has_names_(!names_.empty()) {
  for (std::size_t k = names_.size(); k < classes; ++k) {
    names_.push_back(nameless(k));
  }
}

std::size_t ClassList::by_name(const std::string& name, const std::string& where) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  if (!is_open_ && !has_names_) {
    throw DataError(where + " names its class " + in_quotes(name) +
                    ", but the reference names none: 'class_index' is needed");
  }
  if (!is_open_ || names_.size() == kMostClasses) {
    throw DataError(where + " has the class " + in_quotes(name) + ", which is not among the " +
                    std::to_string(names_.size()) + " of the reference");
  }
  has_names_ = true;
  names_.push_back(name);
  return names_.size() - 1;
}

std::size_t ClassList::by_number(std::size_t number, const std::string& where) {
  if (number < names_.size()) return number;
  if (!is_open_ || number >= kMostClasses) {
    throw DataError(where + " has the class " + std::to_string(number) + ", but there are " +
                    std::to_string(is_open_ ? kMostClasses : names_.size()) + " at most");
  }
  while (names_.size() <= number) names_.push_back(nameless(names_.size()));
  return number;
}

void ClassList::take_names(const std::vector<std::string>& names, const std::string& where) {
  if (names.empty() || names.size() > kMostClasses) return;
  bool fits = is_open_ ? names_.size() <= names.size() : names_.size() == names.size();
  for (std::size_t k = 0; fits && k < names_.size(); ++k) {
    fits = names_[k] == names[k] || names_[k] == nameless(k);
  }
  if (!has_names_ && fits) {
    *this = ClassList(names, names.size());
    return;
  }
  std::vector<std::string> known = names_;
  std::vector<std::string> found = names;
  std::sort(known.begin(), known.end());
  std::sort(found.begin(), found.end());
  if (known == found) return;
  const bool is_as_long = known.size() == found.size();
  throw DataError(where + " has other classes than what was read before it: " +
                  *(is_as_long ? class_difference(found, known) : class_difference(names, names_)));
}

std::size_t ClassList::by_number_and_name(std::size_t number, const std::string& name,
                                          const std::string& where) {
  by_number(number, where);
  std::string& known = names_[number];
  if (known == nameless(number)) known = name;
  if (known == name) return number;
  throw DataError(where + " calls the class " + std::to_string(number) + " " + in_quotes(name) +
                  ", which was " + in_quotes(known) + " before");
}

bool is_prediction_log(const std::string& path) {
  constexpr std::size_t kLooked = 256;
  const FileSource source(path);
  std::string start(std::min<std::uint64_t>(kLooked, source.size()), '\0');
  source.read_at(0, start.data(), start.size());
  const std::size_t mark = starts_with(start, kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t first = start.find_first_not_of(kSpace, mark);
  return first == std::string::npos || start[first] == '{';  // nothing at all is an empty log
}

Predictions read_prediction_log(const std::string& path, const LogRules& rules, ClassList& classes,
                                AnsweringModel& model) {
  return LogReader(path, rules, classes, model).result();
}

}  // namespace cubcal
