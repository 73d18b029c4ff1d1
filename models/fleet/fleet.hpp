// The simulated fleet: truth behind the two ports, composed of parts.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/fleet/account_quotas.hpp"
#include "models/fleet/alarm_states.hpp"
#include "models/fleet/api_calls.hpp"
#include "models/fleet/arrival_order.hpp"
#include "models/fleet/billing.hpp"
#include "models/fleet/capacity_promises.hpp"
#include "models/fleet/clone_names.hpp"
#include "models/fleet/core.hpp"
#include "models/fleet/host_metrics.hpp"
#include "models/fleet/instance_pools.hpp"
#include "models/fleet/job_queue.hpp"
#include "models/fleet/operators.hpp"
#include "models/fleet/shares.hpp"
#include "models/fleet/simulation.hpp"
#include "models/fleet/spare_instances.hpp"
#include "models/fleet/spot_market.hpp"
#include "models/fleet/training_reports.hpp"
#include "models/node_clock.hpp"
#include "models/world.hpp"

namespace reeve::models {

/// One replication of a world in continuous time.  The world must outlive the fleet.
///
/// Its parts own their state.  The fleet itself moves attempts through their stages: an event of
/// one part has effects on others.
class Fleet final : public Simulation {
 public:
  Fleet(const World& world, std::uint32_t replication, Admission admission, Keep keep,
        bool reports = false);

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;
  void submit(const host::Attempt& attempt) override;

  Record finish(policy::Instant end, bool partial) override;
  std::uint64_t events_handled() const override { return events_handled_; }
  const Record& so_far() const override { return core_.record; }
  std::vector<MetricSeries> metrics_since(policy::JobId job, policy::AttemptNumber attempt,
                                          Instant from) const override;

 private:
  /// What a further attempt requests otherwise than the first.
  struct Changes {
    policy::PoolId pool;
    bool keep_tags = true;
    Duration max_runtime{0};  ///< 0: as the first
    std::uint16_t loses = 0;  ///< CloneLoss
  };

  bool standing_still(const Running& run) const { return run.stage == Stage::stalled; }
  /// Whether GPUs of an attempt that works wait for loaders or for each other.
  bool held_up(const Running& run) const {
    if (run.stage != Stage::training || !run.launch) return false;
    return std::min(run.launch->pace.busy, run.launch->pace.busy_slow) < full_speed;
  }

  // fleet.cpp: the event loop
  void open();
  bool next_is_arrival(Instant& at);
  bool is_over(Instant next, Instant deadline);
  bool stands_still(Instant next) const;
  void handle(const sim::Event& event);
  void handle_order(const sim::Event& event);
  void turn_switch(bool engaged);

  // pending.cpp: attempts from their submission until they have instances, or end without
  void submit_job(policy::JobId job, policy::Origin origin, const Changes& changes);
  void line_up(policy::JobId job);
  void wait_over(policy::JobId job);
  void end_request(policy::JobId job, policy::Primary primary, policy::Secondary ends_as,
                   policy::FailureClass failure = policy::FailureClass::none,
                   std::optional<policy::FailureClass> cause = std::nullopt);
  void grant(policy::JobId job, bool warm = false);
  void cancel_request(policy::JobId job);
  void note_end(const Request& request, EndReason reason, policy::FailureClass failure);
  void enter_wait(policy::JobId job);
  void await_start(policy::JobId job);
  void capacity_is_found(policy::JobId job, std::uint64_t number);
  void offer_warm(policy::PoolId pool, std::uint32_t instances, policy::JobId owner_job);
  void fail_request(policy::JobId job, policy::FailureClass failure);

  // running.cpp: attempts that hold instances: startup, training, and what happens to them next
  void enter(policy::JobId job, policy::Primary primary, policy::Secondary secondary,
             policy::FailureClass failure = policy::FailureClass::none, std::uint8_t doubt_pct = 0);
  void enter(policy::JobChanged change);
  void attempt_is_due(Slot slot);
  void read_level(Running& run, bool running);
  void begin_startup(Running& run);
  void begin_training(Running& run);
  void start_runtime_clock(Running& run) const;
  void set_limit(Running& run) const;
  void come_back(Running& run);
  void relaunch(Running& run);
  void schedule(Running& run);
  Instant next_change(const Running& run) const;
  Duration time_to_train(const Running& run) const;
  Duration undisturbed_training(const Running& run) const;
  std::optional<policy::FailureClass> missing_at_start(const Running& run) const;
  Duration startup_of_launch(const Running& run) const;
  Duration with_restore(const Running& run, Duration startup) const;

  // training.cpp: what runs of training made, and what of it was saved
  bool saved_in_time(Running& run);
  bool can_save(const Running& run) const;
  void finish_save(Running& run);
  bool saves_when_stopped(const Running& run, Duration grace) const;
  void end_last_save(Running& run);
  void close_run(Running& run, bool orderly, bool finished, bool horizon);
  void pause_training(Running& run, Instant at) const;
  void note_upload(Running& run) const;
  bool effect(const policy::SaveCheckpoint& verb);

  // trouble.cpp: stalls, losses of metrics and interruptions of attempts
  void meet_fault(Running& run);
  void begin_trouble(Running& run, std::uint32_t fault);
  void stand_still(Running& run, std::uint32_t fault);
  void recover(Running& run);
  static bool stands_still_by(const Running& run, const Trouble& trouble);
  bool interrupt(Running& run, std::int32_t fault);
  void set_watchdog(Running& run, std::uint32_t fault) const;
  static bool still_stands(const Running& run, Instant now);

  // repair.cpp: retries of the platform and repairs of clusters
  bool retry(Running& run, policy::FailureClass failure);
  void repair(Running& run, const Fault* broken = nullptr);
  std::size_t broken_host(const Running& run) const;
  void begin_again(Running& run);
  void await_machines(Running& run);

  // ending.cpp: how attempts end: completed, stopped, failed, or with the run
  void finish_stop(Running& run);
  void finish_ending(Running& run);
  static EndReason reason_of(policy::Secondary ends_as);
  void complete(Running& run);
  void end_as_logged(Running& run, WorkEnd end);
  void lose_as_logged(Running& run);
  void stop(Running& run, policy::Secondary ends_as, Duration grace);
  void fail(Running& run, policy::FailureClass failure, Diagnosis read = {});
  void end_attempt(Running& run, policy::Primary primary, policy::Secondary secondary,
                   policy::FailureClass failure, EndReason reason, Diagnosis read = {});
  void note_end(Running& run, EndReason reason, policy::FailureClass failure);
  Use use_of_ending(const Running& run) const;
  Duration upload_after_stop(const Running& run) const;
  Diagnosis diagnosed(const std::optional<Spare::Kind>& spare, policy::FailureClass failure,
                      Diagnosis read) const;
  bool is_said(policy::FailureClass failure) const;

  // market.cpp: instances that attempts get, give back and lose to the market
  void serve_waiting(policy::PoolId pool);
  void hold_machines(Running& run);
  void release_machines(Running& run);
  void leave_pool(Running& run, bool held_machines);
  void reclaim(Running& run);
  void return_machines(policy::PoolId pool, std::uint32_t instances);
  void turn_market(policy::PoolId pool);
  void lose_machines(Running& run);
  std::uint32_t first_launch(policy::JobId job) const;
  void launch_is_due(Slot slot, std::uint64_t stamp);

  // elastic.cpp: elastic gangs: each change of their size is a new rendezvous of all hosts
  bool goes_on_without(const Running& run, std::uint32_t lost) const;
  void lose_some(Running& run, std::uint32_t lost);
  void shrink(Running& run, const std::vector<std::uint32_t>& hosts, Ending ending);
  Duration halt(Running& run);
  void meet_anew(Running& run, Duration busy);
  bool may_grow(const Running& run) const;
  static bool grows_at_once(const Running& run);
  std::uint32_t room_to_grow(const Running& run) const;
  void grow(Running& run);
  void grow_gangs(policy::PoolId pool);

  // nodes.cpp: gangs that lose some of their instances for good
  bool ends_on_loss(const Running& run) const;
  void lose_nodes(Running& run, std::uint32_t fault);
  static std::vector<std::uint32_t> hosts_of(const Running& run, const Fault& fault);
  void leave_nodes(Running& run, std::uint32_t lost, Ending ending);
  bool keeps_launch(const Running& run) const;

  // node_faults.cpp: nodes that break or hang, and the attempts and spares on them
  void expect_node_turn(policy::PoolId pool);
  void turn_nodes(policy::PoolId pool);
  void break_nodes(Running& run, const std::vector<std::uint32_t>& machines);
  void repair_on(Running& run);
  bool swap_nodes(Running& run);
  void hit_keepers(policy::PoolId pool, const NodeClock::Change& change);
  void hang(Running& run, std::uint32_t machine);
  void break_spare(std::uint32_t id, std::uint32_t machine);

  // outages.cpp: outages of pools and zones
  void turn_outage(const Outage& outage, bool begins);
  void lose_to_outage(Running& run);
  void turn_part(const Outage::Part& part, bool begins);

  // spare.cpp: when instances outlive their attempt, and when they are given back or taken
  std::optional<Spare::Kind> outlives(const Running& run, policy::Primary primary, EndReason reason,
                                      policy::FailureClass failure) const;
  bool stays_warm(const Running& run, EndReason reason, policy::FailureClass failure) const;
  bool take_warm(policy::JobId job);
  void keep_spare(Running& run, Spare::Kind kind, Instant launched, Instant until);
  void end_spare(std::uint32_t id, Ending ending);
  void spare_is_due(std::uint32_t id);
  void reclaim_spares(policy::PoolId pool);
  std::uint32_t split_spare(std::uint32_t id, std::vector<std::uint32_t> nodes,
                            std::uint32_t instances);
  void terminate_spares(policy::JobId job, policy::AttemptNumber attempt);
  void end_spares(policy::PoolId pool);
  void close_spares();

  // operator_actions.cpp: what operators do with their jobs when no policy does
  void person_returns(const Human& human);
  void person_reacts(policy::JobId job, policy::AttemptNumber ended);
  void person_is_told(policy::JobId job, policy::AttemptNumber attempt);
  void person_reads(policy::JobId job, policy::AttemptNumber attempt);
  void resubmit(policy::JobId job);
  void after_end(policy::JobId job, const Ended& ended);

  // queues.cpp: preemption, requeues, and changes of quotas and priorities
  void expect_orders();
  void change_quota(const QuotaChange& change);
  void change_priority(const PriorityChange& change);
  bool effect(const policy::PreemptJob& verb);
  bool stands_in_line_again(policy::JobId job, const Ended& ended);

  // effects.cpp: what calls of the control plane do, and what the platform answers
  policy::Instant onset_of(policy::StopCause cause, const Running& run) const;
  void evaluate_here(const policy::Verb& verb);
  host::ReplyKind take_effect(const host::Attempt& attempt);
  bool lacks_quota(const policy::CloneJob& verb) const;
  bool lacks_quota(const policy::StartJob& verb) const;
  bool has_machines_for(policy::JobId job) const;
  bool effect(const policy::StartJob& verb);
  bool effect(const policy::StopJob& verb, const host::Attempt& call);
  bool stop_instead(const std::string& called, const policy::StopJob& verb,
                    const host::Attempt& call);
  void note_stop(const policy::StopJob& verb, const host::Attempt& call, const Running* run);
  bool effect(const policy::CloneJob& verb);
  bool effect(const policy::LimitRuntime& verb);
  bool effect(const policy::PutAlarm& verb);
  bool effect(const policy::DeleteAlarm& verb);
  bool effect(const policy::Notify& verb);
  bool effect(const policy::PlaceJob& verb);
  bool effect(const policy::MoveJob& verb);
  bool effect(const policy::TerminateInstances& verb);

  FleetCore core_;
  ArrivalOrder arrivals_;
  EventDelivery events_;
  ApiCalls calls_;
  ShareBooks shares_;
  Prices prices_;
  GangSpeeds speeds_;
  HostMetrics metrics_;
  AlarmStates alarms_;
  Billing billing_;
  TrainingReports reports_;
  SpareInstances spares_;
  AccountQuotas quotas_;
  JobQueue jobs_;
  Operators operators_;
  CloneNames names_;
  InstancePools pools_;
  SpotMarket market_;
  CapacityPromises promises_;
  bool opened_ = false;
  std::uint64_t events_handled_ = 0;
  std::vector<std::uint32_t> warm_nodes_;  ///< of the warm pool that is just taken over
  /// Messages that have arrived, by sender, job and content.
  std::set<std::tuple<policy::SeatId, policy::JobId, std::uint64_t>> notified_;
};

}  // namespace reeve::models
