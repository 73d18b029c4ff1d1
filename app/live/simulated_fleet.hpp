// A simulated fleet behind a mock account: its events, its metrics, and calls that change it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/live/simulated_events.hpp"
#include "live/mock/mock_fleet.hpp"
#include "models/fleet/simulation.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// The first run of a scenario, of which no rule is a part: what acts on it is the calls.
class SimulatedFleet final : public live::MockFleet {
 public:
  /// `policy`: whose rules will observe it; it decides whether training scripts report.  The
  /// scenario must outlive the fleet.  Its platform is sagemaker-training.
  SimulatedFleet(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy);

  policy::Instant advance(policy::Instant until, live::FleetHistory& out) override;
  policy::Instant time() const override { return time_; }
  Reply stop(const std::string& job) override;
  Reply terminate(const std::string& job) override;
  std::optional<live::QueuedJob> queued(const live::TrainingJobState& job) const override;
  Reply create(const live::TrainingJobState& request, bool from_scratch,
               std::uint16_t loses) override;
  Reply notify(const std::string& job, const std::string& key) override;
  models::MetricSeries gpu_utilization(const std::string& host,
                                       policy::Instant from) const override;

 private:
  using Attempt = SimulatedEvents::Attempt;

  Reply call(const policy::Verb& verb, std::uint64_t incident = 0);
  policy::Instant simulate(policy::Instant until, host::Intake& out);
  void take(const host::Intake& told);

  const models::World& world_;
  std::unique_ptr<models::Simulation> simulation_;
  SimulatedEvents events_;
  live::FleetHistory history_;  ///< not handed over yet
  std::map<std::string, Attempt, std::less<>> attempts_;
  std::map<Attempt, policy::AttemptNumber> began_with_;  ///< see QueuedJob
  std::map<Attempt, std::vector<std::size_t>> ended_;    ///< rows of Record::host_metrics
  std::size_t metrics_ = 0;                              ///< rows that are in `ended_`
  std::size_t submissions_ = 0;                          ///< rows that are in `attempts_`
  policy::Instant time_;
  bool is_over_ = false;
  std::uint64_t calls_ = 0;
};

}  // namespace reeve::app
