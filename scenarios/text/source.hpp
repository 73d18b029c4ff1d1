// A text file a person wrote, held in memory, with every byte's line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

/// A whole text.  Invariant: valid UTF-8 without NUL and without a byte order mark, not longer than
/// the limit it was loaded with.
class SourceFile {
 public:
  static constexpr std::size_t scenario_limit = std::size_t{64} << 20;

  /// Reads a file.  Throws InputError: E0001 not found, E0002 a directory, E0003 unreadable,
  /// E0004 longer than `limit` bytes (found without reading it all), E0005 NUL, E0006 not UTF-8.
  static std::shared_ptr<const SourceFile> load(const std::filesystem::path& path,
                                                std::size_t limit = scenario_limit);

  /// Takes a text as if it had been read from a file `name`.  Throws E0004, E0005, E0006.
  static std::shared_ptr<const SourceFile> from_text(std::string name, std::string text,
                                                     std::size_t limit = scenario_limit);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }

  /// The line and column of the byte at `offset` (<= size); `bytes` is cut at the end of its line.
  Position position(std::size_t offset, std::size_t bytes = 1) const;

  /// A diagnostic whose carets stand under text().substr(offset, bytes).
  Diagnostic diagnose(std::size_t offset, std::size_t bytes, std::string_view code,
                      std::string message, std::string label = {},
                      Severity severity = Severity::error) const;

 private:
  SourceFile(std::string name, std::string text);

  /// What is known at the beginning of a block of the text, so that no place needs a look at more
  /// than one block, however long its line is.
  struct Block {
    std::uint64_t lines = 0;       ///< before it
    std::uint64_t characters = 0;  ///< before it in its first line
    std::uint64_t line_begin = 0;  ///< offset of that line
  };

  std::string name_;
  std::string text_;
  std::vector<Block> blocks_;
};

/// Throws InputError if `path` is no file to read: E0001 (with the nearest name), E0002, E0003.
void require_file(const std::filesystem::path& path);

/// The file as bytes to read.  Throws as require_file does.
std::unique_ptr<std::istream> open_file(const std::filesystem::path& path);

/// A diagnostic (place and excerpt only) inside one line that is at hand without its file; `offset`
/// and `bytes` count in `line`.  Any bytes, any length.
Diagnostic diagnose_line(const std::string& file, std::uint64_t line_number, std::string_view line,
                         std::size_t offset, std::size_t bytes);

}  // namespace reeve::scenarios
