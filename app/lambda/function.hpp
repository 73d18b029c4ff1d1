// The rules of a live configuration as a function of AWS Lambda: one pass for each invocation.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/lambda/record_batch.hpp"
#include "app/live/account.hpp"
#include "app/live/rule_run.hpp"
#include "app/live/table_journal.hpp"
#include "live/events/fleet_event.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::app {

struct FunctionSettings {
  RuleRunArguments rules;
  std::string table;  ///< with the journal of actions
};

/// Between invocations it keeps the connections to the account, what the journal says, and jobs
/// that have ended.  Rules keep nothing.
class LambdaFunction {
 public:
  /// Throws InputError and UsageError if the configuration cannot be used.
  LambdaFunction(FunctionSettings settings, const Console& console);

  /// `payload`: a batch of messages of SQS, or anything else, which is a pass without events.
  /// Messages that could not be used are in the answer.  Throws if there are no messages to say so.
  std::string answer(const std::string& payload);

 private:
  struct Summary;
  std::unique_ptr<RuleRun> next_rules();
  Summary pass(RecordBatch& batch);
  void look_up(const std::string& job, live::TrainingJobReader& reader, RecordBatch& batch,
               std::vector<live::FleetEvent>& found);

  FunctionSettings settings_;
  const Console& console_;
  std::unique_ptr<RuleRun> first_rules_;  ///< those that were checked at the start
  std::optional<Account> account_;
  std::optional<NamedLog> journal_;
  std::map<std::string, live::FleetEvent> ended_;  ///< descriptions, by name: they do not change
};

}  // namespace reeve::app
