// An output stream that compresses what is written to it.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace reeve::report {

/// Writes gzip data without a date, so that equal text gives equal bytes.
class GzipStream final : public std::ostream {
 public:
  /// `comment` is near the start of the file, readable.  It must outlive the stream.
  GzipStream(std::ostream& out, const char* comment);
  ~GzipStream() override;
  /// Writes the end of the data.
  void finish();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

/// The first bytes of a file with that comment.
std::string gzip_begins(std::string_view comment);

}  // namespace reeve::report
