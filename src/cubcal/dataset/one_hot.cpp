#include "cubcal/dataset/one_hot.h"

#include <algorithm>

#include "cubcal/core/words.h"
#include "cubcal/dataset/fault_list.h"
#include "cubcal/dataset/file_name.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

/// Columns of 0 and 1 by row; anything else is kOther.
class Indicators {
 public:
  static constexpr signed char kOther = -1;

  Indicators(const CsvTable& table, const std::vector<std::size_t>& free,
             const std::vector<bool>& counted) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (counted[row]) rows_.push_back(row);
    }
    constexpr std::size_t kShare = 20;
    few_ = std::max(rows_.size() / kShare, std::size_t{is_large() ? 1U : 0U});
    for (const std::size_t column : free) take(table, column);
  }

  const std::vector<std::size_t>& columns() const { return columns_; }
  std::size_t few() const { return few_; }
  /// Whether that each row has one 1 is no matter of chance in some of the columns.
  bool is_large() const { return rows_.size() >= 10; }

  /// Rows that have not exactly one 1 in the columns from `first` to the one each time added.
  class Run {
   public:
    explicit Run(const Indicators& all)
        : all_(all), ones_(all.rows_.size(), 0), without_(all.rows_.size()) {}

    void add(std::size_t place) {
      const std::vector<signed char>& values = all_.values_[place];
      const auto count = std::count(values.begin(), values.end(), 1);
      if (static_cast<std::size_t>(count) > all_.few_) ++telling_columns_;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0 || ones_[i] == kSpoilt) continue;
        if (ones_[i] == 0) --without_;
        if (values[i] == kOther || ones_[i] == 1) {
          ones_[i] = kSpoilt;
          ++spoilt_;
        } else {
          ones_[i] = 1;
        }
      }
    }

    /// What no further column mends.
    std::size_t spoilt() const { return spoilt_; }
    std::size_t others() const { return spoilt_ + without_; }
    /// Columns with more ones than bad rows explain.
    std::size_t telling_columns() const { return telling_columns_; }

   private:
    static constexpr signed char kSpoilt = 2;

    const Indicators& all_;
    std::vector<signed char> ones_;
    std::size_t without_;
    std::size_t spoilt_ = 0;
    std::size_t telling_columns_ = 0;
  };

 private:
  void take(const CsvTable& table, std::size_t column) {
    std::vector<signed char> values;
    std::size_t others = 0;
    for (const std::size_t row : rows_) {
      const std::optional<bool> value = indicator(table.rows[row][column]);
      values.push_back(value ? static_cast<signed char>(*value) : kOther);
      if (!value && ++others > few_) return;
    }
    columns_.push_back(column);
    values_.push_back(std::move(values));
  }

  std::vector<std::size_t> rows_;
  std::size_t few_ = 0;
  std::vector<std::size_t> columns_;
  std::vector<std::vector<signed char>> values_;
};

/// The places [first, last) of columns, and the rows that they do not fit.
struct Block {
  std::size_t first;
  std::size_t last;
  std::size_t others;

  std::size_t size() const { return last - first; }
  bool meets(const Block& other) const { return first < other.last && other.first < last; }
};

/// The block from a column on that fits most rows, the longest of those.
std::optional<Block> best_from(const Indicators& all, std::size_t first) {
  std::optional<Block> best;
  Indicators::Run run(all);
  const std::size_t columns = all.columns().size();
  for (std::size_t last = first; last < columns; ++last) {
    run.add(last);
    if (run.spoilt() > all.few()) break;
    const bool is_all = first == 0 && last + 1 == columns;
    const bool tells = last > first && (is_all || (all.is_large() && run.telling_columns() > 1));
    if (!tells || run.others() > all.few()) continue;
    if (!best || run.others() <= best->others) best = Block{first, last + 1, run.others()};
  }
  return best;
}

}  // namespace

std::optional<bool> indicator(const std::string& field) {
  const std::string text = lower_case(trimmed_cell(field));
  if (text == "true") return true;
  if (text == "false") return false;
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  const bool has_point = text.size() > 1 && (text[1] == '.' || text[1] == ',');
  if (text.size() > 1 && !has_point) return std::nullopt;
  if (text.size() > 2 && text.find_first_not_of('0', 2) != std::string::npos) return std::nullopt;
  return text[0] == '1';
}

OneHotSearch find_one_hot(const CsvTable& table, const std::vector<std::size_t>& free,
                          const std::vector<bool>& counted) {
  const Indicators all(table, free, counted);
  OneHotSearch search;
  search.indicators = all.columns();
  Indicators::Run whole(all);
  for (std::size_t i = 0; i < all.columns().size(); ++i) whole.add(i);
  search.other_rows = whole.others();
  std::vector<Block> found;
  for (std::size_t first = 0; first < all.columns().size(); ++first) {
    const std::optional<Block> best = best_from(all, first);
    if (!best) continue;
    found.push_back(*best);
    if (best->others == 0) first = best->last - 1;
  }
  std::stable_sort(found.begin(), found.end(), [](const Block& a, const Block& b) {
    return a.others != b.others ? a.others < b.others : a.size() > b.size();
  });
  std::vector<Block> taken;
  for (const Block& block : found) {
    const bool meets = std::any_of(taken.begin(), taken.end(),
                                   [&](const Block& other) { return block.meets(other); });
    if (!meets) taken.push_back(block);
  }
  std::sort(taken.begin(), taken.end(),
            [](const Block& a, const Block& b) { return a.first < b.first; });
  for (const Block& block : taken) {
    std::vector<std::size_t>& columns = search.blocks.emplace_back();
    for (std::size_t i = block.first; i < block.last; ++i) columns.push_back(all.columns()[i]);
  }
  return search;
}

OneHotRow one_hot_row(const CsvTable& table, std::size_t row,
                      const std::vector<std::size_t>& columns) {
  OneHotRow result;
  std::vector<std::string> ones;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& field = table.rows[row][columns[i]];
    const std::string& name = table.header[columns[i]];
    const std::optional<bool> value = indicator(field);
    if (!value) {
      const std::string has = trimmed_cell(field).empty() ? "nothing" : in_quotes(field);
      return {std::nullopt, "has " + has + " in the column of the class " + in_quotes(name) +
                                ", where 0 or 1 is expected"};
    }
    if (!*value) continue;
    ones.push_back(name);
    result.place = i;
  }
  if (ones.size() == 1) return result;
  if (ones.empty()) return {std::nullopt, "has no 1 in any of the columns of the classes"};
  return {std::nullopt, "has a 1 in the columns of several classes (" + quoted_names(ones) + ")"};
}

}  // namespace cubcal
