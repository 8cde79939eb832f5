#include "cubcal/weights/torch_pickle_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/io/zip_archive.h"
#include "cubcal/weights/torch_pickle.h"

namespace cubcal {

namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "storages are read as they lie in little-endian memory");

using Kind = PickleValue::Kind;

/// 0x1950a86a20f9469cfc6c, with which files of the older container start.
constexpr std::string_view kLegacyMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::int64_t kLegacyVersion = 1001;

/// What tensors may take in memory beyond what they take in the file: views of one storage repeat
/// its bytes.
constexpr std::uint64_t kFreeBytes = 64u << 20;
constexpr std::uint64_t kRepeats = 16;

std::string file_text(const ByteSource& source) { return "'" + source.name() + "'"; }

/// Where a container keeps the bytes of its storages.
class StorageBytes {
 public:
  virtual ~StorageBytes() = default;
  virtual std::vector<std::byte> read(const TorchStorage& storage) const = 0;
};

std::uint64_t storage_bytes(const TorchStorage& storage, const std::string& file) {
  if (storage.size > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) /
                         storage.type.file_size) {
    throw DataError("storage " + in_quotes(storage.key) + " of " + file +
                    " is too large to address");
  }
  return storage.size * storage.type.file_size;
}

/// The text of a dictionary entry's key, or null where the key is no text.
const std::string* key_text(const Pickle& pickle, std::uint32_t key) {
  const PickleValue& value = pickle.at(key);
  return value.kind == Kind::kText ? &value.text : nullptr;
}

const PickleValue* find_entry(const Pickle& pickle, const PickleValue& dict,
                              const std::string& key) {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const std::string* text = key_text(pickle, dict.items[i]);
    if (text != nullptr && *text == key) return &pickle.at(dict.items[i + 1]);
  }
  return nullptr;
}

std::size_t count_tensors(const Pickle& pickle, const PickleValue& dict) {
  std::size_t tensors = 0;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    tensors += pickle.at(dict.items[i + 1]).kind == Kind::kTensor;
  }
  return tensors;
}

/// "'state_dict' (320 tensors), 'epoch'": the keys a user can choose from, and the others.
std::string describe_keys(const Pickle& pickle, const PickleValue& dict) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    if (i > 0) text += ", ";
    if (i / 2 == most) return text + "...";
    const std::string* key = key_text(pickle, dict.items[i]);
    const PickleValue& value = pickle.at(dict.items[i + 1]);
    text += key != nullptr ? in_quotes(*key) : std::string("a key that is not text");
    if (value.kind == Kind::kDict) {
      text += " (" + std::to_string(count_tensors(pickle, value)) + " tensors)";
    }
  }
  return text.empty() ? "none" : text;
}

const PickleValue& choose_dict(const Pickle& pickle, const std::string& key,
                               const std::string& file) {
  const PickleValue& top = pickle.top();
  if (top.kind != Kind::kDict) {
    throw DataError(file + " holds no dictionary of tensors, which a state dict is");
  }
  if (key.empty()) return top;
  const PickleValue* chosen = find_entry(pickle, top, key);
  if (chosen == nullptr || chosen->kind != Kind::kDict) {
    throw ArgumentError("the key " + in_quotes(key) + " of " + file +
                        (chosen == nullptr ? " does not exist" : " is no dictionary") +
                        "; its keys are " + describe_keys(pickle, top));
  }
  return *chosen;
}

struct NamedTensor {
  std::string name;
  const TorchTensor* tensor;
};

std::vector<NamedTensor> list_tensors(const Pickle& pickle, const std::string& key,
                                      const std::string& file) {
  const PickleValue& dict = choose_dict(pickle, key, file);
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const std::string* name = key_text(pickle, dict.items[i]);
    const PickleValue& value = pickle.at(dict.items[i + 1]);
    if (name != nullptr && value.kind == Kind::kTensor) {
      tensors.push_back({*name, &pickle.tensors[static_cast<std::size_t>(value.integer)]});
      continue;
    }
    const std::string what =
        name == nullptr ? "a key that is not text" : "entry " + in_quotes(*name);
    throw DataError((key.empty() ? file : "the key " + in_quotes(key) + " of " + file) +
                    " is no state dict, since " + what + (name == nullptr ? "" : " is no tensor") +
                    "; choose the key that holds the state dict, from " +
                    describe_keys(pickle, pickle.top()));
  }
  if (tensors.empty()) throw DataError(file + " holds an empty state dict");
  return tensors;
}

std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, const std::string& where) {
  if (b != 0 && a > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / b) {
    throw DataError(where + " is too large to address");
  }
  return a * b;
}

/// The number of elements, after checking that all of them lie in the storage. A tensor with more
/// elements than its storage repeats them (an expanded view): a few bytes of such a file could ask
/// for any amount of memory.
std::uint64_t check_tensor(const TorchTensor& tensor, const TorchStorage& storage,
                           const std::string& where) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : tensor.shape) count = checked_product(count, extent, where);
  if (count == 0) return 0;
  std::uint64_t last = tensor.offset;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const std::uint64_t reach = checked_product(tensor.shape[i] - 1, tensor.stride[i], where);
    if (reach > std::numeric_limits<std::uint64_t>::max() - last) {
      throw DataError(where + " is too large to address");
    }
    last += reach;
  }
  if (last >= storage.size) {
    throw DataError(where + " reaches element " + std::to_string(last) + " of a storage of " +
                    std::to_string(storage.size));
  }
  if (count > storage.size) {
    throw DataError(where + " is an expanded view, " + std::to_string(count) +
                    " elements of a storage of " + std::to_string(storage.size) +
                    "; save a copy of it instead");
  }
  return count;
}

/// Gathers a tensor of `count` elements from its storage, in C order.
void copy_strided(const TorchTensor& tensor, std::uint64_t count, const std::byte* storage,
                  std::size_t cell, std::byte* out) {
  const std::size_t dimensions = tensor.shape.size();
  std::vector<std::uint64_t> at(dimensions, 0);
  std::uint64_t element = tensor.offset;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * cell, storage + element * cell, cell);
    for (std::size_t d = dimensions; d-- > 0;) {
      element += tensor.stride[d];
      if (++at[d] < tensor.shape[d]) break;
      element -= tensor.stride[d] * tensor.shape[d];
      at[d] = 0;
    }
  }
}

bool is_contiguous(const TorchTensor& tensor) {
  std::uint64_t expected = 1;
  for (std::size_t d = tensor.shape.size(); d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.stride[d] != expected) return false;
    expected *= tensor.shape[d];
  }
  return true;
}

NdArray make_array(const NamedTensor& named, std::uint64_t count, const CellType& type,
                   const std::vector<std::byte>& storage, const std::string& file) {
  const TorchTensor& tensor = *named.tensor;
  NdArray values(type.dtype, std::vector<std::size_t>(tensor.shape.begin(), tensor.shape.end()));
  if (count == 0) return values;
  if (is_contiguous(tensor)) {
    std::memcpy(values.bytes(), storage.data() + tensor.offset * type.file_size,
                static_cast<std::size_t>(count) * type.file_size);
  } else {
    copy_strided(tensor, count, storage.data(), type.file_size, values.bytes());
  }
  if (type.bfloat16) widen_bfloat16(values);
  if (type.dtype == DType::kBool) check_bools(values, file, named.name);
  return values;
}

StateDict read_tensors(const Pickle& pickle, const StorageBytes& bytes, const std::string& key,
                       const ByteSource& source) {
  const std::string file = file_text(source);
  const std::vector<NamedTensor> tensors = list_tensors(pickle, key, file);
  std::vector<std::uint64_t> counts;
  std::map<std::size_t, std::vector<std::size_t>> by_storage;
  std::uint64_t budget = kFreeBytes + kRepeats * source.size();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TorchTensor& tensor = *tensors[i].tensor;
    const TorchStorage& storage = pickle.storages[tensor.storage];
    const std::string where = "tensor " + in_quotes(tensors[i].name) + " of " + file;
    counts.push_back(check_tensor(tensor, storage, where));
    const std::uint64_t needed = checked_product(counts[i], dtype_size(storage.type.dtype), where);
    if (needed > budget) {
      throw DataError(file + " repeats its storages in views that take more than " +
                      std::to_string(kRepeats) + " times the file");
    }
    budget -= needed;
    by_storage[tensor.storage].push_back(i);
  }
  // Each storage is read once and dropped again before the next.
  std::vector<NdArray> arrays(tensors.size());
  for (const auto& [storage_index, members] : by_storage) {
    const TorchStorage& storage = pickle.storages[storage_index];
    const std::vector<std::byte> content = bytes.read(storage);
    for (const std::size_t i : members) {
      arrays[i] = make_array(tensors[i], counts[i], storage.type, content, file);
    }
  }
  StateDict result;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    result.add(tensors[i].name, std::move(arrays[i]));
  }
  return result;
}

class ZipStorages final : public StorageBytes {
 public:
  ZipStorages(const ZipArchive& archive, std::string folder)
      : archive_(archive), folder_(std::move(folder)) {}

  std::vector<std::byte> read(const TorchStorage& storage) const override {
    const std::string file = file_text(archive_.source());
    const std::uint64_t size = storage_bytes(storage, file);
    const ZipMember* member = archive_.find(folder_ + "data/" + storage.key);
    if (member == nullptr) {
      throw DataError(file + " has no member " + in_quotes(folder_ + "data/" + storage.key) +
                      ", which one of its tensors needs");
    }
    if (member->size != size) {
      throw DataError("the member " + in_quotes(member->name) + " of " + file + " has " +
                      std::to_string(member->size) + " bytes but its tensors need " +
                      std::to_string(size));
    }
    const std::unique_ptr<ByteStream> stream = archive_.open(*member);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    if (size > 0) stream->read(bytes.data(), bytes.size());
    stream->finish();
    return bytes;
  }

 private:
  const ZipArchive& archive_;
  std::string folder_;
};

/// The folder that holds data.pkl, with its slash: torch.save names it after the file.
std::string find_folder(const ZipArchive& archive) {
  const std::string file = file_text(archive.source());
  constexpr std::string_view pickle = "/data.pkl";
  std::optional<std::string> folder;
  for (const ZipMember& member : archive.members()) {
    const std::size_t slash = member.name.find('/');
    if (slash == std::string::npos) continue;
    if (member.name.compare(slash, std::string::npos, "/constants.pkl") == 0) {
      throw DataError(file +
                      " is a TorchScript program, not a state dict; save "
                      "module.state_dict() instead");
    }
    if (member.name.compare(slash, std::string::npos, pickle) != 0) continue;
    if (folder) throw DataError(file + " holds two members called data.pkl");
    folder = member.name.substr(0, slash + 1);
  }
  if (!folder) {
    throw DataError(file +
                    " is a zip archive without a member data.pkl, so PyTorch did not "
                    "write it as a state dict");
  }
  return *folder;
}

StateDict read_zip(std::shared_ptr<const ByteSource> source, const std::string& key) {
  const ZipArchive archive(source);
  const std::string folder = find_folder(archive);
  const ZipMember* order = archive.find(folder + "byteorder");
  if (order != nullptr && archive.read(*order, 16) != "little") {
    throw DataError(file_text(*source) +
                    " was not saved in little-endian byte order, the only one "
                    "accepted");
  }
  const std::string bytes = archive.read(*archive.find(folder + "data.pkl"), kLargestPickle);
  const Pickle pickle = read_torch_pickle(bytes, file_text(*source));
  return read_tensors(pickle, ZipStorages(archive, folder), key, *source);
}

/// Storages one after the other behind the pickles, each led by its number of elements.
class SequentialStorages final : public StorageBytes {
 public:
  /// `keys` is the unpickled list that names the storages in their order; they start at `start`.
  SequentialStorages(const ByteSource& source, const Pickle& pickle, const Pickle& keys,
                     std::uint64_t start)
      : source_(source) {
    const std::string file = file_text(source);
    std::unordered_map<std::string, const TorchStorage*> known;
    for (const TorchStorage& storage : pickle.storages) known[storage.key] = &storage;
    if (keys.top().kind != Kind::kList) throw DataError(file + " has no list of storages");
    std::uint64_t at = start;
    for (const std::uint32_t index : keys.top().items) {
      const std::string* key = key_text(keys, index);
      const auto storage = key == nullptr ? known.end() : known.find(*key);
      if (storage == known.end()) {
        throw DataError(file + " lists a storage that none of its tensors uses");
      }
      std::uint64_t count = 0;
      source.read_at(at, &count, sizeof count);
      const std::uint64_t size = storage_bytes(*storage->second, file);
      if (count != storage->second->size || size > source.size() - at - sizeof count) {
        throw DataError("storage " + in_quotes(*key) + " of " + file + " has " +
                        std::to_string(count) + " elements where its tensors need " +
                        std::to_string(storage->second->size) + ", or is cut short");
      }
      at += sizeof count;
      offsets_[*key] = at;
      at += size;
    }
  }

  std::vector<std::byte> read(const TorchStorage& storage) const override {
    const auto offset = offsets_.find(storage.key);
    if (offset == offsets_.end()) {
      throw DataError(file_text(source_) + " has no storage " + in_quotes(storage.key) +
                      ", which one of its tensors needs");
    }
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(storage_bytes(storage, file_text(source_))));
    if (!bytes.empty()) source_.read_at(offset->second, bytes.data(), bytes.size());
    return bytes;
  }

 private:
  const ByteSource& source_;
  std::unordered_map<std::string, std::uint64_t> offsets_;
};

/// Reads the pickles that follow each other at the front of a file.
class PickleSequence {
 public:
  explicit PickleSequence(const ByteSource& source) : source_(source) {}

  Pickle next() {
    const std::uint64_t left = source_.size() - position_;
    std::string window(static_cast<std::size_t>(std::min<std::uint64_t>(left, kLargestPickle)),
                       '\0');
    source_.read_at(position_, window.data(), window.size());
    Pickle pickle = read_torch_pickle(window, file_text(source_));
    position_ += pickle.end;
    return pickle;
  }

  std::uint64_t position() const { return position_; }

 private:
  const ByteSource& source_;
  std::uint64_t position_ = 0;
};

StateDict read_sequence(const ByteSource& source, const std::string& key) {
  PickleSequence pickles(source);
  const Pickle magic = pickles.next();
  if (magic.top().kind != Kind::kLong || magic.top().text != kLegacyMagic) {
    throw DataError(file_text(source) + " is a pickle, but PyTorch did not write it");
  }
  const Pickle version = pickles.next();
  if (version.top().kind != Kind::kInteger || version.top().integer != kLegacyVersion) {
    throw DataError(file_text(source) + " has a PyTorch file version other than 1001");
  }
  const Pickle system = pickles.next();
  const PickleValue* little = system.top().kind == Kind::kDict
                                  ? find_entry(system, system.top(), "little_endian")
                                  : nullptr;
  if (little == nullptr || little->kind != Kind::kBool || little->integer != 1) {
    throw DataError(file_text(source) +
                    " was not saved in little-endian byte order, the only one "
                    "accepted");
  }
  const Pickle pickle = pickles.next();
  const Pickle keys = pickles.next();
  return read_tensors(pickle, SequentialStorages(source, pickle, keys, pickles.position()), key,
                      source);
}

}  // namespace

StateDict read_torch_state_dict(std::shared_ptr<const ByteSource> source,
                                const StateDictOptions& options) {
  char first = 0;
  if (source->size() > 0) source->read_at(0, &first, 1);
  if (first == 'P') return read_zip(std::move(source), options.key);
  return read_sequence(*source, options.key);
}

}  // namespace cubcal
