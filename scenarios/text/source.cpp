#include "scenarios/text/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

namespace fs = std::filesystem;

// A position costs at most one block of counting, and a file of empty lines costs no more memory
// than any other.
constexpr std::size_t block_bytes = std::size_t{8} << 10;

constexpr std::size_t kept_before = 400;  // four bytes for each of 100 columns
constexpr std::size_t kept_after = 800;

/// Characters that begin in `bytes` of valid UTF-8, wherever it is cut.
std::uint64_t count_starts(std::string_view bytes) {
  return static_cast<std::uint64_t>(std::count_if(bytes.begin(), bytes.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

Diagnostic about_file(std::string code, const std::string& name, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.file = name;
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::string help_for_missing(const fs::path& path) {
  std::error_code failure;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  if (!fs::is_directory(folder, failure)) {
    return fmt::format("there is no folder {}", in_quotes(folder.string()));
  }
  std::vector<std::string> names;
  constexpr std::size_t enough = 20'000;
  for (fs::directory_iterator entry{folder, failure}, end; !failure && entry != end;
       entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
    if (names.size() == enough) break;
  }
  const auto found = nearest(path.filename().string(), names);
  if (!found) return {};
  const fs::path meant = path.has_parent_path() ? folder / *found : fs::path{*found};
  return fmt::format("did you mean {}?", in_quotes(meant.string(), 200));
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t mebi = std::size_t{1} << 20;
  return bytes % mebi == 0 ? fmt::format("{} MiB", bytes / mebi) : fmt::format("{} bytes", bytes);
}

InputError too_large(const std::string& name, std::size_t limit) {
  return InputError{about_file("E0004", name, "the file is larger than " + size_text(limit))
                        .with_help("put many jobs into a CSV trace: `workload.trace`")};
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Reads at most limit + 1 bytes: pipes and devices have no size to ask for beforehand.
std::string read_up_to(const std::string& name, const fs::path& path, std::size_t limit) {
  errno = 0;
  const std::unique_ptr<std::FILE, CloseFile> file{std::fopen(path.c_str(), "rb")};
  const auto unreadable = [&name](int reason) {
    return InputError{about_file(
        "E0003", name, "cannot read the file: " + std::generic_category().message(reason))};
  };
  if (!file) throw unreadable(errno);
  std::string text;
  constexpr std::size_t step = std::size_t{1} << 16;
  while (text.size() <= limit) {
    const std::size_t used = text.size();
    text.resize(used + std::min(step, limit + 1 - used));
    errno = 0;
    const std::size_t got = std::fread(text.data() + used, 1, text.size() - used, file.get());
    text.resize(used + got);
    if (got == 0) break;
  }
  if (std::ferror(file.get()) != 0) throw unreadable(errno);
  return text;
}

/// The URL of a webhook is a secret, whatever else is wrong with its line.  Each character of its
/// path is an asterisk.  The URL of a queue is none.
std::string without_secrets(std::string_view line) {
  std::string shown{line};
  const auto has = [&](std::string_view word) { return line.find(word) != line.npos; };
  if (has("queue") && !has("notify") && !has("hook") && !has("slack")) return shown;
  const auto mask = [&](std::size_t from, std::size_t to) {
    for (std::size_t place = from; place < to; ++place) shown[place] = '*';
  };
  for (const std::string_view scheme : {"://", ":\\/\\/"}) {
    for (std::size_t at = line.find(scheme); at != line.npos; at = line.find(scheme, at + 1)) {
      const std::size_t host = at + scheme.size();
      const std::size_t end = std::min(line.find_first_of("\" \t", at), line.size());
      const std::size_t user = line.substr(host, end - host).find('@');
      const std::size_t path = std::min(line.find_first_of("/\\?#", host), end);
      mask(std::min(path + 1, end), end);
      if (user != line.npos) mask(host, std::min(path, host + user));
    }
  }
  return shown;
}

Excerpt excerpt_of(std::string_view line, std::size_t offset, std::size_t bytes) {
  offset = std::min(offset, line.size());
  std::size_t begin = offset > kept_before ? offset - kept_before : 0;
  std::size_t end = std::min(line.size(), offset + kept_after);
  const auto inside_character = [line](std::size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80;
  };
  for (int i = 0; i < 3 && begin > 0 && begin < offset && inside_character(begin); ++i) ++begin;
  for (int i = 0; i < 3 && end > offset && inside_character(end); ++i) --end;
  Excerpt excerpt;
  excerpt.bytes = without_secrets(line).substr(begin, end - begin);
  excerpt.caret_offset = offset - begin;
  excerpt.caret_bytes = std::min(bytes, end - offset);
  excerpt.cut_before = begin > 0;
  excerpt.cut_after = end < line.size();
  return excerpt;
}

}  // namespace

Diagnostic diagnose_line(const std::string& file, std::uint64_t line_number, std::string_view line,
                         std::size_t offset, std::size_t bytes) {
  offset = std::min(offset, line.size());
  bytes = std::min(bytes, line.size() - offset);
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.position.line = line_number;
  diagnostic.position.column = count_characters(line.substr(0, offset)) + 1;
  const std::size_t characters = count_characters(line.substr(offset, bytes));
  diagnostic.position.length = std::max<std::uint64_t>(1, characters);
  diagnostic.excerpt = excerpt_of(line, offset, bytes);
  return diagnostic;
}

SourceFile::SourceFile(std::string name, std::string text)
    : name_{std::move(name)}, text_{std::move(text)} {
  Block known;
  for (std::size_t begin = 0; begin <= text_.size(); begin += block_bytes) {
    blocks_.push_back(known);
    const auto block = std::string_view{text_}.substr(begin, block_bytes);
    const std::size_t newline = block.rfind('\n');
    if (newline == block.npos) {
      known.characters += count_starts(block);
      continue;
    }
    known.lines += static_cast<std::uint64_t>(std::count(block.begin(), block.end(), '\n'));
    known.line_begin = begin + newline + 1;
    known.characters = count_starts(block.substr(newline + 1));
  }
}

void require_file(const fs::path& path) {
  const std::string name = path.string();
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found || name.empty()) {
    throw InputError{about_file("E0001", name, "there is no file " + in_quotes(name, 200))
                         .with_help(name.empty() ? "" : help_for_missing(path))};
  }
  if (failure) {
    throw InputError{about_file("E0003", name, "cannot read the file: " + failure.message())};
  }
  if (status.type() == fs::file_type::directory) {
    throw InputError{about_file("E0002", name, "this is a folder, not a file")};
  }
}

std::unique_ptr<std::istream> open_file(const fs::path& path) {
  require_file(path);
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (*file) return file;
  throw InputError{about_file("E0003", path.string(), "cannot read the file")};
}

std::shared_ptr<const SourceFile> SourceFile::load(const fs::path& path, std::size_t limit) {
  require_file(path);
  const std::string name = path.string();
  std::error_code failure;
  const bool sized = fs::is_regular_file(path, failure);
  if (sized && fs::file_size(path, failure) > limit && !failure) throw too_large(name, limit);
  return from_text(name, read_up_to(name, path, limit), limit);
}

std::shared_ptr<const SourceFile> SourceFile::from_text(std::string name, std::string text,
                                                        std::size_t limit) {
  if (text.size() > limit) throw too_large(name, limit);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::shared_ptr<const SourceFile> source{new SourceFile{std::move(name), std::move(text)}};
  const std::string_view bytes = source->text();
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    throw InputError{about_file("E0006", source->name(), "the file is UTF-16, not UTF-8")
                         .with_help("save it as UTF-8")};
  }
  if (const std::size_t at = bytes.find('\0'); at != bytes.npos) {
    throw InputError{
        source->diagnose(at, 1, "E0005", "the file contains a NUL byte", "not text from here on")};
  }
  if (const std::size_t at = find_invalid_utf8(bytes); at != bytes.npos) {
    const unsigned value = static_cast<unsigned char>(bytes[at]);
    throw InputError{source
                         ->diagnose(at, 1, "E0006", "the file is not valid UTF-8",
                                    fmt::format("byte 0x{:02X}", value))
                         .with_help("save it as UTF-8")};
  }
  return source;
}

Diagnostic SourceFile::diagnose(std::size_t offset, std::size_t bytes, std::string_view code,
                                std::string message, std::string label, Severity severity) const {
  const std::string_view text = text_;
  offset = std::min(offset, text.size());
  const Block& block = blocks_[offset / block_bytes];
  const std::size_t block_begin = offset / block_bytes * block_bytes;
  const std::string_view before = text.substr(block_begin, offset - block_begin);
  const std::size_t newline = before.rfind('\n');
  const bool here = newline != before.npos;  // the line begins in this block
  const std::size_t line_begin = here ? block_begin + newline + 1 : block.line_begin;
  std::uint64_t column =
      here ? count_starts(before.substr(newline + 1)) : block.characters + count_starts(before);
  // The part of the line around the place: as much as an excerpt may show, and one byte more.
  const std::size_t begin = std::max(line_begin, offset - std::min(offset, kept_before + 1));
  const std::size_t most = std::max(bytes, kept_after) + 2;
  std::string_view part = text.substr(begin, offset - begin + most);
  const std::size_t end = std::min(part.find('\n', offset - begin), part.size());
  const bool whole = end < part.size() || begin + end == text.size();
  part = part.substr(0, end);
  if (whole && part.ends_with('\r')) part.remove_suffix(1);
  if (offset - begin > part.size()) --column;
  Diagnostic diagnostic = diagnose_line(name_, 0, part, offset - begin, bytes);
  diagnostic.position.line =
      block.lines + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  diagnostic.position.column = column + 1;
  diagnostic.severity = severity;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.label = std::move(label);
  return diagnostic;
}

Position SourceFile::position(std::size_t offset, std::size_t bytes) const {
  return diagnose(offset, bytes, {}, {}).position;
}

}  // namespace reeve::scenarios
