// A file or standard input whose end comes early at Ctrl-C, so that what was read is not lost.
#pragma once

#include <array>
#include <streambuf>
#include <string>

namespace reeve::app {

/// The source of a stream.  A read that waits for a pipe looks each fifth of a second whether the
/// program is interrupted; then the input ends.
class InterruptibleInput final : public std::streambuf {
 public:
  /// `-` is standard input.  A directory cannot be opened.
  explicit InterruptibleInput(const std::string& file);
  ~InterruptibleInput() override;
  InterruptibleInput(const InterruptibleInput&) = delete;
  InterruptibleInput& operator=(const InterruptibleInput&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  /// Why the input ended before its end; empty: it did not.
  const std::string& failure() const { return failure_; }

 protected:
  int_type underflow() override;

 private:
  int descriptor_ = -1;
  bool owns_ = false;
  std::string failure_;
  std::array<char, 65'536> buffer_;
};

}  // namespace reeve::app
