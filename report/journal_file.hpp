// The file of a journal or a timeline: readers see the earlier file or the whole new one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "report/file_stream.hpp"
#include "report/new_directory.hpp"
#include "report/temporary_file.hpp"

namespace reeve::report {

/// Writes a TemporaryFile, and creates the folders that it needs.  Pipes, devices and open files
/// (`/dev/stdout`) have no other name: they are written as they are.  Throws std::runtime_error
/// naming the path.
class JournalFile {
 public:
  explicit JournalFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::ostream& stream() { return temporary_ ? temporary_->stream() : *direct_; }
  /// Throws std::runtime_error if not all bytes were written.
  void close();
  /// Call it closed.  Without it, the earlier journal stays.
  void put_in_place();
  /// Of the closed file.
  std::uintmax_t bytes() const;
  /// The name that the file will have in the directory; empty: it is elsewhere, or no file.
  std::string name_in(const std::filesystem::path& directory) const;

 private:
  std::filesystem::path path_;
  std::optional<NewDirectory> made_;  ///< outlives the temporary file in it
  std::unique_ptr<TemporaryFile> temporary_;
  std::optional<FileStream> direct_;
};

/// Whether the file is a journal of reeve, and no link.
bool is_journal(const std::filesystem::path& file);

}  // namespace reeve::report
