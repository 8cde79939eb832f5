#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/io/byte_source.h"
#include "cubcal/io/torch_pickle.h"
#include "cubcal/io/zip_archive.h"

namespace cubcal {

struct NamedTensor {
  std::string name;  ///< what errors call it
  const TorchTensor* tensor;
};

/// What torch.save wrote, in either of its two containers: the zip archive (`<name>/data.pkl` and
/// one member per storage, since PyTorch 1.6) and the sequence of pickles before it. No code in the
/// file is run.
class TorchFile {
 public:
  /// Throws DataError where it is neither, is damaged, or holds anything but what a pickle may.
  explicit TorchFile(std::shared_ptr<const ByteSource> source);
  ~TorchFile();
  TorchFile(const TorchFile&) = delete;
  TorchFile& operator=(const TorchFile&) = delete;

  /// Whether the source looks like one: an archive with a data.pkl, or a pickle.
  static bool is_likely(const std::shared_ptr<const ByteSource>& source);

  const Pickle& pickle() const { return pickle_; }
  /// "'test.pt'": the file in errors.
  std::string name() const;

  /// Tensors that share a storage and views that are not contiguous come out as arrays of their
  /// own, in C order; bfloat16 as float32.
  std::vector<NdArray> read(const std::vector<NamedTensor>& tensors) const;

  class StorageBytes;

 private:
  void open_archive();
  void open_sequence();

  std::shared_ptr<const ByteSource> source_;
  std::unique_ptr<ZipArchive> archive_;
  Pickle pickle_;
  std::unique_ptr<StorageBytes> bytes_;
};

/// The value of a dictionary's entry, or null where it has none of this key.
const PickleValue* find_entry(const Pickle& pickle, const PickleValue& dict,
                              const std::string& key);

/// "'state_dict' (320 tensors), 'epoch'": the keys a user can choose from, and the others.
std::string describe_keys(const Pickle& pickle, const PickleValue& dict);

}  // namespace cubcal
