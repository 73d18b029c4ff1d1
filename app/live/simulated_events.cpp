#include "app/live/simulated_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "live/aws/sigv4.hpp"
#include "live/feed/roster.hpp"
#include "report/format.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using policy::Instant;

/// TrainingStartTime is the time of the first such status.
bool holds_instances(policy::Secondary status) {
  using policy::Secondary;
  return status == Secondary::downloading || status == Secondary::training ||
         status == Secondary::uploading;
}

std::string seconds_text(policy::Duration length) {
  std::string text;
  report::append_seconds(text, length);
  return text;
}

/// As live::is_named_by_batch says; a name has at most 63 characters.
std::string name_by_batch(const std::string& job, policy::AttemptNumber attempt) {
  constexpr std::size_t digits = 32;
  constexpr std::size_t most_of_job = 23;
  return "AWSBatch" + job.substr(0, most_of_job) +
         live::sha256_hex(fmt::format("{}\n{}", job, attempt)).substr(0, digits);
}

live::FleetEvent event_at(Instant time) {
  return {.id = {},
          .account = std::string{recorded_account},
          .region = std::string{recorded_region},
          .kind = {},
          .time = time,
          .detail = live::OtherEvent{}};
}

}  // namespace

std::optional<policy::QueueId> SimulatedEvents::queue_of(const Attempt& attempt) const {
  if (given_.contains(attempt)) return std::nullopt;
  const models::JobProfile& profile = world_.profiles[jobs_.specs[attempt.first.index].profile];
  return world_.directory.terms[profile.terms].queue;
}

std::string SimulatedEvents::name_of(policy::JobId job, policy::AttemptNumber attempt) const {
  if (const auto given = given_.find({job, attempt}); given != given_.end()) {
    return given->second.name;
  }
  if (queue_of({job, attempt})) return name_by_batch(jobs_.name(job), attempt);
  return attempt == 1 ? jobs_.name(job) : names_.numbered(job, attempt);
}

/// A job is described before its first event.
std::vector<live::FleetEvent> SimulatedEvents::take(const models::Record& record) {
  std::vector<live::FleetEvent> states;
  for (; submissions_ < record.submissions.size(); ++submissions_) {
    const models::SubmissionRow& row = record.submissions[submissions_];
    live::TrainingJobState request = request_of(row.submitted);
    requests_[{row.submitted.job, row.submitted.attempt}] = request;
    request.secondary = policy::Secondary::starting;
    request.secondary_word = "Starting";
    request.modified = request.created;
    live::FleetEvent& state = states.emplace_back(event_at(row.at));
    state.detail = std::move(request);
  }
  for (; rows_ < record.events.size(); ++rows_) {
    const models::EventRow& row = record.events[rows_];
    if (row.duplicate) continue;
    const Attempt attempt{row.job, row.attempt};
    Changes& changes = changes_[attempt];
    changes.add(row);
    live::FleetEvent& state = states.emplace_back(event_at(row.at));
    state.detail = state_of(attempt, changes.rows.size());
  }
  std::stable_sort(states.begin(), states.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return states;
}

std::optional<live::FleetEvent> SimulatedEvents::event(const policy::Observation& seen) {
  live::FleetEvent event = event_at(seen.happened_at);
  event.id = fmt::format("reeve-{:08}", ++events_);
  if (const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact)) {
    live::TrainingJobState request = request_of(*submitted);
    told_requests_[{submitted->job, submitted->attempt}] = request;
    event.detail = live::TrainingJobCreated{std::move(request)};
  } else if (const auto* changed = std::get_if<policy::JobChanged>(&seen.fact)) {
    event.detail = known_state(*changed, seen.happened_at);
    if (changed->failure != policy::FailureClass::none) {
      event.from_logs = live::LogVerdict{changed->failure, changed->doubt_pct};
    }
  } else if (const auto* report = std::get_if<policy::TrainingReported>(&seen.fact)) {
    event.detail =
        live::TrainingReport{.job = name_of(report->job, report->attempt),
                             .done = report->done,
                             .loss = report->has_loss ? std::optional{report->loss} : std::nullopt};
  } else if (const auto* signs = std::get_if<policy::SignsSeen>(&seen.fact)) {
    event.detail = live::TrainingReport{.job = name_of(signs->job, signs->attempt),
                                        .loss = std::nullopt,
                                        .signs = signs->signs,
                                        .has_progress = false};
  } else {
    return std::nullopt;
  }
  return event;
}

live::TrainingJobState SimulatedEvents::request_of(const policy::JobSubmitted& submitted) const {
  const policy::JobDescription& job = submitted.description;
  const policy::Directory& directory = world_.directory;
  live::TrainingJobState state;
  state.name = name_of(submitted.job, submitted.attempt);
  state.instance_type = directory.types[job.type.index].name;
  state.instances = job.instances;
  if (job.max_runtime != policy::Duration::max()) state.max_runtime = job.max_runtime;
  state.created = job.submitted_at;
  state.spot = directory.pools[job.pool.index].market == policy::Market::spot;
  if (const auto given = given_.find({submitted.job, submitted.attempt}); given != given_.end()) {
    state.tags = given->second.tags;
    return state;
  }
  state.tags = directory.tag_sets[job.tags.index];
  if (job.expected_work > policy::Duration{0}) {
    state.tags->emplace_back(live::expected_work_tag, seconds_text(job.expected_work));
  }
  if (job.deadline != policy::Duration::max()) {
    state.tags->emplace_back(live::deadline_tag, seconds_text(job.deadline));
  }
  if (submitted.attempt > 1) {
    state.tags->emplace_back(live::retry_of_tag, name_of(submitted.job, 1));
    state.tags->emplace_back(live::attempt_tag, std::to_string(submitted.attempt));
  }
  return state;
}

/// As the event says it: what its submission event told, and the changes up to this one.
live::TrainingJobState SimulatedEvents::known_state(const policy::JobChanged& changed,
                                                    Instant at) const {
  const Attempt attempt{changed.job, changed.attempt};
  const auto changes = changes_.find(attempt);
  const std::size_t taken = changes == changes_.end() ? 0 : changes->second.rows.size();
  live::TrainingJobState state = state_of(attempt, std::min<std::size_t>(changed.revision, taken));
  state.primary = changed.primary;
  state.secondary = changed.secondary;
  state.secondary_word = report::word(changed.secondary);
  state.modified = at;
  if (told_requests_.contains(attempt)) return state;
  state.tags.reset();
  state.instance_type.clear();
  state.instances = 0;
  state.max_runtime.reset();
  state.spot.reset();
  state.created.reset();
  return state;
}

void SimulatedEvents::Changes::add(const models::EventRow& row) {
  live::StatusTransition entered;
  entered.status = row.secondary;
  entered.word = report::word(row.secondary);
  entered.start = row.at;
  if (row.lacks_capacity) {
    entered.message = "Insufficient capacity error from EC2 while launching instances, retrying!";
  }
  transitions.push_back(std::move(entered));
  if (!started && holds_instances(row.secondary)) started = rows.size();
  rows.push_back(row);
}

/// After the first `count` changes.
live::TrainingJobState SimulatedEvents::state_of(const Attempt& attempt, std::size_t count) const {
  live::TrainingJobState state;
  if (const auto request = requests_.find(attempt); request != requests_.end()) {
    state = request->second;
  }
  state.name = name_of(attempt.first, attempt.second);
  if (count == 0) return state;
  const Changes& changes = changes_.at(attempt);
  const models::EventRow& newest = changes.rows[count - 1];
  state.transitions = changes.transitions.first(count);
  if (changes.started && *changes.started < count) {
    state.started = changes.rows[*changes.started].at;
  }
  if (policy::is_terminal(newest.primary)) state.ended = newest.at;
  state.primary = newest.primary;
  state.secondary = newest.secondary;
  state.secondary_word = report::word(newest.secondary);
  state.modified = newest.at;
  state.failure_reason = newest.reason;
  return state;
}

}  // namespace reeve::app
