#include "report/gzip_stream.hpp"

#include <zlib.h>

#include <new>
#include <stdexcept>
#include <streambuf>
#include <vector>

namespace reeve::report {

/// The compressor behind the stream.
class GzipStream::Buffer final : public std::streambuf {
 public:
  Buffer(std::ostream& out, const char* comment) : out_{out}, in_(chunk), packed_(chunk) {
    constexpr int gzip_window = 15 + 16;
    constexpr int memory_level = 8;
    const int status = deflateInit2(&zlib_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window,
                                    memory_level, Z_DEFAULT_STRATEGY);
    if (status != Z_OK) throw std::bad_alloc{};
    header_.os = unix_system;
    // zlib reads it only.
    header_.comment = reinterpret_cast<Bytef*>(const_cast<char*>(comment));
    deflateSetHeader(&zlib_, &header_);
    setp(in_.data(), in_.data() + in_.size());
  }
  ~Buffer() override { deflateEnd(&zlib_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool finish() { return pack(Z_FINISH); }

 protected:
  int_type overflow(int_type character) override {
    if (!pack(Z_NO_FLUSH)) return traits_type::eof();
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(0);
    *pptr() = traits_type::to_char_type(character);
    pbump(1);
    return character;
  }

 private:
  static constexpr std::size_t chunk = std::size_t{1} << 16;
  static constexpr int unix_system = 3;

  bool pack(int how) {
    zlib_.next_in = reinterpret_cast<Bytef*>(pbase());
    zlib_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      zlib_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      zlib_.avail_out = static_cast<uInt>(packed_.size());
      if (::deflate(&zlib_, how) == Z_STREAM_ERROR) return false;
      out_.write(packed_.data(), static_cast<std::streamsize>(packed_.size() - zlib_.avail_out));
    } while (zlib_.avail_out == 0);
    setp(in_.data(), in_.data() + in_.size());
    return static_cast<bool>(out_);
  }

  std::ostream& out_;
  z_stream zlib_{};
  gz_header header_{};
  std::vector<char> in_;
  std::vector<char> packed_;
};

GzipStream::GzipStream(std::ostream& out, const char* comment)
    : std::ostream{nullptr}, buffer_{std::make_unique<Buffer>(out, comment)} {
  rdbuf(buffer_.get());
}

GzipStream::~GzipStream() = default;

void GzipStream::finish() {
  if (!buffer_->finish()) setstate(std::ios::badbit);
}

std::string gzip_begins(std::string_view comment) {
  constexpr std::string_view has_comment{"\x1f\x8b\x08\x10\0\0\0\0\0\x03", 10};
  return std::string{has_comment} + std::string{comment};
}

}  // namespace reeve::report
