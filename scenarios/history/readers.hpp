// The readers of exported files, one for each kind, and how a file's kind is found.
#pragma once

#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

/// In the order in which a file is tried.
std::span<const HistoryReader> history_readers();
const HistoryReader* history_reader(std::string_view name);

/// The reader of a file that begins so.  Throws InputError: E0390 no known kind (names what comes
/// nearest), E0391 packed by zip, zstd and others, E0392 Parquet, E0396 a recording of a test tool,
/// E0418 a tar archive.
const HistoryReader& reader_of(std::string_view file, std::string_view head);

/// Reads files front to back, each with the reader of its kind, or the one that options name.  A
/// folder stands for the files in it, by name; those of no known kind, packed ones and earlier
/// imports are left out (W0636).  "-" is the standard input.  Throws InputError: what is wrong with
/// all files that cannot be read.
History read_history(const std::vector<std::string>& files, const HistoryOptions& options);

/// The same, added to what was read before and not summed up: sum_up_work() comes after the last.
void add_to_history(const std::vector<std::string>& files, const HistoryOptions& options,
                    History& history);

/// The same of one stream.
void read_history_stream(std::string name, std::unique_ptr<std::istream> stream,
                         const HistoryOptions& options, History& into);

}  // namespace reeve::scenarios
