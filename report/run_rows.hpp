// One run as the tables take it: its record and what a record does not know about itself.
#pragma once

#include <cstdint>
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

/// What a run was: enough to repeat it.
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

/// One decision of one seat and what became of it.  Empty texts and options are unknown.
struct DecisionRow {
  std::uint64_t id = 0;
  policy::Instant at;
  policy::Instant settled_at = policy::never;
  std::string rule;     ///< label of the seat
  std::string mode;     ///< "enforce", ...
  std::string verdict;  ///< "accepted", "refused", "shadow", "warn"
  std::string why;      ///< who or what refused
  std::string action;   ///< verb, "stop_job"
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string reason;
  std::string basis;    ///< what it rested on
  std::string outcome;  ///< "done", ...; empty if never settled
  std::uint32_t tries = 0;
  std::string alarm_json;  ///< a JSON object: what it saw of its alarm
  std::optional<double> threshold;
  std::string alternatives_json;
  std::string dedupe_key;
  std::optional<policy::Usd> cost_if_not;
  bool appends_to_name = false;  ///< a clone that is called as its job with "clone" behind it
};

/// A stop that a rule asked for, or a standstill that it missed, judged by what was true.
struct StopVerdictRow {
  std::string_view seat;  ///< label
  std::string_view rule;  ///< kind
  std::string_view mode;  ///< "enforce", or how else it would have been a stop
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string_view verdict;               ///< "right", "late", "false", "missed", "kept_rule"
  policy::Instant onset = policy::never;  ///< of the standstill
  policy::Instant decided = policy::never;
  policy::Usd usd;  ///< what was wrong about it cost
};

/// An attempt that waits for machines at one of the instants asked for.
struct QueueRow {
  policy::Instant at;
  policy::PoolId pool;
  std::uint64_t position = 1;
  std::string_view queue;  ///< empty: in none
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string_view share;  ///< empty: in none
  std::int32_t priority = 0;
  std::uint32_t instances = 0;
  std::string_view reason;
  policy::Instant since;
  policy::Instant starts = policy::never;
};

/// One metric of a run.
struct MetricRow {
  std::string_view name;
  std::string_view unit;  ///< "usd", "s", "count", ...
  std::optional<std::variant<policy::Usd, policy::Duration, double>> value;
};

/// Borrows everything for the length of a call.
struct RunRows {
  const RunInfo& info;
  const models::World& world;
  const models::Record& record;
  std::span<const DecisionRow> decisions;
  std::span<const MetricRow> metrics = {};
  std::span<const StopVerdictRow> stops = {};
  std::span<const QueueRow> queue = {};
};

}  // namespace reeve::report
