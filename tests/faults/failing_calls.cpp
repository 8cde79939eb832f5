// Preloaded into the program by the tests of faults, it makes calls of the operating system fail.
//
//   CUBCAL_FAIL=write|fsync|rename|mkdir|open|create|malloc
//                                                which call; create: an open() that may write
//   CUBCAL_FAIL_AT=n                             the n-th from the start of main(), counted from 1;
//                                                of malloc that one and all that follow
//   CUBCAL_FAIL_WITH=errno                       as a number; malloc has ENOMEM
//   CUBCAL_FAIL_MARK=path                        a file that is made when a call was made to fail
//
// What goes to standard error never fails: there the program says what happened.
//
//   CUBCAL_SLOW_MESSAGES=n                       each write to standard error takes n ms

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum class Call { kNone, kWrite, kFsync, kRename, kMkdir, kOpen, kCreate, kMalloc };

// Set before main() starts; what is behind it is not the program's either.
Call failing = Call::kNone;
long failing_at = 0;
int failing_with = EIO;
const char* mark = nullptr;
useconds_t slow_messages = 0;

std::atomic<long> calls{0};

Call call_named(const char* name) {
  if (std::strcmp(name, "write") == 0) return Call::kWrite;
  if (std::strcmp(name, "fsync") == 0) return Call::kFsync;
  if (std::strcmp(name, "rename") == 0) return Call::kRename;
  if (std::strcmp(name, "mkdir") == 0) return Call::kMkdir;
  if (std::strcmp(name, "open") == 0) return Call::kOpen;
  if (std::strcmp(name, "create") == 0) return Call::kCreate;
  if (std::strcmp(name, "malloc") == 0) return Call::kMalloc;
  return Call::kNone;
}

void set_up() {
  if (const char* slow = ::getenv("CUBCAL_SLOW_MESSAGES"); slow != nullptr) {
    slow_messages = static_cast<useconds_t>(std::atoi(slow)) * 1000;
  }
  const char* name = ::getenv("CUBCAL_FAIL");
  const char* at = ::getenv("CUBCAL_FAIL_AT");
  const char* with = ::getenv("CUBCAL_FAIL_WITH");
  if (name == nullptr || at == nullptr) return;
  mark = ::getenv("CUBCAL_FAIL_MARK");
  failing_at = std::atol(at);
  if (with != nullptr) failing_with = std::atoi(with);
  failing = call_named(name);
  if (failing == Call::kMalloc) failing_with = ENOMEM;
}

/// Counts a call; where it is to fail sets errno.
bool fails(Call call) {
  if (call != failing) return false;
  const long number = ++calls;
  if (call == Call::kMalloc ? number < failing_at : number != failing_at) return false;
  if (mark != nullptr && number == failing_at) {
    const long made = ::syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) ::syscall(SYS_close, made);
  }
  errno = failing_with;
  return true;
}

int open_with(int folder, const char* path, int flags, va_list rest) {
  const auto mode =
      static_cast<mode_t>((flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, int) : 0);
  if (fails(Call::kOpen)) return -1;
  if ((flags & O_ACCMODE) != O_RDONLY && fails(Call::kCreate)) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

int (*real_main)(int, char**, char**) = nullptr;

int main_with_faults(int argc, char** argv, char** environment) {
  set_up();
  const int result = real_main(argc, argv, environment);
  failing = Call::kNone;
  return result;
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  if (descriptor != STDERR_FILENO && fails(Call::kWrite)) return -1;
  if (descriptor == STDERR_FILENO && slow_messages > 0) ::usleep(slow_messages);
  return ::syscall(SYS_write, descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  if (descriptor != STDERR_FILENO && fails(Call::kWrite)) return -1;
  return ::syscall(SYS_writev, descriptor, parts, count);
}

/// Nothing is sent to the disk: no test loses power, and it would take most of the time.
int fsync(int /*descriptor*/) { return fails(Call::kFsync) ? -1 : 0; }

int rename(const char* from, const char* to) noexcept {
  if (fails(Call::kRename)) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (fails(Call::kRename)) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (fails(Call::kMkdir)) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int result = open_with(AT_FDCWD, path, flags, rest);
  va_end(rest);
  return result;
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int result = open_with(AT_FDCWD, path, flags, rest);
  va_end(rest);
  return result;
}

void* malloc(std::size_t size) noexcept {
  return fails(Call::kMalloc) ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(Call::kMalloc) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  return fails(Call::kMalloc) ? nullptr : __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return fails(Call::kMalloc) ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  void* result = memalign(alignment, size);
  if (result == nullptr) return ENOMEM;
  *memory = result;
  return 0;
}

/// The C library calls this with the program's main().
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*start)(),
                      void (*finish)(), void (*loader_finish)(), void* stack_end) {
  using Start =
      int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto real = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  real_main = main;
  return real(main_with_faults, argc, argv, start, finish, loader_finish, stack_end);
}

}  // extern "C"
