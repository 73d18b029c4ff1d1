#include <array>
#include <string>
#include <vector>

#include "report/column.hpp"
#include "report/format.hpp"
#include "report/hash_chain.hpp"
#include "report/json_text.hpp"
#include "report/table_definition.hpp"

namespace reeve::report {
namespace {

using policy::Duration;
using policy::never;

std::string inputs_json(const DecisionRow& row) {
  nlohmann::ordered_json inputs{{"attempt", row.attempt}};
  if (!row.reason.empty()) inputs["reason"] = row.reason;
  if (!row.basis.empty()) inputs["basis"] = row.basis;
  if (!row.why.empty()) inputs["refused_by"] = row.why;
  if (row.tries > 0) inputs["tries"] = row.tries;
  if (!row.alarm_json.empty()) inputs.update(nlohmann::ordered_json::parse(row.alarm_json));
  return json_text(inputs);
}

std::string seconds_text(Duration length) {
  std::string text;
  append_seconds(text, length);
  return text;
}

std::string latency_text(const DecisionRow& row) {
  return row.settled_at == never ? std::string{} : seconds_text(row.settled_at - row.at);
}

std::string threshold_text(const DecisionRow& row) {
  std::string text;
  if (row.threshold) append_double(text, *row.threshold);
  return text;
}

std::string cost_text(const DecisionRow& row) {
  std::string text;
  if (row.cost_if_not) append_usd(text, *row.cost_if_not);
  return text;
}

struct DecisionLine {
  const RunNames& names;
  const DecisionRow& row;
  const HashChain& chain;  ///< of the rows before
};

/// As Column, but the cell is a text, for the hash.
struct HashedColumn {
  Field field;
  std::string (*cell)(const DecisionLine& of);
};

constexpr std::array hashed_columns{
    HashedColumn{run_id_field,
                 [](const DecisionLine& of) -> std::string { return of.names.run(); }},
    HashedColumn{{"decision_id", FieldType::integer, "", "id of the action; unsigned, 64 bits"},
                 [](const DecisionLine& of) -> std::string { return std::to_string(of.row.id); }},
    HashedColumn{t_s_field,
                 [](const DecisionLine& of) -> std::string {
                   return seconds_text(of.row.at - of.names.start());
                 }},
    HashedColumn{job_field,
                 [](const DecisionLine& of) -> std::string { return of.names.job(of.row.job); }},
    HashedColumn{{"rule", FieldType::text, "", "name of the rule"},
                 [](const DecisionLine& of) -> std::string { return of.row.rule; }},
    HashedColumn{{"mode", FieldType::text, "", "off, shadow, warn or enforce"},
                 [](const DecisionLine& of) -> std::string { return of.row.mode; }},
    HashedColumn{{"verdict", FieldType::text, "", "accepted, refused, shadow or warn"},
                 [](const DecisionLine& of) -> std::string { return of.row.verdict; }},
    HashedColumn{{"action", FieldType::text, "", "proposed action: stop_job, ..."},
                 [](const DecisionLine& of) -> std::string { return of.row.action; }},
    HashedColumn{
        {"inputs_json", FieldType::object, "",
         "basis of the decision: attempt, reason, basis, tries, who refused; for an alarm its "
         "datapoints, when each begins (datapoints_from_s) and when it fired (alarm_at_s)"},
        [](const DecisionLine& of) -> std::string { return inputs_json(of.row); }},
    HashedColumn{
        {"threshold", FieldType::number, "",
         "threshold of the alarm, if the decision used one; the basis of other rules is in "
         "inputs_json"},
        [](const DecisionLine& of) -> std::string { return threshold_text(of.row); }},
    HashedColumn{
        {"alternatives_json", FieldType::object, "",
         "could: possible alternatives, which reeve explain prices; lost: actions proposed for "
         "the job at that instant and not done, with decision_id, rule, action, and by what; "
         "empty if neither, and for actions that do not change the job"},
        [](const DecisionLine& of) -> std::string { return of.row.alternatives_json; }},
    HashedColumn{{"dedupe_key", FieldType::text, "",
                  "client token, if one was sent: makes repeated calls harmless"},
                 [](const DecisionLine& of) -> std::string { return of.row.dedupe_key; }},
    HashedColumn{{"latency_s", FieldType::number, "s",
                  "time from decision to settlement; empty if never settled"},
                 [](const DecisionLine& of) -> std::string { return latency_text(of.row); }},
    HashedColumn{
        {"cost_if_not_usd", FieldType::number, "usd",
         "for a stop: additional cost of its attempt, running or pending, with this rule in "
         "shadow; empty if that run has no such attempt, or if it uses only reserved instances"},
        [](const DecisionLine& of) -> std::string { return cost_text(of.row); }},
    HashedColumn{{"outcome", FieldType::text, "",
                  "done, partly_done, refused or expired; empty if never settled"},
                 [](const DecisionLine& of) -> std::string { return of.row.outcome; }},
    HashedColumn{{"prev_hash", FieldType::text, "",
                  "hash of the previous decision of the run; 64 zeros for the first"},
                 [](const DecisionLine& of) -> std::string { return of.chain.head(); }},
};

constexpr Field hash_field{
    "hash", FieldType::text, "",
    "SHA-256 of this row's other cells, each as LENGTH:CELL, with its length in bytes"};

constexpr auto decisions_fields = [] {
  std::array<Field, hashed_columns.size() + 1> fields;
  for (std::size_t column = 0; column < hashed_columns.size(); ++column) {
    fields[column] = hashed_columns[column].field;
  }
  fields.back() = hash_field;
  return fields;
}();

std::string write_decisions(CsvWriter& csv, const RunNames& names) {
  HashChain chain;
  std::vector<std::string> cells(hashed_columns.size());
  for (const DecisionRow& row : names.rows().decisions) {
    const DecisionLine line{names, row, chain};
    for (std::size_t column = 0; column < cells.size(); ++column) {
      cells[column] = hashed_columns[column].cell(line);
      // The hash is of what stands in the file.
      if (!is_safe_cell(cells[column])) cells[column] = safe_cell(cells[column]);
    }
    chain.append(cells);
    for (const std::string& cell : cells) csv.verbatim(cell);
    csv.text(chain.head());
    csv.end_row();
  }
  return chain.head();
}

}  // namespace

const TableDefinition& decisions_table() {
  static constexpr TableDefinition table{
      {"decisions", "Proposed actions of rules and their outcomes", 2, decisions_fields},
      write_decisions};
  return table;
}

}  // namespace reeve::report
