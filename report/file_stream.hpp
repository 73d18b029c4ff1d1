// An output stream over a file descriptor: errors keep their reason.
#pragma once

#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

namespace reeve::report {

/// Writes to a descriptor that it owns.
class FileBuffer final : public std::streambuf {
 public:
  explicit FileBuffer(int descriptor);
  ~FileBuffer() override;
  FileBuffer(const FileBuffer&) = delete;
  FileBuffer& operator=(const FileBuffer&) = delete;

  int descriptor() const { return descriptor_; }
  /// errno of the first failed write; 0: none failed.
  int error() const { return error_; }
  /// Writes what is left and closes.
  void close();

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int sync() override;

 private:
  bool write_all(const char* bytes, std::streamsize count);
  bool drain();

  int descriptor_;
  int error_ = 0;
  std::vector<char> buffer_;
};

/// The stream of a FileBuffer.  Its errors name the file as `place`.
class FileStream final : public std::ostream {
 public:
  FileStream(int descriptor, std::string place);
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  int descriptor() const { return buffer_.descriptor(); }
  /// Throws std::runtime_error with the place and the reason if not all bytes were written.
  void close();

 private:
  FileBuffer buffer_;
  std::string place_;
};

/// Throws std::runtime_error: "cannot write PLACE: REASON".
[[noreturn]] void refuse_write(const std::string& place, int error);

}  // namespace reeve::report
