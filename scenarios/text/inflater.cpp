#include "scenarios/text/inflater.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
// No log compresses so well: texts of numbers reach 1:50, and the most that gzip can do is 1:1032.
constexpr std::uint64_t most_growth = 500;
constexpr std::uint64_t any_growth_bytes = std::uint64_t{64} << 20;
constexpr int gzip_only = 15 + 16;  // inflateInit2: largest window, gzip header required

[[noreturn]] void throw_about(const std::string& name, std::string code, std::string message,
                              std::string help) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.file = name;
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  throw InputError{std::move(diagnostic)};
}

}  // namespace

struct Inflater::Stream {
  std::string name;
  std::unique_ptr<std::istream> input;
  std::uint64_t limit;
  std::uint64_t produced = 0;
  std::uint64_t consumed = 0;
  std::array<char, chunk_bytes> chunk{};
  std::size_t begin = 0;  // unread bytes of the chunk: [begin, end)
  std::size_t end = 0;
  bool is_gzip = false;
  bool inside_member = false;
  bool failed = false;  // the reason has been thrown
  z_stream zlib{};

  Stream(std::string file, std::unique_ptr<std::istream> from, std::uint64_t most)
      : name{std::move(file)}, input{std::move(from)}, limit{most} {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (is_gzip) inflateEnd(&zlib);
  }

  [[noreturn]] void refuse(std::string code, std::string message, std::string help = {}) {
    failed = true;
    throw_about(name, std::move(code), std::move(message), std::move(help));
  }

  // False at the end of the input.
  bool fill() {
    if (begin < end) return true;
    input->read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    begin = 0;
    end = static_cast<std::size_t>(input->gcount());
    consumed += end;
    if (input->bad()) refuse("E0302", "cannot read the file to its end");
    return end > 0;
  }

  void recognize() {
    fill();
    const std::string_view seen{chunk.data(), end};
    if (!seen.starts_with("\x1F\x8B")) {
      if (!name.ends_with(".gz")) return;
      refuse("E0305",
             seen.empty() ? "the file is empty, not gzip" : "the file is named .gz but is not gzip",
             seen.empty() ? "" : "rename it to .csv if it is plain CSV");
    }
    if (inflateInit2(&zlib, gzip_only) != Z_OK)
      refuse("E0302", "not enough memory to decompress gzip");
    is_gzip = true;
    inside_member = true;
  }

  std::size_t copy(char* to, std::size_t capacity) {
    if (!fill()) return 0;
    const std::size_t bytes = std::min(capacity, end - begin);
    std::copy_n(chunk.data() + begin, bytes, to);
    begin += bytes;
    return bytes;
  }

  // Zero padding (tape blocks, some tools) ends the text; another member continues it.
  bool next_member() {
    while (fill() && chunk[begin] == '\0') ++begin;
    if (!fill()) return false;
    if (chunk[begin] != '\x1F') {
      refuse("E0303", "the gzip data is damaged", "remove the bytes after its end");
    }
    if (inflateReset2(&zlib, gzip_only) != Z_OK) refuse("E0303", "the gzip data is damaged");
    return inside_member = true;
  }

  std::size_t inflate_some(char* to, std::size_t capacity) {
    const auto room =
        static_cast<uInt>(std::min<std::size_t>(capacity, std::numeric_limits<uInt>::max()));
    while (inside_member || next_member()) {
      if (!fill()) {
        refuse("E0304", "the gzip data ends too early", "copy the file again: it is truncated");
      }
      zlib.next_in = reinterpret_cast<Bytef*>(chunk.data() + begin);
      zlib.avail_in = static_cast<uInt>(end - begin);
      zlib.next_out = reinterpret_cast<Bytef*>(to);
      zlib.avail_out = room;
      const int status = ::inflate(&zlib, Z_NO_FLUSH);
      begin = end - zlib.avail_in;
      if (status == Z_STREAM_END) {
        inside_member = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        const std::string_view reason = zlib.msg == nullptr ? "damaged" : zlib.msg;
        refuse("E0303", fmt::format("the gzip data is damaged: {}", reason),
               "copy or compress the file again");
      }
      if (zlib.avail_out < room) return room - zlib.avail_out;
    }
    return 0;
  }
};

void Inflater::check_rest() {
  if (!stream_->is_gzip || stream_->failed) return;
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  std::array<char, chunk_bytes> unused;
  for (std::size_t total = 0; total < most_bytes;) {
    const std::size_t bytes = stream_->inflate_some(unused.data(), unused.size());
    if (bytes == 0) return;
    total += bytes;
  }
}

Inflater::Inflater(std::string name, std::unique_ptr<std::istream> input, std::uint64_t limit)
    : stream_{std::make_unique<Stream>(std::move(name), std::move(input), limit)} {
  stream_->recognize();
}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

std::size_t Inflater::read(char* to, std::size_t capacity) {
  const std::size_t bytes =
      stream_->is_gzip ? stream_->inflate_some(to, capacity) : stream_->copy(to, capacity);
  stream_->produced += bytes;
  const bool is_bomb = stream_->is_gzip && stream_->produced > any_growth_bytes &&
                       stream_->produced / most_growth > stream_->consumed;
  if (is_bomb) {
    stream_->refuse("E0306",
                    fmt::format("{} bytes of gzip unpack to more than {} bytes of text",
                                stream_->consumed, stream_->produced),
                    "the file repeats itself: check how it was written");
  }
  if (stream_->produced > stream_->limit) {
    stream_->refuse("E0306", fmt::format("the text is longer than {} bytes{}", stream_->limit,
                                         stream_->is_gzip ? " after decompression" : ""));
  }
  return bytes;
}

std::string read_whole(std::string name, std::unique_ptr<std::istream> input, std::uint64_t limit) {
  Inflater bytes{std::move(name), std::move(input), limit};
  constexpr std::size_t step = std::size_t{1} << 18;
  std::string text;
  for (std::size_t used = 0;;) {
    text.resize(used + step);
    const std::size_t got = bytes.read(text.data() + used, step);
    used += got;
    if (got > 0) continue;
    text.resize(used);
    return text;
  }
}

}  // namespace reeve::scenarios
