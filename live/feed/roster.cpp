#include "live/feed/roster.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <reeve/policy/condition.hpp>
#include <reeve/policy/failure_reason.hpp>
#include <reeve/policy/training_job_name.hpp>
#include <tuple>

#include "live/feed/service_job_reader.hpp"

namespace reeve::live {
namespace {

using policy::Instant;
using policy::JobId;
using policy::Secondary;

/// `later` has what `older` has, unless it says otherwise.
void merge(TrainingJobState& older, const TrainingJobState& later) {
  TrainingJobState merged = later;
  if (merged.arn.empty()) merged.arn = older.arn;
  if (!merged.tags) merged.tags = older.tags;
  if (merged.instance_type.empty()) merged.instance_type = older.instance_type;
  if (merged.instances == 0) merged.instances = older.instances;
  if (!merged.max_runtime) merged.max_runtime = older.max_runtime;
  if (!merged.max_wait) merged.max_wait = older.max_wait;
  if (!merged.spot) merged.spot = older.spot;
  if (!merged.created) merged.created = older.created;
  if (!merged.started) merged.started = older.started;
  if (merged.transitions.empty()) merged.transitions = older.transitions;
  older = std::move(merged);
}

/// When the status was entered.  EventBridge writes the time of an event in seconds, SageMaker in
/// milliseconds; where both agree, the finer one counts.
Instant entered_at(const TrainingJobState& state, std::optional<Instant> event, Instant now) {
  std::optional<Instant> at = state.modified;
  if (!state.transitions.empty() && state.transitions.back().status == state.secondary) {
    at = state.transitions.back().start;
  }
  if (!at) at = event;
  if (event && at && std::chrono::floor<std::chrono::milliseconds>(*event) == *at) at = event;
  return std::min(at.value_or(now), now);
}

std::uint16_t interruptions_of(const TrainingJobState& state) {
  const auto count =
      std::count_if(state.transitions.begin(), state.transitions.end(),
                    [](const StatusTransition& to) { return to.status == Secondary::interrupted; });
  return static_cast<std::uint16_t>(
      std::min<std::ptrdiff_t>(count, std::numeric_limits<std::uint16_t>::max()));
}

bool lacks_capacity(const TrainingJobState& state) {
  constexpr std::string_view message = "Insufficient capacity";
  return state.secondary == Secondary::starting && !state.transitions.empty() &&
         state.transitions.back().status == Secondary::starting &&
         state.transitions.back().message.starts_with(message);
}

bool is_described(const TrainingJobState& state) {
  return state.tags && !state.instance_type.empty() && state.instances > 0;
}

/// The seconds in a tag, to nanoseconds; none if it is no number of them.
std::optional<policy::Duration> seconds_in(const std::vector<policy::Tag>& tags,
                                           std::string_view key) {
  constexpr std::int64_t most = 3'000'000'000;
  for (const auto& [name, value] : tags) {
    if (name != key) continue;
    std::int64_t seconds = 0;
    const char* const end = value.data() + value.size();
    const auto whole = std::from_chars(value.data(), end, seconds);
    if (whole.ec != std::errc{} || seconds < 0 || seconds > most) return std::nullopt;
    policy::Duration length = std::chrono::seconds{seconds};
    if (whole.ptr == end) return length;
    if (*whole.ptr != '.') return std::nullopt;
    std::int64_t unit = 1'000'000'000;
    for (const char* digit = whole.ptr + 1; digit != end; ++digit) {
      if (*digit < '0' || *digit > '9') return std::nullopt;
      unit /= 10;
      length += policy::Duration{unit * (*digit - '0')};
    }
    return length;
  }
  return std::nullopt;
}

std::string value_of(const std::vector<policy::Tag>& tags, std::string_view key) {
  for (const auto& [name, value] : tags) {
    if (name == key) return value;
  }
  return {};
}

std::optional<policy::AttemptNumber> attempt_number(const std::string& digits) {
  policy::AttemptNumber number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || digits.empty()) return std::nullopt;
  return number;
}

bool is_for_reeve(const policy::Tag& tag) {
  return tag.first == expected_work_tag || tag.first == deadline_tag || tag.first == retry_of_tag ||
         tag.first == attempt_tag || tag.first == created_by_tag;
}

}  // namespace

Roster::Roster(policy::Directory& directory, std::string account, std::string region,
               DescribeType describe_type)
    : directory_{directory},
      account_{std::move(account)},
      region_{std::move(region)},
      describe_type_{std::move(describe_type)} {
  for (std::uint32_t set = 0; set < directory.tag_sets.size(); ++set) {
    tag_sets_.emplace(directory.tag_sets[set], policy::TagSetId{set});
  }
}

void Roster::open(Instant now, std::vector<policy::Observation>& out) const {
  for (std::uint32_t pool = 0; pool < directory_.pools.size(); ++pool) {
    out.push_back({now, policy::CapacityChanged{{pool}, directory_.pools[pool].size}});
  }
}

void Roster::take(const FleetEvent& event, Instant now, std::vector<policy::Observation>& out) {
  const auto differs = [](const std::string& ours, const std::string& theirs) {
    return !ours.empty() && !theirs.empty() && ours != theirs;
  };
  if (differs(account_, event.account) || differs(region_, event.region)) {
    ++counts_.foreign;
    return;
  }
  if (listener_) listener_(event, now);
  const std::size_t before = out.size();
  if (const auto* job = std::get_if<TrainingJobState>(&event.detail)) {
    take_job(*job, event, now, out);
  } else if (const auto* created = std::get_if<TrainingJobCreated>(&event.detail)) {
    take_request(created->job, std::min(event.time.value_or(now), now), now, out);
  } else if (const auto* report = std::get_if<TrainingReport>(&event.detail)) {
    take_report(*report, std::min(event.time.value_or(now), now), out);
  } else if (const auto* queued = std::get_if<BatchJobState>(&event.detail)) {
    const std::string training_job = training_job_in(queued->training_job);
    if (!training_job.empty()) {
      service_jobs_[training_job] = queued->arn.substr(queued->arn.rfind('/') + 1);
    }
  }
  ++(out.size() > before ? counts_.taken : counts_.unused);
}

/// Whether the event tells of an earlier status than the one known, or of the same.  A list of
/// transitions orders the events; without one their times do, and an end is the last.
bool Roster::is_stale(const Attempt& attempt, const TrainingJobState& state, Instant at) {
  if (!state.transitions.empty() || attempt.revision == 0) return false;
  if (policy::is_terminal(attempt.known.primary)) return true;
  return !policy::is_terminal(state.primary) && at < attempt.changed_at;
}

void Roster::take_job(const TrainingJobState& state, const FleetEvent& event, Instant now,
                      std::vector<policy::Observation>& out) {
  Attempt* const known = attempt_of(state);
  if (known == nullptr) return;
  Attempt& attempt = *known;
  const Instant at = entered_at(state, event.time, now);
  if (is_stale(attempt, state, at)) return;
  std::uint32_t revision = static_cast<std::uint32_t>(state.transitions.size());
  if (revision == 0) {
    const bool is_next = attempt.revision == 0 || attempt.known.secondary != state.secondary ||
                         attempt.known.primary != state.primary;
    revision = attempt.revision + (is_next ? 1 : 0);
  } else if (policy::is_terminal(state.primary) && !policy::is_terminal(attempt.known.primary)) {
    revision = std::max(revision, attempt.revision + 1);  // whatever was counted before
  }
  const std::uint32_t seen = attempt.revision;
  if (revision >= attempt.revision) {
    merge(attempt.known, state);
    attempt.revision = revision;
    attempt.changed_at = std::max(attempt.changed_at, at);
  } else {
    TrainingJobState newer = attempt.known;
    merge(attempt.known, state);
    merge(attempt.known, newer);
  }
  submit(attempt, now, out);
  if (event.is_description) take_history(attempt, seen, now, out);
  LogVerdict failure{policy::FailureClass::none, 0};
  if (state.primary == policy::Primary::failed) {
    failure = event.from_logs.value_or(LogVerdict{policy::classify(state.failure_reason), 0});
  }
  out.push_back({at, policy::JobChanged{.job = attempt.job,
                                        .attempt = attempt.number,
                                        .revision = revision,
                                        .primary = state.primary,
                                        .secondary = state.secondary,
                                        .failure = failure.failure,
                                        .interruptions = interruptions_of(state),
                                        .doubt_pct = failure.doubt_pct,
                                        .lacks_capacity = lacks_capacity(state)}});
}

/// The statuses after the first `from`, but for the newest: rules count from when a job trains.
void Roster::take_history(const Attempt& attempt, std::uint32_t from, Instant now,
                          std::vector<policy::Observation>& out) const {
  const TransitionList& transitions = attempt.known.transitions;
  TrainingJobState then = attempt.known;
  for (std::size_t index = from; index + 1 < transitions.size(); ++index) {
    then.transitions = transitions.first(index + 1);
    then.secondary = transitions[index].status;
    const bool stops = then.secondary == Secondary::stopping;
    out.push_back({std::min(transitions[index].start, now),
                   policy::JobChanged{
                       .job = attempt.job,
                       .attempt = attempt.number,
                       .revision = static_cast<std::uint32_t>(index + 1),
                       .primary = stops ? policy::Primary::stopping : policy::Primary::in_progress,
                       .secondary = then.secondary,
                       .failure = policy::FailureClass::none,
                       .interruptions = interruptions_of(then),
                       .doubt_pct = 0,
                       .lacks_capacity = lacks_capacity(then)}});
  }
}

/// A request, before or after the first status.  One after the end of a job of that name is for
/// another job.
void Roster::take_request(const TrainingJobState& request, Instant at, Instant now,
                          std::vector<policy::Observation>& out) {
  const auto known = by_name_.find(request.name);
  const bool is_over = known != by_name_.end() && known->second.revision > 0 &&
                       policy::is_terminal(known->second.known.primary) &&
                       at > known->second.changed_at;
  if (is_over) by_name_.erase(known);
  Attempt& attempt = *attempt_of(request);
  TrainingJobState asked = request;
  merge(asked, attempt.known);
  attempt.known = std::move(asked);
  if (!attempt.requested) attempt.requested = at;
  submit(attempt, now, out);
}

void Roster::take_report(const TrainingReport& report, Instant at,
                         std::vector<policy::Observation>& out) {
  const auto known = by_name_.find(report.job);
  if (known == by_name_.end()) return;
  const Attempt& attempt = known->second;
  if (report.has_progress) {
    out.push_back({at, policy::TrainingReported{attempt.job, attempt.number, report.done,
                                                report.loss.has_value(), report.loss.value_or(0)}});
  }
  if (report.signs != 0) {
    out.push_back({at, policy::SignsSeen{attempt.job, attempt.number, report.signs}});
  }
}

/// Once tags and instances are known: a rule must not take unknown tags for missing ones.
void Roster::submit(Attempt& attempt, Instant now, std::vector<policy::Observation>& out) {
  const TrainingJobState& known = attempt.known;
  if (attempt.is_submitted || !is_described(known)) return;
  attempt.is_submitted = true;
  const Instant created = std::min(created_at(attempt).value_or(now), now);
  std::vector<policy::Tag> tags = *known.tags;
  policy::JobDescription description;
  description.submitted_at = created;
  description.expected_work = seconds_in(tags, expected_work_tag).value_or(policy::Duration{0});
  description.max_runtime = known.max_runtime.value_or(policy::Duration::max());
  description.deadline = seconds_in(tags, deadline_tag).value_or(policy::Duration::max());
  description.instances = known.instances;
  const std::size_t pools = directory_.pools.size();
  description.pool = pool_of(known);
  if (directory_.pools.size() > pools) {
    out.push_back({created, policy::CapacityChanged{
                                description.pool, directory_.pools[description.pool.index].size}});
  }
  description.type = directory_.pools[description.pool.index].type;
  const bool is_rules = !value_of(tags, created_by_tag).empty();
  std::erase_if(tags, is_for_reeve);
  const auto [set, is_new] = tag_sets_.try_emplace(
      tags, policy::TagSetId{static_cast<std::uint32_t>(directory_.tag_sets.size())});
  if (is_new) directory_.tag_sets.push_back(tags);
  description.tags = set->second;
  const policy::Origin origin = is_rules ? policy::Origin::rule : policy::Origin::person;
  out.push_back({created, policy::JobSubmitted{attempt.job, attempt.number, origin, description}});
}

/// SageMaker writes milliseconds; where CloudTrail agrees with them, its time is the finer one.
std::optional<Instant> Roster::created_at(const Attempt& attempt) {
  const auto& created = attempt.known.created;
  const auto& asked = attempt.requested;
  if (!created || (asked && std::chrono::floor<std::chrono::milliseconds>(*asked) == *created)) {
    return asked ? asked : created;
  }
  return created;
}

/// Null if the event is of a job that was deleted and has left its name to another one.
Roster::Attempt* Roster::attempt_of(const TrainingJobState& state) {
  const auto known = by_name_.find(state.name);
  if (known != by_name_.end()) {
    const auto& created = known->second.known.created;
    if (!created || !state.created || *created == *state.created) return &known->second;
    if (*state.created < *created) return nullptr;
    by_name_.erase(known);
  }
  Attempt attempt;
  attempt.known.name = state.name;
  attempt.known.secondary = Secondary::queued;
  if (const auto further = further_attempt(state)) {
    std::tie(attempt.job, attempt.number) = *further;
  } else {
    attempt.job = JobId{static_cast<std::uint32_t>(attempts_.size())};
    attempts_.emplace_back();
  }
  add_name(attempt.job, attempt.number, state.name);
  return &by_name_.emplace(state.name, std::move(attempt)).first->second;
}

void Roster::add_name(JobId job, policy::AttemptNumber number, const std::string& name) {
  Names& names = attempts_[job.index];
  names.emplace(number, name);
  const std::size_t next = names.rbegin()->first + std::size_t{1};
  if (next > std::numeric_limits<policy::AttemptNumber>::max()) return;
  const std::string& first = names.begin()->second;
  const std::pair further{job, static_cast<policy::AttemptNumber>(next)};
  next_names_.insert_or_assign(policy::clone_name(first, further.second), further);
  // Longer ones SageMaker does not take.
  if (first.size() + 5 * (next - 1) > policy::training_job_name_max) return;
  next_names_.insert_or_assign(policy::appended_name(first, further.second), further);
}

/// Without tags: what reeve would name the next attempt of a known job.
std::optional<Roster::NumberedJob> Roster::next_attempt(const std::string& name) const {
  const auto next = next_names_.find(name);
  if (next == next_names_.end()) return std::nullopt;
  const Names& names = attempts_[next->second.first.index];
  const auto first = by_name_.find(names.begin()->second);
  const bool is_known = first != by_name_.end() && first->second.job == next->second.first;
  const auto& [number, last] = *names.rbegin();
  // People call jobs "...clone" too.  reeve makes a clone of an attempt that has ended.
  const bool may_be_anothers =
      name == policy::appended_name(names.begin()->second, next->second.second);
  const bool is_next = number + 1 == next->second.second &&
                       (!may_be_anothers || ended(next->second.first, number).has_value());
  return is_known && is_next ? std::optional{next->second} : std::nullopt;
}

/// The tags say it, or where tags are unknown, the name.
std::optional<Roster::NumberedJob> Roster::further_attempt(const TrainingJobState& state) {
  if (!state.tags) return next_attempt(state.name);
  const std::string first = value_of(*state.tags, retry_of_tag);
  const auto number = attempt_number(value_of(*state.tags, attempt_tag)).value_or(0);
  if (first.empty() || number < 2 || first == state.name) return std::nullopt;
  const auto known = by_name_.find(first);
  if (known != by_name_.end()) {
    // Tags that were copied with a job name an attempt that is another's.
    const JobId job = known->second.job;
    if (known->second.number != 1 || attempts_[job.index].contains(number)) return std::nullopt;
    return std::pair{job, number};
  }
  Attempt unseen;  // it ended before reeve looked, or its events are late
  unseen.job = JobId{static_cast<std::uint32_t>(attempts_.size())};
  unseen.known.name = first;
  attempts_.emplace_back();
  const JobId job = unseen.job;
  add_name(job, 1, first);
  by_name_.emplace(first, std::move(unseen));
  return std::pair{job, number};
}

policy::TypeId Roster::type_named(const std::string& name) {
  auto& types = directory_.types;
  const auto known =
      std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.name == name; });
  const auto index = static_cast<std::uint32_t>(known - types.begin());
  if (known == types.end()) types.push_back(describe_type_(name));
  return policy::TypeId{index};
}

/// The fleet of that type and market in the configuration, else one with a name made of both.  Only
/// Spot has a limit of the wait, which events state, and EnableManagedSpotTraining they do not.
policy::PoolId Roster::pool_of(const TrainingJobState& state) {
  const bool spot = state.spot.value_or(state.max_wait.has_value());
  const policy::Market market = spot ? policy::Market::spot : policy::Market::on_demand;
  const policy::TypeId type = type_named(state.instance_type);
  if (const auto pool = directory_.pool_of(type, market)) return *pool;
  if (!spot) {  // what is reserved runs as on demand does
    for (std::uint32_t pool = 0; pool < directory_.pools.size(); ++pool) {
      const policy::PoolFacts& facts = directory_.pools[pool];
      if (facts.type == type && facts.market != policy::Market::spot) return {pool};
    }
  }
  directory_.pools.push_back({.name = state.instance_type + (spot ? " spot" : ""),
                              .type = type,
                              .market = market,
                              .size = std::numeric_limits<std::int32_t>::max()});
  return {static_cast<std::uint32_t>(directory_.pools.size() - 1)};
}

std::string Roster::name(JobId job, policy::AttemptNumber attempt) const {
  if (job.index >= attempts_.size() || attempt < 1) return {};
  const Names& names = attempts_[job.index];
  if (const auto known = names.find(attempt); known != names.end()) return known->second;
  // SageMaker takes a name once: the number is the next free one.
  for (std::uint32_t number = attempt; number <= UINT16_MAX; ++number) {
    std::string name =
        policy::clone_name(names.begin()->second, static_cast<policy::AttemptNumber>(number));
    if (!by_name_.contains(name)) return name;
  }
  return {};
}

const TrainingJobState* Roster::known(JobId job, policy::AttemptNumber attempt) const {
  const auto found = by_name_.find(name(job, attempt));
  return found == by_name_.end() ? nullptr : &found->second.known;
}

std::uint32_t Roster::instances(JobId job, policy::AttemptNumber attempt) const {
  const TrainingJobState* state = known(job, attempt);
  return state == nullptr ? 0 : state->instances;
}

std::optional<Instant> Roster::trains_since(JobId job, policy::AttemptNumber attempt) const {
  const auto known = by_name_.find(name(job, attempt));
  if (known == by_name_.end()) return {};
  const auto& entered = known->second.known.transitions;
  const auto first = std::find_if(entered.begin(), entered.end(), [](const StatusTransition& to) {
    return to.status == policy::Secondary::training;
  });
  return first == entered.end() ? std::nullopt : std::optional{first->start};
}

std::optional<Instant> Roster::ended(JobId job, policy::AttemptNumber attempt) const {
  const auto known = by_name_.find(name(job, attempt));
  if (known == by_name_.end() || !policy::is_terminal(known->second.known.primary)) return {};
  return known->second.changed_at;
}

std::string Roster::service_job(const std::string& training_job) const {
  const auto known = service_jobs_.find(training_job);
  return known == service_jobs_.end() ? std::string{} : known->second;
}

std::vector<const TrainingJobState*> Roster::training_jobs() const {
  std::vector<const TrainingJobState*> all;
  for (const auto& [name, attempt] : by_name_) all.push_back(&attempt.known);
  return all;
}

bool Roster::knows(const std::string& name, std::string_view status,
                   std::optional<Instant> modified) const {
  const auto known = by_name_.find(name);
  if (known == by_name_.end() || !known->second.is_submitted || !modified) return false;
  const TrainingJobState& state = known->second.known;
  // Two changes may have the same time.
  if (policy::primary_names[static_cast<std::size_t>(state.primary)] != status) return false;
  const auto& newest = state.modified;
  return newest && std::chrono::ceil<std::chrono::milliseconds>(*newest) >= *modified;
}

bool Roster::is_undescribed(const Attempt& attempt) {
  const bool runs = attempt.revision > 0 && !policy::is_terminal(attempt.known.primary);
  return runs && !attempt.is_submitted;
}

bool Roster::lacks_description(const std::string& name) const {
  const auto known = by_name_.find(name);
  return known != by_name_.end() && is_undescribed(known->second);
}

std::vector<std::string> Roster::undescribed() const {
  std::vector<std::string> names;
  for (const auto& [name, attempt] : by_name_) {
    if (is_undescribed(attempt)) names.push_back(name);
  }
  return names;
}

}  // namespace reeve::live
