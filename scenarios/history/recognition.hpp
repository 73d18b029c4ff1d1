// What kind of export a file is, by its first text, and the errors of a file of another kind.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reeve::scenarios {

/// How much of a file is enough to recognize it.
inline constexpr std::size_t head_bytes = std::size_t{64} << 10;

/// What messages call the file "-".
inline constexpr std::string_view standard_input = "standard input";

/// The first text of a file whose first bytes are `raw`, after gunzip.
std::string text_head(const std::string& raw);

/// Whether a reader of exports knows a file that begins so.
bool is_recognized(std::string_view head);

/// A reply of an API without any record: `{"Events": []}`.
bool is_empty_reply(std::string_view head);

/// For a file that could not be read as `asked`, of which one file is called `asked_file` ("a trace
/// of jobs").  Throws E0417 with the command that fits, if it begins as a file of another
/// kind; for a reader of exports E0391, E0392 and E0396 as reader_of does; E0418 a tar archive.
void refuse_other_kind(std::string_view file, std::string_view head, std::string_view asked,
                       std::string_view asked_file);

/// The same of a file on the disk.
void refuse_other_file(const std::string& file, std::string_view asked,
                       std::string_view asked_file);

}  // namespace reeve::scenarios
