#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/core/content_hash.h"
#include "cubcal/io/folder_lock.h"
#include "cubcal/shard/line_reader.h"
#include "cubcal/shard/shard_head.h"

namespace cubcal {

/// A row of a shard of predictions: the JSON object of one image with its place among all images
/// before it, {"place":17,"image":...}. The place is taken off again where shards are merged.
std::string placed_row(std::size_t place, const std::string& row);
/// The place, and the row as it was, without the end of its line. Throws DataError with `where` as
/// the subject where it is no such row.
std::pair<std::size_t, std::string> row_and_place(const std::string& line,
                                                  const std::string& where);

/// A shard of predictions that is being made. Rows are added in the order of their places to a file
/// in the folder PATH.part, which one process writes at a time; finish() puts the whole shard at
/// PATH. A process that ends before leaves the folder, and the next one goes on there.
class LinesShard {
 public:
  /// `head` without what is known at the end. Throws DataError where the folder holds the beginning
  /// of another job, and IoError where another process writes it.
  LinesShard(const std::string& path, const ShardHead& head);

  /// Whether an earlier process left the row of this image, asked for each image in the order of
  /// places. Throws DataError where it left that of another.
  bool has(std::size_t place, const std::string& image);
  /// Rows of further images, each an object whose first field is "image", written out before this
  /// returns.
  void add(const std::string& placed_rows, std::size_t rows, std::size_t unreadable);
  /// Rows that were there before.
  std::size_t rows_before() const { return rows_before_; }
  std::size_t unreadable() const { return head_.unreadable; }
  /// `images` and `data_hash` are of the whole list.
  void finish(std::size_t images, const std::string& data_hash, const std::string& time);

 private:
  void open_rows();

  std::string path_;
  std::string folder_;
  std::string rows_path_;
  ShardHead head_;
  std::optional<FolderLock> lock_;
  LineReader earlier_;
  bool is_reading_ = true;  ///< rows of earlier processes may follow
  std::size_t rows_before_ = 0;
  ContentHash hash_;
  std::ofstream rows_;
};

/// The head of the finished shard at the path, nothing where there is no file. Throws DataError
/// where the file is none.
std::optional<ShardHead> finished_lines_shard(const std::string& path);

/// Writes the rows of all shards in the order of their places, each as an unsharded run would have
/// written it. Memory grows with the number of shards and not with that of rows. The shards have
/// passed check_one_job. Throws DataError where rows are damaged, missing or there twice.
void merge_lines(const std::vector<ShardFile>& shards, const std::string& output);

}  // namespace cubcal
