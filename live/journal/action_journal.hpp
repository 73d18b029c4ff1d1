// The actions that reeve sends to an account: written before they are sent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <reeve/policy/units.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// What `append` returned from survives a crash.  Where entries are kept is up to the derived
/// class.  Of two processes that write, one fails.
class ActionJournal {
 public:
  using Take = std::function<void(const JournalEntry&)>;

  virtual ~ActionJournal() = default;
  ActionJournal(const ActionJournal&) = delete;
  ActionJournal& operator=(const ActionJournal&) = delete;

  /// Throws JournalFailure if it is not kept, or may not be.
  void append(policy::Instant at, JournalKind kind, const std::string& action,
              const std::string& body);
  /// Gives each entry, in the order of writing.  Returns the first that was changed, moved or
  /// removed; nothing: the chain is whole.  Entries that are missing at the end cannot be seen.
  /// Throws JournalFailure.
  std::optional<BrokenChain> for_each(const Take& take);
  /// The same for the entries behind those that this object has given or written.
  std::optional<BrokenChain> for_each_new(const Take& take);

 protected:
  /// An entry as it is kept.
  struct Row {
    std::uint64_t number = 0;
    std::string at;
    std::string kind;
    std::string action;
    std::string body;
    std::string hash;
  };

  ActionJournal();
  /// Throws JournalFailure, also if there is an entry of that number.
  virtual void write(const Row& row) = 0;
  /// Gives the entries behind `after` in order.  Throws JournalFailure.
  virtual void read(std::uint64_t after, const std::function<void(Row)>& take) = 0;
  /// The last entry there is.
  void continue_after(std::uint64_t number, std::string hash);

 private:
  std::uint64_t last_ = 0;
  std::string head_;
};

}  // namespace reeve::live
