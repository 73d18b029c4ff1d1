// The decisions of a run and their outcomes, collected from the journal as it is written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/journal.hpp"

namespace reeve::experiments {

/// The fate of a stopped attempt without the rule.
struct IfNot {
  policy::Instant until;            ///< end of the attempt
  policy::Duration longer;          ///< billed, per instance
  std::optional<policy::Usd> more;  ///< none for reserved instances, which are paid for anyway
};

/// One decision of one seat.  Texts that many rows share are stored once and never freed.
struct DecisionRow {
  std::uint64_t id = 0;
  policy::Instant at;
  policy::Instant settled_at = policy::never;
  std::string_view rule;  ///< label of the seat
  host::Mode mode = host::Mode::enforce;
  std::string_view verdict;  ///< "accepted", "refused", "shadow", "warn"
  std::string why;           ///< the cause of a refusal: "moot", "conflict with 12", a guard's name
  policy::Verb verb;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string_view reason;
  std::string basis;         ///< its evidence; empty: the rule states none
  std::string_view outcome;  ///< "done", ...; empty: not settled
  std::uint32_t tries = 0;
  std::optional<IfNot> if_not;  ///< of a stop, on request
};

class DecisionLog final : public host::Journal::Listener {
 public:
  void on_entry(const host::Entry& entry) override;
  std::vector<DecisionRow> take() { return std::move(rows_); }

 private:
  template <class T>
  DecisionRow& add(const T& entry, std::string_view verdict);
  std::string_view kept(std::string_view text);

  policy::Instant now_;
  std::vector<host::SeatListed> seats_;
  std::vector<std::string_view> names_;
  std::set<std::string_view> kept_;  ///< texts that this log requested
  std::vector<DecisionRow> rows_;
  std::map<policy::ActionId, std::size_t> open_;  ///< accepted and not settled
};

}  // namespace reeve::experiments
