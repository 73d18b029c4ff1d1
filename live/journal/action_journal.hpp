// The actions that reeve sends to an account: written to SQLite before they are sent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <reeve/policy/units.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "live/aws/failure.hpp"

namespace reeve::live {

/// The journal cannot be read or written: nothing more may be sent.
struct JournalFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `planned`: an action is about to be carried out. `sent`: one try of it is about to be sent.
/// `settled`: how it ended; exactly one for each `planned`.  `held`: a guard does not let it be
/// sent yet. `answered`: a person confirmed or refused it.
enum class JournalKind : std::uint8_t { planned, sent, settled, held, answered };

std::string_view name_of(JournalKind kind);

struct JournalEntry {
  std::uint64_t number = 0;  ///< counted from 1 without gaps
  policy::Instant at;
  JournalKind kind = JournalKind::planned;
  std::string action;     ///< the id of the action
  std::string body;       ///< JSON
  std::string hash = {};  ///< SHA-256 over the hash before and this entry, in hexadecimal digits
};

/// An entry that differs from what was written, by its number.
struct BrokenChain {
  std::uint64_t number = 0;
  std::string why;
};

/// A SQLite file in WAL mode with `synchronous=FULL`: what `append` returned from survives a crash
/// of the machine.  One process writes at a time: it holds a lock that the kernel releases with it.
class ActionJournal {
 public:
  enum class Access : std::uint8_t { read, write };

  /// Creates the file to write it.  Fails if another process writes it, or if it is no journal.
  static Result<std::unique_ptr<ActionJournal>> open(const std::string& file, Access access);
  ~ActionJournal();
  ActionJournal(const ActionJournal&) = delete;
  ActionJournal& operator=(const ActionJournal&) = delete;

  /// Throws JournalFailure if it is not on the disk.
  void append(policy::Instant at, JournalKind kind, const std::string& action,
              const std::string& body);
  /// Gives each entry, in the order of writing.  Returns the first that was changed, moved or
  /// removed; nothing: the chain is whole.  Entries that are missing at the end cannot be seen.
  /// Throws JournalFailure.
  std::optional<BrokenChain> for_each(const std::function<void(const JournalEntry&)>& take) const;

 private:
  struct Files;
  explicit ActionJournal(std::unique_ptr<Files> files);
  std::optional<std::string> prepare(Access access);

  std::unique_ptr<Files> files_;
  std::uint64_t last_ = 0;
  std::string head_;
};

}  // namespace reeve::live
