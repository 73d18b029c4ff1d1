#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/column.hpp"
#include "report/table_definition.hpp"
#include "report/words.hpp"

namespace reeve::report {
namespace {

using policy::Instant;

struct EventLine {
  const RunNames& names;
  std::uint64_t number;
  const models::EventRow& row;
  std::optional<std::uint64_t> original;  ///< the number of the event that it duplicates
};

constexpr std::array events_columns{
    Column<EventLine>{run_id_field,
                      [](CsvWriter& csv, const EventLine& of) { csv.text(of.names.run()); }},
    Column<EventLine>{{"seq", FieldType::integer, "", "from 1"},
                      [](CsvWriter& csv, const EventLine& of) { csv.count(of.number); }},
    Column<EventLine>{
        t_s_field,
        [](CsvWriter& csv, const EventLine& of) { csv.since(of.names.start(), of.row.at); }},
    Column<EventLine>{{"source", FieldType::text, "", "platform model that sent it"},
                      [](CsvWriter& csv, const EventLine& of) {
                        csv.text(word(of.names.rows().world.platform.model));
                      }},
    Column<EventLine>{
        job_field, [](CsvWriter& csv, const EventLine& of) { csv.text(of.names.job(of.row.job)); }},
    Column<EventLine>{{"primary", FieldType::text, "", "SageMaker's TrainingJobStatus"},
                      [](CsvWriter& csv, const EventLine& of) { csv.text(word(of.row.primary)); }},
    Column<EventLine>{
        {"secondary", FieldType::text, "", "SageMaker's SecondaryStatus"},
        [](CsvWriter& csv, const EventLine& of) { csv.text(word(of.row.secondary)); }},
    Column<EventLine>{
        {"duplicate_of", FieldType::integer, "", "seq of the event that this one duplicates"},
        [](CsvWriter& csv, const EventLine& of) { csv.count_or_empty(of.original); }},
    Column<EventLine>{
        {"delivered_s", FieldType::number, "s", "when rules received it; empty if never"},
        [](CsvWriter& csv, const EventLine& of) { csv.since(of.names.start(), of.row.delivered); }},
    Column<EventLine>{{"failure_reason", FieldType::text, "",
                       "SageMaker's FailureReason, or plain words; empty: no failure"},
                      [](CsvWriter& csv, const EventLine& of) { csv.text(of.row.reason); }},
    Column<EventLine>{{"status_message", FieldType::text, "",
                       "SageMaker's StatusMessage, if the attempt is Starting and waits for "
                       "capacity; otherwise empty"},
                      [](CsvWriter& csv, const EventLine& of) {
                        csv.text(of.row.lacks_capacity ? models::waits_for_capacity_message
                                                       : std::string_view{});
                      }},
};

using EventKey =
    std::tuple<policy::JobId, policy::AttemptNumber, Instant, policy::Primary, policy::Secondary>;

EventKey key(const models::EventRow& row) {
  return {row.job, row.attempt, row.at, row.primary, row.secondary};
}

/// The numbers of events that are no duplicates, by key; none where there are no duplicates.
std::vector<std::pair<EventKey, std::uint64_t>> original_events(
    const std::vector<models::EventRow>& rows) {
  std::vector<std::pair<EventKey, std::uint64_t>> originals;
  if (std::ranges::none_of(rows, &models::EventRow::duplicate)) return originals;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows[row].duplicate) originals.emplace_back(key(rows[row]), row + 1);
  }
  std::ranges::sort(originals);
  return originals;
}

std::string write_events(CsvWriter& csv, const RunNames& names) {
  const auto& rows = names.rows().record.events;
  const auto originals = original_events(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EventLine line{names, row + 1, rows[row], std::nullopt};
    const auto original = std::ranges::lower_bound(originals, std::pair{key(rows[row]), 0UL});
    const bool known =
        rows[row].duplicate && original != originals.end() && original->first == key(rows[row]);
    if (known) line.original = original->second;
    write_row(csv, events_columns, line);
  }
  return {};
}

struct AlarmLine {
  const RunNames& names;
  std::string name;
  const models::AlarmRow& row;
};

constexpr std::array alarms_columns{
    Column<AlarmLine>{run_id_field,
                      [](CsvWriter& csv, const AlarmLine& of) { csv.text(of.names.run()); }},
    Column<AlarmLine>{
        {"alarm", FieldType::text, "", "job/attempt/host/rule, and #n when created again"},
        [](CsvWriter& csv, const AlarmLine& of) { csv.text(of.name); }},
    Column<AlarmLine>{
        job_field,
        [](CsvWriter& csv, const AlarmLine& of) { csv.text(of.names.job(of.row.id.job)); }},
    Column<AlarmLine>{
        {"created_s", FieldType::number, "s", "creation, after the start of the clock"},
        [](CsvWriter& csv, const AlarmLine& of) { csv.since(of.names.start(), of.row.created); }},
    Column<AlarmLine>{
        {"deleted_s", FieldType::number, "s", "deletion; empty: it exists at the end"},
        [](CsvWriter& csv, const AlarmLine& of) { csv.since(of.names.start(), of.row.deleted); }},
    Column<AlarmLine>{
        {"fired_s", FieldType::number, "s", "first ALARM; empty if none"},
        [](CsvWriter& csv, const AlarmLine& of) { csv.since(of.names.start(), of.row.fired); }},
    Column<AlarmLine>{
        {"state", FieldType::text, "", "CloudWatch's OK, ALARM or INSUFFICIENT_DATA, at the end"},
        [](CsvWriter& csv, const AlarmLine& of) { csv.text(word(of.row.state)); }},
    Column<AlarmLine>{
        {"orphan", FieldType::boolean, "", "true: it exists at the end although its job has ended"},
        [](CsvWriter& csv, const AlarmLine& of) { csv.boolean(of.row.orphan); }},
};

std::string alarm_name(const RunNames& names, const models::AlarmRow& alarm) {
  const RunInfo& info = names.rows().info;
  const std::uint16_t seat = alarm.id.seat;
  return names.job(alarm.id.job) + '/' + std::to_string(alarm.attempt) + '/' +
         host_name(alarm.id.host) + '/' +
         (seat < info.seats.size() ? info.seats[seat] : "seat-" + std::to_string(seat));
}

std::string write_alarms(CsvWriter& csv, const RunNames& names) {
  std::map<std::string, std::uint64_t, std::less<>> times;
  for (const models::AlarmRow& alarm : names.rows().record.alarms) {
    if (alarm.is_local) continue;  // the account never had it
    std::string name = alarm_name(names, alarm);
    const std::uint64_t nth = ++times[name];
    if (nth > 1) name += '#' + std::to_string(nth);
    write_row(csv, alarms_columns, AlarmLine{names, std::move(name), alarm});
  }
  return {};
}

}  // namespace

const TableDefinition& events_table() {
  static constexpr std::array fields = fields_of(events_columns);
  static constexpr TableDefinition table{
      {"events", "Status events as the platform sent them", 2, fields}, write_events};
  return table;
}

const TableDefinition& alarms_table() {
  static constexpr std::array fields = fields_of(alarms_columns);
  static constexpr TableDefinition table{{"alarms", "Every alarm that existed", 2, fields},
                                         write_alarms};
  return table;
}

}  // namespace reeve::report
