// What the rules of a live configuration would do, collected while the host decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "host/journal.hpp"
#include "live/feed/roster.hpp"

namespace reeve::app {

/// One decision that would have become an action, or that a guard refused.
struct Proposal {
  policy::Instant at;
  std::string rule;  ///< name of the rule
  policy::VerbKind action = policy::VerbKind::stop_job;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string name;  ///< of the training job
  std::string reason;
  std::string basis;       ///< its evidence
  std::string refused_by;  ///< the guard; empty: none
  /// Of a stop: the price of its instances on demand until the attempt's max_runtime, which counts
  /// as the platform counts it, and from the decision on if its clock has not begun.  Nothing if
  /// either is unknown, or the capacity is reserved and so paid for anyway.
  std::optional<policy::Usd> saves_up_to;
};

/// Decisions without effect (moot, in conflict) are left out: the next step repeats them.
class Proposals final : public host::Journal::Listener {
 public:
  /// `includes_startup`: max_runtime counts from the first instances, else from training.
  Proposals(const live::Roster& roster, bool includes_startup)
      : roster_{roster}, includes_startup_{includes_startup} {}

  /// The belief prices stops; call it before the first step.
  void observe(const host::Host& host) { host_ = &host; }
  void on_entry(const host::Entry& entry) override;
  const std::vector<Proposal>& rows() const { return rows_; }

 private:
  template <class Decided>
  Proposal& add(const Decided& decided);
  void price(Proposal& stop) const;

  const live::Roster& roster_;
  bool includes_startup_;
  const host::Host* host_ = nullptr;
  policy::Instant now_;
  std::vector<std::string> seats_;
  std::vector<Proposal> rows_;
};

}  // namespace reeve::app
