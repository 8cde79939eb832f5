#pragma once

#include <stdexcept>
#include <string>

namespace cubcal {

/// Base of everything the library throws. The message is one sentence that says what was wrong,
/// where, and what is accepted.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option or argument outside its domain: the caller asked for something that does not exist.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// Data that cannot be used: a damaged file, a NaN logit, a label out of range, lengths that
/// disagree.
class DataError : public Error {
 public:
  using Error::Error;
};

/// The operating system refused: a file cannot be opened, written or renamed.
class IoError : public Error {
 public:
  using Error::Error;
};

/// The caller asked for an end before there was a result, as Ctrl-C does.
class Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace cubcal
