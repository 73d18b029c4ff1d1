#include "app/live/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>
#include <vector>

#include "app/live/simulated_events.hpp"
#include "app/usage_error.hpp"
#include "experiments/run.hpp"
#include "host/journal_words.hpp"
#include "live/events/recording_lines.hpp"
#include "models/attempt_names.hpp"
#include "models/fleet/simulation.hpp"

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

/// What the hosts of a record measured, until it ends.
MetricsByHost metrics_of(models::Record& record) {
  const models::AttemptNames names{record.jobs};
  MetricsByHost metrics;
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
  SimulatedEvents events{scenario.world, record.jobs};
  events.take(record);
  for (const Tap::Told& told : tap.told()) {
    // All alarms are local: reeve evaluates them by the metrics.
    if (std::holds_alternative<policy::AlarmChanged>(told.what.fact)) continue;
    if (auto event = events.event(told.what)) {
      event->received = told.at;
      recording.events.push_back(*std::move(event));
    } else {
      ++recording.left_out[std::string{host::fact_words[told.what.fact.index()]}];
    }
  }
  return recording;
}

void write_events(const Recording& recording, std::ostream& out) {
  live::RecordingWriter writer;
  for (const live::FleetEvent& event : recording.events) {
    out << writer.line(event, *event.received) << '\n';
  }
  // Timers of rules may be due after the last event.
  const live::FleetEvent last{.id = {},
                              .account = std::string{recorded_account},
                              .region = std::string{recorded_region},
                              .kind = "Recording End",
                              .time = recording.end,
                              .detail = live::OtherEvent{}};
  out << writer.line(last, recording.end) << '\n';
}

}  // namespace reeve::app
