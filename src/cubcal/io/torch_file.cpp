#include "cubcal/io/torch_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "storages are read as they lie in little-endian memory");

using Kind = PickleValue::Kind;

/// 0x1950a86a20f9469cfc6c, with which files of the older container start.
constexpr std::string_view kLegacyMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::int64_t kLegacyVersion = 1001;
/// Behind the folder that torch.save names after the file.
constexpr std::string_view kPickle = "/data.pkl";

/// What tensors may take in memory beyond what they take in the file: views of one storage repeat
/// its bytes.
constexpr std::uint64_t kFreeBytes = 64u << 20;
constexpr std::uint64_t kRepeats = 16;

std::string file_text(const ByteSource& source) { return "'" + source.name() + "'"; }

std::uint64_t storage_bytes(const TorchStorage& storage, const std::string& file) {
  if (storage.size > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) /
                         storage.type.file_size) {
    throw DataError("storage " + in_quotes(storage.key) + " of " + file +
                    " is too large to address");
  }
  return storage.size * storage.type.file_size;
}

/// The text of a dictionary entry's key, or null where the key is not a text.
const std::string* key_text(const Pickle& pickle, std::uint32_t key) {
  const PickleValue& value = pickle.at(key);
  return value.kind == Kind::kText ? &value.text : nullptr;
}

}  // namespace

/// Where a container keeps the bytes of its storages.
class TorchFile::StorageBytes {
 public:
  virtual ~StorageBytes() = default;
  /// Throws DataError unless as many bytes are there as the storage says.
  virtual void check(const TorchStorage& storage) const = 0;
  virtual void read(const TorchStorage& storage, std::byte* bytes) const = 0;
};

namespace {

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
  bool repeats = false;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    repeats = repeats || (tensor.shape[i] > 1 && tensor.stride[i] == 0);
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
  if (repeats || count > storage.size) {
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

std::vector<std::size_t> shape_of(const TorchTensor& tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

/// What is left to do where the cells of the file lie in the array.
void finish_array(NdArray& values, const CellType& type, const std::string& name,
                  const std::string& file) {
  if (type.bfloat16) widen_bfloat16(values);
  if (type.dtype == DType::kBool) check_bools(values, file, name);
}

NdArray make_array(const NamedTensor& named, std::uint64_t count, const CellType& type,
                   const std::vector<std::byte>& storage, const std::string& file) {
  const TorchTensor& tensor = *named.tensor;
  NdArray values(type.dtype, shape_of(tensor));
  if (count == 0) return values;
  if (is_contiguous(tensor)) {
    std::memcpy(values.bytes(), storage.data() + tensor.offset * type.file_size,
                static_cast<std::size_t>(count) * type.file_size);
  } else {
    copy_strided(tensor, count, storage.data(), type.file_size, values.bytes());
  }
  finish_array(values, type, named.name, file);
  return values;
}

/// The only tensor of a storage that is the storage as it lies needs no second buffer.
bool is_whole(const TorchTensor& tensor, std::uint64_t count, const TorchStorage& storage) {
  return tensor.offset == 0 && count == storage.size && is_contiguous(tensor);
}

class ZipStorages final : public TorchFile::StorageBytes {
 public:
  ZipStorages(const ZipArchive& archive, std::string folder)
      : archive_(archive), folder_(std::move(folder)) {}

  void check(const TorchStorage& storage) const override { member_of(storage); }

  void read(const TorchStorage& storage, std::byte* bytes) const override {
    const ZipMember& member = member_of(storage);
    const std::unique_ptr<ByteStream> stream = archive_.open(member);
    if (member.size > 0) stream->read(bytes, static_cast<std::size_t>(member.size));
    stream->finish();
  }

 private:
  const ZipMember& member_of(const TorchStorage& storage) const {
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
    return *member;
  }

  const ZipArchive& archive_;
  std::string folder_;
};

/// The folder that holds data.pkl, with its slash: torch.save names it after the file.
std::string find_folder(const ZipArchive& archive) {
  const std::string file = file_text(archive.source());
  std::optional<std::string> folder;
  for (const ZipMember& member : archive.members()) {
    const std::size_t slash = member.name.find('/');
    if (slash == std::string::npos) continue;
    if (member.name.compare(slash, std::string::npos, "/constants.pkl") == 0) {
      throw DataError(file +
                      " is a TorchScript program, and a program is not run; save the tensors or "
                      "module.state_dict() instead");
    }
    if (member.name.compare(slash, std::string::npos, kPickle) != 0) continue;
    if (folder) throw DataError(file + " holds two members called data.pkl");
    folder = member.name.substr(0, slash + 1);
  }
  if (!folder) {
    throw DataError(file +
                    " is a zip archive without a member data.pkl, so torch.save did not "
                    "write it");
  }
  return *folder;
}

/// Storages one after the other behind the pickles, each led by its number of elements.
class SequentialStorages final : public TorchFile::StorageBytes {
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

  void check(const TorchStorage& storage) const override { offset_of(storage); }

  void read(const TorchStorage& storage, std::byte* bytes) const override {
    const std::uint64_t size = storage_bytes(storage, file_text(source_));
    const std::uint64_t offset = offset_of(storage);
    if (size > 0) source_.read_at(offset, bytes, static_cast<std::size_t>(size));
  }

 private:
  std::uint64_t offset_of(const TorchStorage& storage) const {
    const auto offset = offsets_.find(storage.key);
    if (offset == offsets_.end()) {
      throw DataError(file_text(source_) + " has no storage " + in_quotes(storage.key) +
                      ", which one of its tensors needs");
    }
    return offset->second;
  }

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

}  // namespace

const PickleValue* find_entry(const Pickle& pickle, const PickleValue& dict,
                              const std::string& key) {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const std::string* text = key_text(pickle, dict.items[i]);
    if (text != nullptr && *text == key) return &pickle.at(dict.items[i + 1]);
  }
  return nullptr;
}

namespace {

std::size_t count_tensors(const Pickle& pickle, const PickleValue& dict) {
  std::size_t tensors = 0;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    tensors += pickle.at(dict.items[i + 1]).kind == Kind::kTensor;
  }
  return tensors;
}

}  // namespace

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

bool TorchFile::is_likely(const std::shared_ptr<const ByteSource>& source) {
  unsigned char start[2] = {};
  if (source->size() < sizeof start) return false;
  source->read_at(0, start, sizeof start);
  if (!ZipArchive::is_likely(*source)) return start[0] == 0x80 && start[1] <= 5;
  const ZipArchive archive(source);
  const auto is_pickle = [](const ZipMember& member) {
    const std::size_t slash = member.name.find('/');
    return slash != std::string::npos &&
           member.name.compare(slash, std::string::npos, kPickle) == 0;
  };
  return std::any_of(archive.members().begin(), archive.members().end(), is_pickle);
}

TorchFile::TorchFile(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {
  char first = 0;
  if (source_->size() > 0) source_->read_at(0, &first, 1);
  if (first == 'P') {
    open_archive();
  } else {
    open_sequence();
  }
}

TorchFile::~TorchFile() = default;

std::string TorchFile::name() const { return file_text(*source_); }

void TorchFile::open_archive() {
  archive_ = std::make_unique<ZipArchive>(source_);
  const std::string folder = find_folder(*archive_);
  const ZipMember* order = archive_->find(folder + "byteorder");
  if (order != nullptr && archive_->read(*order, 16) != "little") {
    throw DataError(name() +
                    " was not saved in little-endian byte order, the only one "
                    "accepted");
  }
  const std::string bytes = archive_->read(*archive_->find(folder + "data.pkl"), kLargestPickle);
  pickle_ = read_torch_pickle(bytes, name());
  bytes_ = std::make_unique<ZipStorages>(*archive_, folder);
}

void TorchFile::open_sequence() {
  PickleSequence pickles(*source_);
  const Pickle magic = pickles.next();
  if (magic.top().kind != Kind::kLong || magic.top().text != kLegacyMagic) {
    throw DataError(name() + " is a pickle, but PyTorch did not write it");
  }
  const Pickle version = pickles.next();
  if (version.top().kind != Kind::kInteger || version.top().integer != kLegacyVersion) {
    throw DataError(name() + " has a PyTorch file version other than 1001");
  }
  const Pickle system = pickles.next();
  const PickleValue* little = system.top().kind == Kind::kDict
                                  ? find_entry(system, system.top(), "little_endian")
                                  : nullptr;
  if (little == nullptr || little->kind != Kind::kBool || little->integer != 1) {
    throw DataError(name() +
                    " was not saved in little-endian byte order, the only one "
                    "accepted");
  }
  pickle_ = pickles.next();
  const Pickle keys = pickles.next();
  bytes_ = std::make_unique<SequentialStorages>(*source_, pickle_, keys, pickles.position());
}

std::vector<NdArray> TorchFile::read(const std::vector<NamedTensor>& tensors) const {
  const std::string file = name();
  std::vector<std::uint64_t> counts;
  std::map<std::size_t, std::vector<std::size_t>> by_storage;
  std::uint64_t budget = kFreeBytes + kRepeats * source_->size();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TorchTensor& tensor = *tensors[i].tensor;
    const TorchStorage& storage = pickle_.storages[tensor.storage];
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
    const TorchStorage& storage = pickle_.storages[storage_index];
    bytes_->check(storage);
    const std::size_t first = members.front();
    if (members.size() == 1 && is_whole(*tensors[first].tensor, counts[first], storage)) {
      arrays[first] = NdArray(storage.type.dtype, shape_of(*tensors[first].tensor));
      bytes_->read(storage, arrays[first].bytes());
      finish_array(arrays[first], storage.type, tensors[first].name, file);
      continue;
    }
    std::vector<std::byte> content(static_cast<std::size_t>(storage_bytes(storage, file)));
    bytes_->read(storage, content.data());
    for (const std::size_t i : members) {
      arrays[i] = make_array(tensors[i], counts[i], storage.type, content, file);
    }
  }
  return arrays;
}

}  // namespace cubcal
