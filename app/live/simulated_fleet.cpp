#include "app/live/simulated_fleet.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <iterator>

#include "experiments/run.hpp"
#include "live/feed/roster.hpp"
#include "models/batch_state.hpp"

namespace reeve::app {
namespace {

using policy::Instant;

std::string value_of(const live::TrainingJobState& job, std::string_view key) {
  if (!job.tags) return {};
  for (const auto& [name, value] : *job.tags) {
    if (name == key) return value;
  }
  return {};
}

/// The tags that rules see, in order.
std::vector<policy::Tag> own_tags(std::vector<policy::Tag> tags) {
  std::erase_if(tags, [](const policy::Tag& tag) { return tag.first.starts_with("reeve:"); });
  std::sort(tags.begin(), tags.end());
  return tags;
}

/// As a request states a limit.
policy::Duration whole_seconds(policy::Duration length) {
  if (length == policy::Duration::max()) return length;
  return std::chrono::ceil<std::chrono::seconds>(length);
}

}  // namespace

SimulatedFleet::SimulatedFleet(const scenarios::Scenario& scenario,
                               const scenarios::PolicySpec& policy)
    : world_{scenario.world},
      simulation_{models::simulate(world_, 0, experiments::admission(policy),
                                   {.events = true, .host_metrics = true},
                                   experiments::needs_reports(policy))},
      events_{world_, simulation_->so_far().jobs},
      time_{world_.start} {}

Instant SimulatedFleet::simulate(Instant until, host::Intake& out) {
  if (is_over_) return time_ = std::max(time_, until);
  const Instant limit = std::min(until, world_.end);
  const Instant reached = simulation_->advance(limit, out);
  is_over_ = reached == policy::never || (out.empty() && reached >= world_.end);
  return time_ = std::max(time_, is_over_ ? until : reached);
}

void SimulatedFleet::take(const host::Intake& told) {
  for (live::FleetEvent& state : events_.take(simulation_->so_far())) {
    history_.states.push_back(std::move(state));
  }
  for (const policy::Observation& seen : told.observations) {
    auto event = events_.event(seen);
    if (!event) continue;
    event->received = time_;
    history_.told.push_back(*std::move(event));
  }
  const models::Record& record = simulation_->so_far();
  for (; metrics_ < record.host_metrics.size(); ++metrics_) {
    const models::HostMetricRow& row = record.host_metrics[metrics_];
    ended_[{row.job, row.attempt}].push_back(metrics_);
  }
  for (; submissions_ < record.submissions.size(); ++submissions_) {
    const policy::JobSubmitted& submitted = record.submissions[submissions_].submitted;
    attempts_.emplace(events_.name_of(submitted.job, submitted.attempt),
                      Attempt{submitted.job, submitted.attempt});
    const auto last = began_with_.find({submitted.job, submitted.attempt - 1});
    const bool is_retry = submitted.origin == policy::Origin::queue && last != began_with_.end();
    began_with_[{submitted.job, submitted.attempt}] = is_retry ? last->second : submitted.attempt;
  }
}

Instant SimulatedFleet::advance(Instant until, live::FleetHistory& out) {
  if (history_.told.empty()) {
    host::Intake intake;
    simulate(until, intake);
    take(intake);
  }
  std::move(history_.states.begin(), history_.states.end(), std::back_inserter(out.states));
  std::move(history_.told.begin(), history_.told.end(), std::back_inserter(out.told));
  history_ = {};
  return time_;
}

/// A call takes the latency of the platform, as it does for a simulated host.
live::MockFleet::Reply SimulatedFleet::call(const policy::Verb& verb, std::uint64_t incident) {
  if (is_over_) return host::ReplyKind::rejected;  // the scenario has ended
  const policy::ActionId id{++calls_};
  simulation_->submit({.action = id, .verb = verb, .incident = incident});
  const Instant until = policy::later(time_, world_.platform.api.latency);
  Reply reply;
  bool has_waited = false;
  while (!reply && !has_waited) {
    host::Intake intake;
    has_waited = simulate(until, intake) >= until && intake.empty();
    take(intake);
    for (const host::Reply& each : intake.replies) {
      if (each.action == id) reply = each.kind;
    }
  }
  return reply;
}

/// What AWS Batch tries more than once, it starts again after the stop: as after a preemption.
live::MockFleet::Reply SimulatedFleet::stop(const std::string& job) {
  const auto [id, attempt] = attempts_.at(job);
  const models::JobProfile& profile =
      world_.profiles[simulation_->so_far().jobs.specs[id.index].profile];
  if (events_.queue_of({id, attempt}) && profile.retry_strategy &&
      attempt < profile.retry_strategy->attempts) {
    const Reply reply = call(policy::PreemptJob{.job = id, .attempt = attempt, .to = id});
    if (reply != host::ReplyKind::rejected) return reply;
  }
  return terminate(job);
}

live::MockFleet::Reply SimulatedFleet::terminate(const std::string& job) {
  const auto [id, attempt] = attempts_.at(job);
  return call(policy::StopJob{.job = id, .attempt = attempt});
}

std::optional<live::QueuedJob> SimulatedFleet::queued(const live::TrainingJobState& job) const {
  const auto known = attempts_.find(job.name);
  if (known == attempts_.end()) return std::nullopt;
  const auto queue = events_.queue_of(known->second);
  if (!queue) return std::nullopt;
  return live::QueuedJob{simulation_->so_far().jobs.name(known->second.first),
                         world_.directory.queues[queue->index].name,
                         std::string{models::batch_state(job.secondary, job.started.has_value())},
                         began_with_.at(known->second)};
}

live::MockFleet::Reply SimulatedFleet::create(const live::TrainingJobState& request,
                                              bool from_scratch, std::uint16_t loses) {
  const auto original = attempts_.find(value_of(request, live::retry_of_tag));
  const std::string digits = value_of(request, live::attempt_tag);
  policy::AttemptNumber number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (original == attempts_.end() || number < 2) return host::ReplyKind::rejected;
  const policy::JobId job = original->second.first;
  const models::JobProfile& profile =
      world_.profiles[simulation_->so_far().jobs.specs[job.index].profile];
  const policy::Directory& directory = world_.directory;
  policy::CloneJob clone{.job = job, .attempt = number};
  clone.from = from_scratch ? policy::ResumeFrom::scratch : policy::ResumeFrom::last_checkpoint;
  clone.loses = loses;
  clone.keep_tags = own_tags(*request.tags) == own_tags(directory.tag_sets[profile.tags.index]);
  for (std::uint32_t pool = 0; pool < directory.pools.size(); ++pool) {
    const policy::PoolFacts& facts = directory.pools[pool];
    const bool is_spot = facts.market == policy::Market::spot;
    const bool fits = directory.types[facts.type.index].name == request.instance_type &&
                      is_spot == request.spot.value_or(false);
    // Of several that fit, that of the job.
    if (fits && (!clone.pool || policy::PoolId{pool} == profile.pool)) clone.pool = {pool};
  }
  if (!clone.pool) return host::ReplyKind::rejected;
  if (request.max_runtime && *request.max_runtime != whole_seconds(profile.max_runtime)) {
    clone.max_runtime = *request.max_runtime;
  }
  if (!attempts_.contains(request.name)) events_.name({job, number}, request);
  return call(clone);
}

live::MockFleet::Reply SimulatedFleet::notify(const std::string& job, const std::string& key) {
  const auto [id, attempt] = attempts_.at(job);
  // Never 0, which is no incident.
  const std::uint64_t incident = std::hash<std::string>{}(key) | 1U;
  return call(policy::Notify{.job = id, .attempt = attempt}, incident);
}

models::MetricSeries SimulatedFleet::gpu_utilization(const std::string& host, Instant from) const {
  const std::size_t slash = host.rfind("/algo-");
  if (slash == std::string::npos) return {};
  const auto found = attempts_.find(host.substr(0, slash));
  std::uint32_t number = 0;
  const char* const end = host.data() + host.size();
  std::from_chars(host.data() + slash + std::string_view{"/algo-"}.size(), end, number);
  if (found == attempts_.end() || number == 0) return {};
  const auto& [job, attempt] = found->second;
  if (const auto ended = ended_.find(found->second); ended != ended_.end()) {
    for (const std::size_t row : ended->second) {
      const models::HostMetricRow& metric = simulation_->so_far().host_metrics[row];
      if (metric.host == number) return metric.series;
    }
    return {};
  }
  const auto hosts = simulation_->metrics_since(job, attempt, from);
  return number <= hosts.size() ? hosts[number - 1] : models::MetricSeries{};
}

}  // namespace reeve::app
