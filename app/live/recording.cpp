#include "app/live/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>
#include <vector>

#include "app/usage_error.hpp"
#include "experiments/run.hpp"
#include "host/journal_words.hpp"
#include "live/events/write_event.hpp"
#include "live/feed/roster.hpp"
#include "models/attempt_names.hpp"
#include "models/fleet/simulation.hpp"
#include "report/format.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using policy::Instant;

/// Keeps what a fleet tells the host.
class Tap final : public host::Feed {
 public:
  struct Told {
    Instant at;
    policy::Observation what;
  };

  explicit Tap(host::Feed& feed) : feed_{feed} {}

  Instant advance(Instant deadline, host::Intake& out) override {
    const Instant now = feed_.advance(deadline, out);
    for (const policy::Observation& seen : out.observations) told_.push_back({now, seen});
    return now;
  }
  const std::vector<Told>& told() const { return told_; }

 private:
  host::Feed& feed_;
  std::vector<Told> told_;
};

/// TrainingStartTime is the time of the first such status.
bool holds_instances(policy::Secondary status) {
  using policy::Secondary;
  return status == Secondary::downloading || status == Secondary::training ||
         status == Secondary::uploading;
}

using Attempt = std::pair<policy::JobId, policy::AttemptNumber>;

std::string seconds_text(policy::Duration length) {
  std::string text;
  report::append_seconds(text, length);
  return text;
}

/// Turns the observations of one run into events.
class Recorder {
 public:
  Recorder(const models::World& world, const models::Record& record)
      : world_{world}, record_{record}, names_{record.jobs} {
    for (const models::EventRow& row : record.events) {
      if (!row.duplicate) changes_[{row.job, row.attempt}].push_back(&row);
    }
    for (auto& [attempt, rows] : changes_) {
      std::stable_sort(rows.begin(), rows.end(),
                       [](const auto* a, const auto* b) { return a->at < b->at; });
    }
  }

  /// Nothing if no event of AWS tells it.
  std::optional<live::FleetEvent> event(const policy::Observation& seen) {
    live::FleetEvent event{.id = fmt::format("reeve-{:08}", ++events_),
                           .account = std::string{recorded_account},
                           .region = std::string{recorded_region},
                           .kind = {},
                           .time = seen.happened_at,
                           .detail = live::OtherEvent{}};
    if (const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact)) {
      event.detail = live::TrainingJobCreated{request_of(*submitted)};
    } else if (const auto* changed = std::get_if<policy::JobChanged>(&seen.fact)) {
      event.detail = state_of(*changed, seen.happened_at);
      if (changed->failure != policy::FailureClass::none) {
        event.from_logs = live::LogVerdict{changed->failure, changed->doubt_pct};
      }
    } else if (const auto* report = std::get_if<policy::TrainingReported>(&seen.fact)) {
      event.detail = live::TrainingReport{
          .job = name_of(report->job, report->attempt),
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

 private:
  std::string name_of(policy::JobId job, policy::AttemptNumber attempt) const {
    return attempt == 1 ? record_.jobs.name(job) : names_.numbered(job, attempt);
  }

  live::TrainingJobState request_of(const policy::JobSubmitted& submitted) {
    const policy::JobDescription& job = submitted.description;
    const policy::Directory& directory = world_.directory;
    live::TrainingJobState state;
    state.name = name_of(submitted.job, submitted.attempt);
    state.instance_type = directory.types[job.type.index].name;
    state.instances = job.instances;
    if (job.max_runtime != policy::Duration::max()) state.max_runtime = job.max_runtime;
    state.created = job.submitted_at;
    state.spot = directory.pools[job.pool.index].market == policy::Market::spot;
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
    requests_[{submitted.job, submitted.attempt}] = state;
    return state;
  }

  live::TrainingJobState state_of(const policy::JobChanged& changed, Instant at) {
    const Attempt attempt{changed.job, changed.attempt};
    live::TrainingJobState state;
    if (const auto request = requests_.find(attempt); request != requests_.end()) {
      state = request->second;
    }
    state.name = name_of(changed.job, changed.attempt);
    state.primary = changed.primary;
    state.secondary = changed.secondary;
    state.secondary_word = report::word(changed.secondary);
    state.modified = at;
    const std::vector<const models::EventRow*>& rows = changes_[attempt];
    const std::size_t known = std::min<std::size_t>(changed.revision, rows.size());
    for (std::size_t row = 0; row < known; ++row) {
      const models::EventRow& entered = *rows[row];
      live::StatusTransition to;
      to.status = entered.secondary;
      to.word = report::word(entered.secondary);
      to.start = entered.at;
      if (row + 1 < known) to.end = rows[row + 1]->at;
      if (entered.lacks_capacity) {
        to.message = "Insufficient capacity error from EC2 while launching instances, retrying!";
      }
      if (!state.started && holds_instances(entered.secondary)) state.started = entered.at;
      if (policy::is_terminal(entered.primary)) state.ended = entered.at;
      state.transitions.push_back(std::move(to));
      if (row + 1 == known) state.failure_reason = entered.reason;
    }
    return state;
  }

  const models::World& world_;
  const models::Record& record_;
  models::AttemptNames names_;
  std::map<Attempt, std::vector<const models::EventRow*>> changes_;
  std::map<Attempt, live::TrainingJobState> requests_;
  std::uint64_t events_ = 0;
};

/// What the hosts of a record measured, until it ends.
live::MetricsByHost metrics_of(models::Record& record) {
  const models::AttemptNames names{record.jobs};
  live::MetricsByHost metrics;
  for (models::HostMetricRow& row : record.host_metrics) {
    const std::string job =
        row.attempt == 1 ? record.jobs.name(row.job) : names.numbered(row.job, row.attempt);
    row.series.cut(record.end);
    row.series.append(record.end, std::nullopt);
    metrics[fmt::format("{}/algo-{}", job, row.host)] = std::move(row.series);
  }
  record.host_metrics = {};
  return metrics;
}

}  // namespace

scenarios::PolicySpec shadowed(scenarios::PolicySpec policy) {
  for (scenarios::SeatSpec& seat : policy.seats) {
    if (seat.mode != host::Mode::off) seat.mode = host::Mode::shadow;
  }
  return policy;
}

void check_recordable(const scenarios::Scenario& scenario) {
  if (scenario.world.platform.model == models::PlatformModel::sagemaker_training) return;
  throw UsageError{"only training jobs of SageMaker send such events",
                   "use \"platform\": { \"model\": \"sagemaker-training\" }"};
}

Recording record_events(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                        bool with_metrics) {
  const scenarios::PolicySpec watching = shadowed(policy);
  host::Journal journal;
  const auto fleet = models::simulate(scenario.world, 0, experiments::admission(watching),
                                      {.events = true, .host_metrics = with_metrics},
                                      experiments::needs_reports(watching));
  const auto host = experiments::make_host(scenario, watching, journal);
  Tap tap{*fleet};
  host::run(*host, tap, *fleet, scenario.world.end);
  Recording recording;
  recording.start = scenario.world.start;
  recording.end = std::max(host->now(), scenario.world.start);
  models::Record record = fleet->finish(recording.end, false);
  recording.metrics = metrics_of(record);
  Recorder recorder{scenario.world, record};
  for (const Tap::Told& told : tap.told()) {
    // All alarms are local: reeve evaluates them by the metrics.
    if (std::holds_alternative<policy::AlarmChanged>(told.what.fact)) continue;
    if (auto event = recorder.event(told.what)) {
      event->received = told.at;
      recording.events.push_back(*std::move(event));
    } else {
      ++recording.left_out[std::string{host::fact_words[told.what.fact.index()]}];
    }
  }
  return recording;
}

void write_events(const Recording& recording, std::ostream& out) {
  for (const live::FleetEvent& event : recording.events) {
    out << live::recorded(event, *event.received) << '\n';
  }
  // Timers of rules may be due after the last event.
  const live::FleetEvent last{.id = {},
                              .account = std::string{recorded_account},
                              .region = std::string{recorded_region},
                              .kind = "Recording End",
                              .time = recording.end,
                              .detail = live::OtherEvent{}};
  out << live::recorded(last, recording.end) << '\n';
}

}  // namespace reeve::app
