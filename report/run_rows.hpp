// One run as input of the tables: its record, and what the record does not contain.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/record.hpp"
#include "models/world.hpp"

namespace reeve::report {

/// The identity of a run: enough to repeat it.
struct RunInfo {
  std::string scenario;
  std::string policy;
  std::uint32_t replication = 0;
  std::uint64_t seed = 1;
  std::string digest;  ///< of the journal
  std::string engine_version;
  std::string price_book;
  std::vector<std::string> seats;  ///< labels by seat, for the names of alarms
};

/// "gpu-alarm/0": the key of a run in every table.
std::string run_id(const RunInfo& info);

/// One decision of one seat and its outcome.  Empty texts and options are unknown.
struct DecisionRow {
  std::uint64_t id = 0;
  policy::Instant at;
  policy::Instant settled_at = policy::never;
  std::string rule;     ///< label of the seat
  std::string mode;     ///< "enforce", ...
  std::string verdict;  ///< "accepted", "refused", "shadow", "warn"
  std::string why;      ///< the cause of a refusal
  std::string action;   ///< verb, "stop_job"
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string reason;
  std::string basis;    ///< its evidence
  std::string outcome;  ///< "done", ...; empty: not settled
  std::uint32_t tries = 0;
  std::string alarm_json;  ///< a JSON object: the alarm that the rule observed
  std::optional<double> threshold;
  std::string alternatives_json;
  std::string dedupe_key;
  std::optional<policy::Usd> cost_if_not;
  bool appends_to_name = false;  ///< a clone with the job's name and "clone" appended
};

/// A stop proposed by a rule, or a stall that it missed, judged by the truth.
struct StopVerdictRow {
  std::string_view seat;  ///< label
  std::string_view rule;  ///< kind
  std::string_view mode;  ///< "enforce", or the mode in which it was proposed
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string_view verdict;               ///< "right", "late", "false", "missed", "kept_rule"
  policy::Instant onset = policy::never;  ///< of the stall
  policy::Instant decided = policy::never;
  policy::Usd usd;  ///< the cost of the error
};

/// An attempt that is queued at one of the requested instants.
struct QueueRow {
  policy::Instant at;
  policy::PoolId pool;
  std::uint64_t position = 1;
  std::string_view queue;  ///< empty: none
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string_view share;  ///< empty: none
  std::int32_t priority = 0;
  std::uint32_t instances = 0;
  std::string_view reason;
  policy::Instant since;
  policy::Instant starts = policy::never;
};

/// Calls a function with each row in order.  Rows are not kept: there may be many times as many as
/// jobs.  Empty: none.
using QueueRows = std::function<void(const std::function<void(const QueueRow&)>&)>;

/// One metric of a run.
struct MetricRow {
  std::string_view name;
  std::string_view unit;  ///< "usd", "s", "count", ...
  std::optional<std::variant<policy::Usd, policy::Duration, double>> value;
};

/// Borrows all members for the duration of a call.
struct RunRows {
  const RunInfo& info;
  const models::World& world;
  const models::Record& record;
  std::span<const DecisionRow> decisions;
  std::span<const MetricRow> metrics = {};
  std::span<const StopVerdictRow> stops = {};
  QueueRows queue = {};
};

}  // namespace reeve::report
