// What the keys of the platform decode into, before names are resolved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/world.hpp"
#include "scenarios/load/keys/raw_input.hpp"

namespace reeve::scenarios {

struct ApiFaultInput {
  std::optional<Node> written;
  models::ScriptedApiFault fault;
  std::optional<std::string> job;
};

/// Of metric evaluation: a second of the minute, or drawn per alarm.
struct EvaluationOffset {
  Duration offset{0};
  bool random = false;
};

/// Calls per second by AWS's name of the call.
using CallRates = std::vector<std::pair<std::string, double>>;

struct BrownOutInput {
  std::optional<Node> written;
  models::BrownOut trouble;
};

/// The API's own keys; its scripted faults name jobs and stay apart until those are known.
struct ApiInput {
  models::Api api;
  std::vector<ApiFaultInput> faults;
  CallRates rates;
  std::vector<BrownOutInput> brownouts;
};

struct MetricsInput {
  models::Metrics metrics;
  EvaluationOffset offset;
};

struct BillingInput {
  std::optional<Duration> minimum;
  std::optional<bool> first_hour_free;
};

struct PhasesInput {
  Duration download{0};
  Duration install{0};
  Duration run{0};
};

/// `tags_after`: a law, or "never".
struct RendezvousInput {
  Duration poll = std::chrono::seconds{5};
  std::optional<models::DurationLaw> tags_after;
};

struct LogsInput {
  Duration flush_delay{0};
};

/// What is said of Spot's notices, of billing and of instances of one's own.
struct UnmanagedInput {
  std::optional<BillingInput> billing;
  std::optional<Duration> notice;
  double notice_probability = 1;
  Duration imds_poll = std::chrono::seconds{5};
  models::Rebalance rebalance;
  models::SpotRequest spot_request = models::SpotRequest::one_time;
  std::optional<bool> on_insufficient;  ///< whether it waits
  std::optional<PhasesInput> phases;
  std::optional<RendezvousInput> rendezvous;
  double self_destruct_fails = 0;
  bool self_destruct_right = true;
  double untagged_instances = 0;
  Duration debug_hold{0};
  LogsInput logs;
};

struct TickWindowsInput {
  std::optional<Node> written;
  std::string file;
  std::optional<std::string> trace;
};

/// Of the model `ticks` alone.
struct TicksInput {
  std::optional<Duration> tick;
  std::optional<Duration> restart_overhead;
  std::optional<bool> asks_when_done;
  std::optional<TickWindowsInput> windows;
};

/// By models::QuotaFamily.
struct QuotaInput {
  std::optional<Node> written;
  std::array<std::optional<std::uint32_t>, models::quota_family_count> instances{};
};

/// What SageMaker adds to a platform.
struct ManagedInput {
  std::vector<std::pair<std::string, QuotaInput>> quotas;
  models::ClusterRepair cluster_repair;
  models::LateUpload late_upload;
  Duration warm_startup{0};
  models::SpotBilling spot_billing = models::SpotBilling::exact;
  policy::Secondary pending_ends_as = policy::Secondary::stopped;
  policy::Secondary spot_waits_as = policy::Secondary::starting;
};

struct RetryInput {
  std::uint16_t attempts = 1;
};

/// What SageMaker takes with a job.
struct ManagedJobInput {
  std::optional<Duration> max_pending;
  Duration keep_alive{0};
  std::optional<RetryInput> retry;
};

struct OutageInput {
  std::optional<Node> written;
  std::string zone;
  Duration from{0};
  Duration until{0};
};

struct PlatformInput {
  std::optional<Node> written;
  TicksInput ticks;
  models::Platform platform;  ///< the keys that need no second thought
  std::optional<Duration> stop_grace;
  std::optional<Duration> default_max_runtime;
  ApiInput api;
  MetricsInput metrics;
  std::optional<Duration> provisioning;
  UnmanagedInput unmanaged;
  ManagedInput managed;
  models::AlarmLink alarm_link;
  double log_confidence = 1;
};

}  // namespace reeve::scenarios
