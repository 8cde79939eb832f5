#include "cubcal/io/torch_pickle.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Kind = PickleValue::Kind;
using Index = std::uint32_t;

/// Bounds on memory. A value takes about a hundred bytes and as little as one byte of pickle, and
/// a remembered list can be copied by a three-byte call.
constexpr std::size_t kMostValues = 2u << 20;
constexpr std::size_t kMostItems = 8u << 20;
constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostArguments = 8;
constexpr std::size_t kLongestName = 256;

struct StorageName {
  const char* name;
  CellType type;
};

constexpr StorageName kStorages[] = {{"torch.FloatStorage", {DType::kF32, 4, false}},
                                     {"torch.DoubleStorage", {DType::kF64, 8, false}},
                                     {"torch.HalfStorage", {DType::kF16, 2, false}},
                                     {"torch.BFloat16Storage", {DType::kF32, 2, true}},
                                     {"torch.LongStorage", {DType::kI64, 8, false}},
                                     {"torch.IntStorage", {DType::kI32, 4, false}},
                                     {"torch.ShortStorage", {DType::kI16, 2, false}},
                                     {"torch.CharStorage", {DType::kI8, 1, false}},
                                     {"torch.ByteStorage", {DType::kU8, 1, false}},
                                     {"torch.BoolStorage", {DType::kBool, 1, false}},
                                     {"torch.UntypedStorage", {DType::kU8, 1, false}},
                                     {"torch.storage.UntypedStorage", {DType::kU8, 1, false}}};

constexpr const char* kOrderedDict = "collections.OrderedDict";
constexpr const char* kTensorOld = "torch._utils._rebuild_tensor";
constexpr const char* kTensor = "torch._utils._rebuild_tensor_v2";
constexpr const char* kParameter = "torch._utils._rebuild_parameter";

const StorageName* find_storage(const std::string& name) {
  for (const StorageName& storage : kStorages) {
    if (name == storage.name) return &storage;
  }
  return nullptr;
}

bool is_accepted(const std::string& name) {
  return name == kOrderedDict || name == kTensorOld || name == kTensor || name == kParameter ||
         find_storage(name) != nullptr;
}

/// The pickle machine: reads opcodes, keeps a stack, marks on it, and a memo.
class Machine {
 public:
  Machine(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {
    // Values with one possible content are shared.
    none_ = add(Kind::kNone);
    false_ = add(Kind::kBool);
    true_ = add(Kind::kBool, 1);
  }

  Pickle run() {
    while (step()) {
    }
    pickle_.root = pop();
    if (!stack_.empty() || !marks_.empty()) fail("ends with more than one object");
    pickle_.end = position_;
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError("the pickle in " + file_ + " " + what + " (at byte " +
                    std::to_string(position_) + ")");
  }

  [[noreturn]] void refuse(const std::string& name) const {
    throw DataError(file_ + " asks for the Python object " + in_quotes(name) +
                    ", which is refused: loading runs no code, and only tensors, numbers, " +
                    "strings, lists, tuples and dictionaries are accepted");
  }

  // --- bytes ---

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - position_) fail("is cut short");
    const std::string_view taken = bytes_.substr(position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return taken;
  }

  std::uint64_t take_count(std::size_t width) {
    const std::string_view raw = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[i])) << (8 * i);
    }
    return value;
  }

  std::string take_line() {
    const std::size_t end = bytes_.find('\n', position_);
    if (end == std::string_view::npos) fail("is cut short");
    std::string line(bytes_.substr(position_, end - position_));
    position_ = end + 1;
    return line;
  }

  // --- values ---

  Index add(Kind kind, std::int64_t integer = 0) {
    if (pickle_.values.size() >= kMostValues) fail("holds too many objects");
    pickle_.values.emplace_back();
    pickle_.values.back().kind = kind;
    pickle_.values.back().integer = integer;
    return static_cast<Index>(pickle_.values.size() - 1);
  }

  Index add_text(Kind kind, std::string text) {
    const Index index = add(kind);
    pickle_.values[index].text = std::move(text);
    return index;
  }

  /// Counts the items of all containers and tensors together.
  void spend(std::size_t items) {
    spent_ += items;
    if (spent_ > kMostItems) fail("holds too many items");
  }

  Index add_items(Kind kind, std::vector<Index> items) {
    spend(items.size());
    const Index index = add(kind);
    pickle_.values[index].items = std::move(items);
    return index;
  }

  PickleValue& value(Index index) { return pickle_.values[index]; }
  bool is(Index index, Kind kind) { return value(index).kind == kind; }

  // --- stack ---

  void push(Index index) {
    if (stack_.size() >= kMostValues) fail("needs too deep a stack");
    stack_.push_back(index);
  }

  void check_above_mark() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("takes from an empty stack");
  }

  Index peek() {
    check_above_mark();
    return stack_.back();
  }

  Index pop() {
    const Index index = peek();
    stack_.pop_back();
    return index;
  }

  std::vector<Index> pop_to_mark() {
    if (marks_.empty()) fail("closes a group it never opened");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Index> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }

  std::vector<Index> pop_several(std::size_t count) {
    std::vector<Index> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }

  // --- opcodes that build ---

  void extend(Index container, Kind kind, const std::vector<Index>& items) {
    if (!is(container, kind)) fail("adds items to an object that takes none");
    if (kind == Kind::kDict && items.size() % 2 != 0) fail("has a dictionary key without value");
    spend(items.size());
    std::vector<Index>& old = value(container).items;
    old.insert(old.end(), items.begin(), items.end());
  }

  void push_integer(std::string_view raw) {
    if (raw.size() > 8) {
      push(add_text(Kind::kLong, std::string(raw)));
      return;
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[i])) << (8 * i);
    }
    const std::size_t width = 8 * raw.size();
    if (width > 0 && width < 64 && (bits >> (width - 1)) != 0) bits |= ~std::uint64_t{0} << width;
    std::int64_t integer;
    std::memcpy(&integer, &bits, sizeof integer);
    push(add(Kind::kInteger, integer));
  }

  void push_real() {
    const std::string_view raw = take(8);
    std::uint64_t bits = 0;  // big endian, unlike everything else
    for (const char byte : raw) bits = (bits << 8) | static_cast<unsigned char>(byte);
    const Index index = add(Kind::kReal);
    std::memcpy(&value(index).real, &bits, sizeof bits);
    push(index);
  }

  void push_text(std::uint64_t size) { push(add_text(Kind::kText, std::string(take(size)))); }

  void push_global(const std::string& name) {
    if (!is_accepted(name)) refuse(name);
    push(add_text(Kind::kGlobal, name));
  }

  void push_stack_global() {
    const Index name = pop();
    const Index module = pop();
    if (!is(name, Kind::kText) || !is(module, Kind::kText) ||
        value(name).text.size() > kLongestName || value(module).text.size() > kLongestName) {
      fail("names an object without a short text");
    }
    push_global(value(module).text + "." + value(name).text);
  }

  void remember(std::uint64_t slot) { memo_[slot] = peek(); }

  void recall(std::uint64_t slot) {
    const auto found = memo_.find(slot);
    if (found == memo_.end()) fail("refers to an object it did not store");
    push(found->second);
  }

  // --- PyTorch's objects ---

  std::uint64_t count_from(Index index, const char* what) {
    if (!is(index, Kind::kInteger) || value(index).integer < 0) {
      fail(std::string("gives ") + what + " that is not a non-negative integer");
    }
    return static_cast<std::uint64_t>(value(index).integer);
  }

  std::vector<std::uint64_t> counts_from(Index index, const char* what) {
    const bool list = is(index, Kind::kTuple) || is(index, Kind::kList);
    if (!list || value(index).items.size() > kMostDimensions) {
      fail(std::string("gives ") + what + " that is not a short tuple");
    }
    std::vector<std::uint64_t> counts;
    for (const Index item : value(index).items) counts.push_back(count_from(item, what));
    return counts;
  }

  std::vector<Index> arguments_of(Index tuple) {
    if (!is(tuple, Kind::kTuple) || value(tuple).items.size() > kMostArguments) {
      fail("has arguments that are not a short tuple");
    }
    return value(tuple).items;
  }

  /// ('storage', storage type, key, location, size) and, in the format before zip, view metadata.
  void push_storage() {
    const Index id = pop();
    const std::vector<Index> items = arguments_of(id);
    if (items.size() < 5 || items.size() > 6 || !is(items[0], Kind::kText) ||
        value(items[0]).text != "storage" || !is(items[1], Kind::kGlobal) ||
        !is(items[2], Kind::kText) || value(items[2]).text.size() > kLongestName) {
      fail("refers to outside data that is not a tensor storage");
    }
    if (items.size() == 6 && !is(items[5], Kind::kNone)) {
      fail(
          "has a view of a storage as PyTorch before 1.0 wrote it, which is not supported; load "
          "and save it with a newer PyTorch");
    }
    const StorageName* type = find_storage(value(items[1]).text);
    if (type == nullptr) fail("has a storage without a type");
    const std::string& key = value(items[2]).text;
    const std::uint64_t size = count_from(items[4], "a storage size");
    const auto [known, is_new] = storage_of_key_.emplace(key, pickle_.storages.size());
    if (is_new) {
      pickle_.storages.push_back({key, type->type, size});
    } else {
      const TorchStorage& first = pickle_.storages[known->second];
      if (first.size != size || first.type.dtype != type->type.dtype ||
          first.type.file_size != type->type.file_size) {
        fail("describes storage " + in_quotes(key) + " in two ways");
      }
    }
    push(add(Kind::kStorage, static_cast<std::int64_t>(known->second)));
  }

  void push_tensor(const std::vector<Index>& arguments) {
    TorchTensor tensor;
    if (!is(arguments[0], Kind::kStorage)) fail("builds a tensor without a storage");
    tensor.storage = static_cast<std::size_t>(value(arguments[0]).integer);
    tensor.offset = count_from(arguments[1], "a tensor offset");
    tensor.shape = counts_from(arguments[2], "a tensor shape");
    tensor.stride = counts_from(arguments[3], "a tensor stride");
    if (tensor.shape.size() != tensor.stride.size()) {
      fail("builds a tensor whose shape and stride differ in length");
    }
    spend(2 * tensor.shape.size());
    pickle_.tensors.push_back(std::move(tensor));
    push(add(Kind::kTensor, static_cast<std::int64_t>(pickle_.tensors.size() - 1)));
  }

  /// OrderedDict() or, as Python 2 wrote it, OrderedDict([[key, value], ...]).
  void push_ordered_dict(const std::vector<Index>& arguments) {
    std::vector<Index> items;
    if (arguments.size() > 1) fail("builds an OrderedDict from several arguments");
    if (arguments.size() == 1) {
      if (!is(arguments[0], Kind::kList)) fail("builds an OrderedDict from something else");
      spend(2 * value(arguments[0]).items.size());
      for (const Index pair : value(arguments[0]).items) {
        const bool list = is(pair, Kind::kList) || is(pair, Kind::kTuple);
        if (!list || value(pair).items.size() != 2) fail("builds an OrderedDict from no pairs");
        items.insert(items.end(), value(pair).items.begin(), value(pair).items.end());
      }
    }
    push(add_items(Kind::kDict, std::move(items)));
  }

  void reduce() {
    const Index arguments_index = pop();
    const Index callable = pop();
    if (!is(callable, Kind::kGlobal)) fail("calls something that is not a known name");
    const std::vector<Index> arguments = arguments_of(arguments_index);
    const std::string name = value(callable).text;
    if (name == kOrderedDict) {
      push_ordered_dict(arguments);
    } else if ((name == kTensor && (arguments.size() == 6 || arguments.size() == 7)) ||
               (name == kTensorOld && arguments.size() == 4)) {
      push_tensor(arguments);
    } else if (name == kParameter && arguments.size() == 3 && is(arguments[0], Kind::kTensor)) {
      push(arguments[0]);
    } else {
      fail("uses " + in_quotes(name) + " with arguments it does not take");
    }
  }

  /// An OrderedDict's attributes, such as the version numbers modules leave in `_metadata`, carry
  /// no tensors and are dropped.
  void build() {
    const Index state = pop();
    if (!is(peek(), Kind::kDict) || !is(state, Kind::kDict)) {
      fail("sets the state of an object that has none");
    }
  }

  /// One opcode; false at STOP.
  bool step() {
    const auto opcode = static_cast<unsigned char>(take(1)[0]);
    switch (opcode) {
      case 0x80:  // PROTO
        if (take_count(1) > 5) fail("has a protocol newer than 5");
        return true;
      case 0x95: take_count(8); return true;  // FRAME
      case '.': return false;                 // STOP
      case '(':                               // MARK
        if (marks_.size() >= kMostValues) fail("opens too many groups");
        marks_.push_back(stack_.size());
        return true;
      case '0': pop(); return true;                  // POP
      case '1': pop_to_mark(); return true;          // POP_MARK
      case '2': push(peek()); return true;           // DUP
      case 'N': push(none_); return true;            // NONE
      case 0x88: push(true_); return true;           // NEWTRUE
      case 0x89: push(false_); return true;          // NEWFALSE
      case 'J': push_integer(take(4)); return true;  // BININT
      case 'K': push(add(Kind::kInteger, static_cast<std::int64_t>(take_count(1)))); return true;
      case 'M': push(add(Kind::kInteger, static_cast<std::int64_t>(take_count(2)))); return true;
      case 0x8a: push_integer(take(take_count(1))); return true;  // LONG1
      case 0x8b: push_integer(take(take_count(4))); return true;  // LONG4
      case 'G': push_real(); return true;                         // BINFLOAT
      case 'X':
      case 'T': push_text(take_count(4)); return true;  // BINUNICODE, BINSTRING
      case 0x8c:
      case 'U': push_text(take_count(1)); return true;   // their short forms
      case 0x8d: push_text(take_count(8)); return true;  // BINUNICODE8
      case ')': push(add(Kind::kTuple)); return true;    // EMPTY_TUPLE
      case 0x85:
      case 0x86:
      case 0x87:  // TUPLE1, TUPLE2, TUPLE3
        push(add_items(Kind::kTuple, pop_several(opcode - 0x84u)));
        return true;
      case 't': push(add_items(Kind::kTuple, pop_to_mark())); return true;  // TUPLE
      case ']': push(add(Kind::kList)); return true;                        // EMPTY_LIST
      case 'l': push(add_items(Kind::kList, pop_to_mark())); return true;   // LIST
      case 'a': {                                                           // APPEND
        const std::vector<Index> items = pop_several(1);
        extend(peek(), Kind::kList, items);
        return true;
      }
      case 'e': {  // APPENDS
        const std::vector<Index> items = pop_to_mark();
        extend(peek(), Kind::kList, items);
        return true;
      }
      case '}': push(add(Kind::kDict)); return true;  // EMPTY_DICT
      case 's': {                                     // SETITEM
        const std::vector<Index> items = pop_several(2);
        extend(peek(), Kind::kDict, items);
        return true;
      }
      case 'u': {  // SETITEMS
        const std::vector<Index> items = pop_to_mark();
        extend(peek(), Kind::kDict, items);
        return true;
      }
      case 'd': {  // DICT
        const std::vector<Index> items = pop_to_mark();
        const Index dict = add(Kind::kDict);
        extend(dict, Kind::kDict, items);
        push(dict);
        return true;
      }
      case 'c': {  // GLOBAL
        const std::string module = take_line();
        push_global(module + "." + take_line());
        return true;
      }
      case 0x93: push_stack_global(); return true;     // STACK_GLOBAL
      case 'R': reduce(); return true;                 // REDUCE
      case 'b': build(); return true;                  // BUILD
      case 'Q': push_storage(); return true;           // BINPERSID
      case 'q': remember(take_count(1)); return true;  // BINPUT
      case 'r': remember(take_count(4)); return true;  // LONG_BINPUT
      case 0x94: remember(memo_.size()); return true;  // MEMOIZE
      case 'h': recall(take_count(1)); return true;    // BINGET
      case 'j': recall(take_count(4)); return true;    // LONG_BINGET
      default: fail("uses opcode " + std::to_string(opcode) + ", which no state dict needs");
    }
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t position_ = 0;
  Pickle pickle_;
  Index none_, false_, true_;
  std::size_t spent_ = 0;
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Index> memo_;
  std::unordered_map<std::string, std::size_t> storage_of_key_;
};

}  // namespace

Pickle read_torch_pickle(std::string_view bytes, const std::string& file) {
  return Machine(bytes.substr(0, kLargestPickle), file).run();
}

}  // namespace cubcal
