#include "app/live/proposals.hpp"

#include <algorithm>

#include "host/target.hpp"
#include "models/ledger.hpp"

namespace reeve::app {

void Proposals::on_entry(const host::Entry& entry) {
  if (const auto* seat = std::get_if<host::SeatListed>(&entry)) {
    seats_.resize(std::max<std::size_t>(seats_.size(), seat->seat.index + 1U));
    seats_[seat->seat.index] = seat->name;
  } else if (const auto* step = std::get_if<host::StepBegun>(&entry)) {
    now_ = step->now;
  } else if (const auto* shadowed = std::get_if<host::Shadowed>(&entry)) {
    if (!host::is_own_alarm(shadowed->verb)) price(add(*shadowed));
  } else if (const auto* refused = std::get_if<host::Refused>(&entry)) {
    if (refused->why != host::Why::guard) return;
    Proposal& row = add(*refused);
    row.refused_by = refused->guard;
    price(row);
  }
}

template <class Decided>
Proposal& Proposals::add(const Decided& decided) {
  const host::Target of = host::target(decided.verb);
  rows_.push_back({.at = now_,
                   .rule = seats_[decided.seat.index],
                   .action = host::kind_of(decided.verb),
                   .job = of.job,
                   .attempt = of.attempt,
                   .name = roster_.name(of.job, of.attempt),
                   .reason = std::string{decided.reason},
                   .basis = std::string{decided.basis},
                   .refused_by = {},
                   .saves_up_to = std::nullopt});
  return rows_.back();
}

void Proposals::price(Proposal& stop) const {
  const host::Belief& belief = host_->belief();
  const bool stops = stop.action == policy::VerbKind::stop_job;
  if (!stops || !belief.knows(stop.job) || !belief.is_described(stop.job)) return;
  const policy::JobDescription& job = belief.description(stop.job);
  const policy::Directory& directory = belief.directory();
  const policy::UsdPerHour each = directory.types[job.type.index].price;
  if (each.nanos <= 0) return;
  if (policy::is_reserved(directory.pools[job.pool.index].market)) return;
  if (job.max_runtime == policy::Duration::max()) return;
  policy::Instant since = belief.machines_since(stop.job);
  if (!includes_startup_ || since == policy::never) {
    since = roster_.trains_since(stop.job, stop.attempt).value_or(now_);
  }
  const policy::Instant end = policy::later(since, job.max_runtime);
  const policy::Duration left = std::max(policy::Duration{0}, end - now_);
  stop.saves_up_to = models::to_usd(models::charge(each, job.instances, left));
}

}  // namespace reeve::app
