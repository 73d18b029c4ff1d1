// The journal: all that the host observed and decided, as text that replays and as a digest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/ports.hpp"
#include "host/seat.hpp"

namespace reeve::host {

/// A seat of the host that writes the journal.  One per seat, before the first step.
struct SeatListed {
  policy::SeatId seat;
  std::string_view name;
  std::string_view rule;
  std::int32_t priority = 0;
  Mode mode = Mode::enforce;
  bool operator==(const SeatListed&) const = default;
};

/// A policy threw or proposed the impossible: the host no longer calls it.
struct SeatMuted {
  policy::SeatId seat;
  std::string_view why;
};

/// A step begins.  Exactly these numbers of observations and then replies follow as its intake.
struct StepBegun {
  policy::Instant now;
  std::uint32_t observations = 0;
  std::uint32_t replies = 0;
};

/// A decision became an action in flight.
struct Accepted {
  policy::ActionId action;
  policy::SeatId seat;
  policy::Verb verb;
  std::string_view reason;
  std::string_view basis = {};
};

/// `moot`: without effect, by the belief.  `conflict`: another action on the job is in flight.
enum class Why : std::uint8_t { moot, conflict, guard };

/// A decision did not become an action.
struct Refused {
  policy::ActionId action;
  policy::SeatId seat;
  policy::Verb verb;
  std::string_view reason;
  Why why = Why::moot;
  policy::ActionId winner;  ///< `conflict`: the action in flight
  std::string_view guard;   ///< `guard`: its name
  std::string_view basis = {};
};

/// A decision in shadow mode that would have become an action; settled as refused.  An alarm of the
/// seat is local and settled as done.
struct Shadowed {
  policy::ActionId action;
  policy::SeatId seat;
  policy::Verb verb;
  std::string_view reason;
  std::string_view basis = {};
};

/// A decision in warn mode that would have become an action; settled as refused.  The Notify sent
/// in its place, if any, follows as its own action.
struct Warned {
  policy::ActionId action;
  policy::SeatId seat;
  policy::Verb verb;
  std::string_view reason;
  std::string_view basis = {};
};

/// One try of an action, about to be sent.
struct Attempted {
  policy::ActionId action;
  std::uint32_t number = 1;
};

/// The end of an action.  Exactly one per `Accepted`.
struct Settled {
  policy::ActionId action;
  policy::Outcome outcome = policy::Outcome::done;
};

/// One line of the journal.  Texts are borrowed.
using Entry = std::variant<SeatListed, StepBegun, policy::Observation, Reply, Accepted, Refused,
                           Shadowed, Warned, Attempted, Settled, SeatMuted>;

/// XXH3-128 of all entries' canonical encoding.
struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::string hex() const;  ///< 32 digits
  friend bool operator==(const Digest&, const Digest&) = default;
};

/// The host writes to it.  Always computes the digest; text and listener are optional.
class Journal {
 public:
  /// Receives every entry as it is written.  Texts are valid during the call only.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_entry(const Entry& entry) = 0;
  };
  /// `each_step`: text reaches the stream before the step's attempts are sent.  `when_full`: later.
  enum class Flush : std::uint8_t { when_full, each_step };

  Journal();
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Writes text to `text` from now on, header first, leaving out the first `skip_lines` lines
  /// (a recovered host repeats what the file already has).  `text` must outlive the journal.
  void write_text_to(std::ostream& text, Flush flush = Flush::when_full,
                     std::uint64_t skip_lines = 0);
  /// Null: none.
  void set_listener(Listener* listener) { listener_ = listener; }

  void write(const SeatListed& entry);
  void write(const StepBegun& entry);
  void write(const policy::Observation& entry);
  void write(const Reply& entry);
  void write(const Accepted& entry);
  void write(const Refused& entry);
  void write(const Shadowed& entry);
  void write(const Warned& entry);
  void write(const Attempted& entry);
  void write(const Settled& entry);
  void write(const SeatMuted& entry);
  void write(const Entry& entry);
  /// All entries of the step are written.
  void end_step();

  /// Of all entries so far.
  Digest digest() const;
  /// Writes buffered text to the stream.
  void flush_text();

 private:
  class Hasher;

  template <class T>
  void put(const T& entry);
  void tell(const Entry& entry);

  std::unique_ptr<Hasher> hasher_;
  std::uint64_t entries_ = 0;
  Listener* listener_ = nullptr;
  std::ostream* text_ = nullptr;
  Flush flush_ = Flush::when_full;
  std::uint64_t skip_lines_ = 0;
  std::string lines_;  ///< buffered text
};

/// The first line of every journal, without the newline.
inline constexpr std::string_view journal_header = "reeve-journal 2";

/// The entry's line, without the newline.  `print(parse(line)) == line`.
std::string print(const Entry& entry);

/// A defect in the text of a journal and its position; line and column count from 1, column in
/// bytes.
class JournalError : public std::runtime_error {
 public:
  JournalError(std::uint64_t at_line, std::uint64_t at_column, const std::string& message);
  std::uint64_t line;
  std::uint64_t column;
};

/// A parsed journal.  Entry i was on line i + 2.  Movable, not copyable: entries borrow texts.
struct JournalText {
  std::vector<Entry> entries;
  std::set<std::string, std::less<>> texts;  ///< storage of the entries' texts
  std::uint64_t bytes = 0;                   ///< of the complete lines, header included
  bool cut = false;                          ///< the last line had no newline and was ignored

  /// Complete lines, header included.
  std::uint64_t lines() const { return bytes == 0 ? 0 : entries.size() + 1; }

  JournalText() = default;
  JournalText(JournalText&&) = default;
  JournalText& operator=(JournalText&&) = default;
};

/// Reads a whole journal.  Throws JournalError at text that no journal writes.  A last line without
/// a newline is the result of a crash and no error.
JournalText read_journal(std::istream& text);

}  // namespace reeve::host
