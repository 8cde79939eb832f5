#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <tuple>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/shard/line_reader.h"
#include "cubcal/shard/lines_shard.h"

namespace cubcal {

namespace {

/// The rows of one shard, of which the next is looked at.
class ShardRows {
 public:
  explicit ShardRows(const ShardFile& shard) : shard_(shard), reader_(shard.path) {
    std::string head;
    reader_.next(head);
    step();
  }

  bool is_at_end() const { return is_at_end_; }
  std::size_t place() const { return place_; }
  const std::string& row() const { return row_; }

  void step() {
    std::string line;
    if (!reader_.next(line)) {
      is_at_end_ = true;
      if (count_ == shard_.head.rows && hash_.text() == shard_.head.rows_hash) return;
      throw DataError("'" + shard_.path +
                      "' is damaged: its rows are not those it was written with");
    }
    hash_.add(line);
    ++count_;
    std::tie(place_, row_) =
        row_and_place(line, "line " + std::to_string(count_ + 1) + " of '" + shard_.path + "'");
  }

 private:
  const ShardFile& shard_;
  LineReader reader_;
  ContentHash hash_;
  std::size_t count_ = 0;
  bool is_at_end_ = false;
  std::size_t place_ = 0;
  std::string row_;
};

}  // namespace

void merge_lines(const std::vector<ShardFile>& shards, const std::string& output) {
  std::vector<std::unique_ptr<ShardRows>> rows;
  using Next = std::pair<std::size_t, ShardRows*>;  // the place of its next row
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  for (const ShardFile& shard : shards) {
    rows.push_back(std::make_unique<ShardRows>(shard));
    if (!rows.back()->is_at_end()) queue.emplace(rows.back()->place(), rows.back().get());
  }
  AtomicFile file(output);
  std::size_t expected = 0;
  for (; !queue.empty(); ++expected) {
    ShardRows* const next = queue.top().second;
    queue.pop();
    if (next->place() != expected) {
      throw DataError("the row of image " + std::to_string(std::min(next->place(), expected)) +
                      (next->place() < expected ? " is there twice" : " is in no shard"));
    }
    file.write(next->row());
    file.write("\n");
    next->step();
    if (!next->is_at_end()) queue.emplace(next->place(), next);
  }
  file.commit();
}

}  // namespace cubcal
