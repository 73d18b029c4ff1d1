// The file of a journal: one process at a time writes to it.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>

#include "report/file_stream.hpp"

namespace reeve::app {

/// Opens the file, or a pipe or device, and the folders it needs.  Throws std::runtime_error naming
/// the path, also while another process writes a journal to it.
class JournalFile {
 public:
  explicit JournalFile(const std::filesystem::path& path);
  std::ostream& stream() { return *stream_; }
  /// Throws std::runtime_error if not all bytes were written.
  void close() { stream_->close(); }

 private:
  std::optional<report::FileStream> stream_;
};

}  // namespace reeve::app
