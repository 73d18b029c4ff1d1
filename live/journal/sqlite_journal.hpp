// A journal of actions in a SQLite file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "live/aws/failure.hpp"
#include "live/journal/action_journal.hpp"

namespace reeve::live {

/// In WAL mode with `synchronous=FULL`: what `append` returned from survives a crash of the
/// machine. One process writes at a time: it holds a lock that the kernel releases with it.
class SqliteJournal final : public ActionJournal {
 public:
  enum class Access : std::uint8_t { read, write };

  /// Creates the file to write it.  Fails if another process writes it, or if it is no journal.
  static Result<std::unique_ptr<ActionJournal>> open(const std::string& file, Access access);
  ~SqliteJournal() override;

 private:
  struct Files;
  explicit SqliteJournal(std::unique_ptr<Files> files);
  std::optional<std::string> prepare(Access access);
  void write(const Row& row) override;
  void read(std::uint64_t after, const std::function<void(Row)>& take) override;

  std::unique_ptr<Files> files_;
};

}  // namespace reeve::live
