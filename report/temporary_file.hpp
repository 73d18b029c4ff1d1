// A file with a temporary name until it is complete: readers see the old file or the new one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "report/file_stream.hpp"
#include "report/temporary_name.hpp"

namespace reeve::report {

/// A new file `.NAME.NUMBER.tmp` in the directory of the final file: no other process writes to it,
/// and no link is followed.  It has the permissions of the file that it replaces.  The destructor
/// and remove_temporaries() delete it unless it was put in place.
class TemporaryFile {
 public:
  /// Throws std::runtime_error naming the final path.
  explicit TemporaryFile(std::filesystem::path becomes);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& becomes() const { return becomes_; }
  std::ostream& stream() { return *stream_; }
  /// Throws std::runtime_error with the reason if not all bytes were written.
  void close();
  /// Call it closed, before put_in_place().
  std::uintmax_t bytes() const { return std::filesystem::file_size(name_->path()); }
  /// Call it closed.  Throws std::runtime_error naming the path.
  void put_in_place();

 private:
  std::filesystem::path becomes_;
  std::optional<TemporaryName> name_;
  std::optional<FileStream> stream_;
};

/// Whether a file has the name of a TemporaryFile.
bool is_temporary(const std::filesystem::path& file);

/// The name that a temporary file was to have; empty: it is none.
std::string becomes_of(const std::filesystem::path& temporary);

}  // namespace reeve::report
