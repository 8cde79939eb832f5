#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/core/array_view.h"
#include "cubcal/core/nd_array.h"
#include "cubcal/io/npy.h"
#include "cubcal/io/zip_archive.h"
#include "cubcal/io/zip_writer.h"

namespace cubcal {

/// Reads the arrays of an .npz file, as np.savez and np.savez_compressed write it. An array called
/// `name` is the archive's member `name.npy`; other members are ignored. A stored array is read
/// straight into its final place on several threads, a deflated one inflated into it.
class NpzReader {
 public:
  explicit NpzReader(const std::string& path);
  explicit NpzReader(std::shared_ptr<const ByteSource> source);

  const std::string& path() const { return archive_.source().name(); }
  /// In the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const;
  /// Type and shape, without reading the elements.
  NpyHeader peek(const std::string& name) const;
  NdArray read(const std::string& name) const;
  std::vector<std::string> read_text(const std::string& name) const;
  /// The array's .npy file, for reading its head and then its elements.
  std::unique_ptr<ByteStream> open(const std::string& name) const;
  /// "the array 'logits' of 'val.npz'", for error messages.
  std::string where(const std::string& name) const;

 private:
  ZipArchive archive_;
  std::vector<std::string> names_;
};

/// Writes an .npz file of stored arrays. Equal input gives equal bytes, and nothing appears at the
/// path before finish().
class NpzWriter {
 public:
  explicit NpzWriter(const std::string& path, ZipWriterOptions options = {});

  void add(const std::string& name, const NdArray& array);
  /// The shape's extents must multiply to the number of values.
  void add(const std::string& name, ArrayView<const double> values,
           const std::vector<std::size_t>& shape);
  void add(const std::string& name, ArrayView<const float> values,
           const std::vector<std::size_t>& shape);
  void add(const std::string& name, ArrayView<const std::int32_t> values,
           const std::vector<std::size_t>& shape);
  void add(const std::string& name, ArrayView<const std::int64_t> values,
           const std::vector<std::size_t>& shape);
  void add(const std::string& name, ArrayView<const std::uint8_t> values,
           const std::vector<std::size_t>& shape);
  /// A one-dimensional Unicode array.
  void add_text(const std::string& name, const std::vector<std::string>& texts);
  void finish();

 private:
  void add_bytes(const std::string& name, DType dtype, const std::vector<std::size_t>& shape,
                 const void* bytes, std::size_t count);

  ZipWriter zip_;
};

}  // namespace cubcal
