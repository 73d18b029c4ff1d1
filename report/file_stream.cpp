#include "report/file_stream.hpp"

#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace reeve::report {

void refuse_write(const std::string& place, int error) {
  throw std::runtime_error{"cannot write " + place + ": " + std::generic_category().message(error)};
}

FileBuffer::FileBuffer(int descriptor) : descriptor_{descriptor}, buffer_(std::size_t{1} << 14) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

FileBuffer::~FileBuffer() {
  close();
}

void FileBuffer::close() {
  if (descriptor_ < 0) return;
  drain();
  if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) error_ = errno;
}

bool FileBuffer::write_all(const char* bytes, std::streamsize count) {
  while (count > 0 && error_ == 0) {
    const ssize_t written = ::write(descriptor_, bytes, static_cast<std::size_t>(count));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_ = written < 0 ? errno : ENOSPC;
      break;
    }
    bytes += written;
    count -= written;
  }
  return error_ == 0;
}

bool FileBuffer::drain() {
  const bool fine = write_all(pbase(), pptr() - pbase());
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return fine;
}

FileBuffer::int_type FileBuffer::overflow(int_type character) {
  if (!drain()) return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(0);
  *pptr() = traits_type::to_char_type(character);
  pbump(1);
  return character;
}

std::streamsize FileBuffer::xsputn(const char* bytes, std::streamsize count) {
  if (count <= epptr() - pptr()) {
    traits_type::copy(pptr(), bytes, static_cast<std::size_t>(count));
    pbump(static_cast<int>(count));
    return count;
  }
  return drain() && write_all(bytes, count) ? count : 0;
}

int FileBuffer::sync() {
  return drain() ? 0 : -1;
}

FileStream::FileStream(int descriptor, std::string place)
    : std::ostream{nullptr}, buffer_{descriptor}, place_{std::move(place)} {
  rdbuf(&buffer_);
}

void FileStream::close() {
  buffer_.close();
  if (buffer_.error() != 0) refuse_write(place_, buffer_.error());
  if (!*this) refuse_write(place_, EIO);
}

}  // namespace reeve::report
