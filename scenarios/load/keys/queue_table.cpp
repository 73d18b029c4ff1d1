// The keys of queues, of the shares that divide them and of the environments that limit them; and
// those by which a job stands in one.
#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using policy::Sharing;
using std::chrono::seconds;

constexpr std::int64_t most_instances = 100'000'000;

Codec<FleetCounts> fleet_counts() {
  return map_of(integer<std::uint32_t>(0, most_instances, "instances"));
}

Codec<std::int32_t> job_priority() {
  return integer<std::int32_t>(-1'000'000, 1'000'000);
}

Codec<Sharing> sharing() {
  std::vector<Choice<Sharing>> choices;
  for (std::size_t value = 0; value < policy::sharing_names.size(); ++value) {
    choices.push_back({policy::sharing_names[value], static_cast<Sharing>(value)});
  }
  return choice(std::move(choices));
}

const ObjectTable<QuotaChangeInput>& quota_change_table() {
  using Input = QuotaChangeInput;
  static const ObjectTable<Input> table{
      "a change of a quota",
      "A change of a share's quota (UpdateQuotaShare).",
      {field<Input>("at", &Input::at, duration(), "time after the start of the clock", {{}, true}),
       field<Input>("quota", &Input::quota, fleet_counts(),
                    "new quota: { \"FLEET\": instances }; other fleets do not change",
                    {{}, true})}};
  return table;
}

}  // namespace

const ObjectTable<EnvironmentInput>& environment_table() {
  using Input = EnvironmentInput;
  static const ObjectTable<Input> table{
      "an environment",
      "Capacity that queues may use (AWS Batch: service environment).",
      {field<Input>("name", &Input::name, name("the name of an environment"), "unique", {{}, true}),
       field<Input>("limits", &Input::limits, fleet_counts(),
                    "{ \"FLEET\": instances } that its queues may hold at once"),
       field<Input>("instances", &Input::instances,
                    integer<std::uint32_t>(1, most_instances, "instances"),
                    "limit over all fleets together (NUM_INSTANCES). Default: no limit")}};
  return table;
}

const ObjectTable<ShareInput>& share_table() {
  using Input = ShareInput;
  static const ObjectTable<Input> table{
      "a share",
      "A team's quota in a queue (AWS Batch: quota share).",
      {field<Input>("name", &Input::name, name("the name of a share"),
                    "unique; NAME*: a pattern for each share with this prefix that a job names, "
                    "with this weight",
                    {{}, true}),
       field<Input>("quota", &Input::quota, fleet_counts(),
                    "quota: { \"FLEET\": instances }; 0 for fleets that are not named"),
       field<Input>("sharing", &Input::sharing, sharing(),
                    "reserve: unused quota stays unused; lend: others may borrow it; "
                    "lend_and_borrow: the share may borrow, too",
                    {"\"reserve\""}),
       field<Input>(
           "borrow_limit_pct", &Input::borrow_limit_pct,
           integer<std::int32_t>(policy::borrow_without_limit, 1'000'000, "%"),
           "how much the share may borrow, in percent of its quota of a fleet; -1: no limit",
           {"-1"}),
       field<Input>("in_share_preemption", &Input::in_share_preemption, flag(),
                    "whether its jobs of higher priority may preempt its jobs of lower priority",
                    {"false"}),
       field<Input>("weight", &Input::weight, number(0.0001, 999.9999),
                    "for fair share: a lower weight gets more capacity (weightFactor)", {"1"}),
       field<Input>("changes", &Input::changes, list_of(object(quota_change_table())),
                    "changes of its quota at known times")}};
  return table;
}

const ObjectTable<TagPriorityInput>& tag_priority_table() {
  using Input = TagPriorityInput;
  static const ObjectTable<Input> table{
      "a priority by tag",
      "The priority of the jobs that have a tag.",
      {field<Input>("tags", &Input::tags, list_of(text(), 1),
                    "\"key\" or \"key=value\"; the job has one of these tags", {{}, true}),
       field<Input>("priority", &Input::priority, job_priority(), "of these jobs", {{}, true})}};
  return table;
}

const ObjectTable<QueueInput>& queue_table() {
  using Input = QueueInput;
  static const ObjectTable<Input> table{
      "a queue",
      "A job queue (AWS Batch: job queue).",
      {field<Input>("name", &Input::name, name("the name of a queue"), "unique", {{}, true}),
       field<Input>("fleet", &Input::fleet, text(),
                    "fleet of its jobs that name no fleet and no other type or market"),
       field<Input>("environment", &Input::environment, text(),
                    "environment whose limits apply. Default: the limits of the fleets"),
       field<Input>("shares", &Input::shares, list_of(text(), 1),
                    "shares of the queue; each belongs to one queue. Default: none"),
       field<Input>("priority", &Input::priority, job_priority(),
                    "larger schedules first among the queues of an environment", {"0"}),
       field<Input>("runnable_limit", &Input::runnable_limit, duration(seconds{1}),
                    "time that an attempt waits for capacity until it fails "
                    "(jobStateTimeLimitActions). Default: no limit"),
       field<Input>("priorities", &Input::priorities, list_of(object(tag_priority_table())),
                    "priorities by tag, in place of those that the jobs have; the first that fits "
                    "applies (UpdateServiceJob)")}};
  return table;
}

namespace {

const ObjectTable<RetryEntryInput>& retry_entry_table() {
  using Input = RetryEntryInput;
  static const ObjectTable<Input> table{
      "an entry of evaluate_on_exit",
      "What happens to a job whose attempt failed for a given reason.",
      {field<Input>("on_status_reason", &Input::on_status_reason, text(),
                    "whole reason, or a prefix followed by *: \"Received status from SageMaker: "
                    "InternalServerError*\"",
                    {{}, true}),
       field<Input>("action", &Input::retries, choice<bool>({{"RETRY", true}, {"EXIT", false}}),
                    "requeue the job, or end it", {{}, true})}};
  return table;
}

const ObjectTable<QueueRetryInput>& queue_retry_table() {
  using Input = QueueRetryInput;
  static const ObjectTable<Input> table{
      "queue_retry",
      "ServiceJobRetryStrategy: the queue retries a job whose attempt failed.",
      {field<Input>(
           "attempts", &Input::attempts, integer<std::uint16_t>(1, 10),
           "number of attempts, the first included; failures for lack of capacity do not count",
           {{}, true}),
       field<Input>("evaluate_on_exit", &Input::evaluate_on_exit,
                    list_of(object(retry_entry_table())),
                    "the first entry that matches decides; a job without a match is retried")}};
  return table;
}

}  // namespace

const ObjectTable<TermsInput>& terms_table() {
  using Input = TermsInput;
  static const ObjectTable<Input> table{
      "the queue of a job",
      "The queue of a job, and whether it can be preempted.",
      {field<Input>("queue", &Input::queue, text(), "one of `queues`. Default: none"),
       field<Input>("share", &Input::share, text(), "share of its queue, if the queue has shares"),
       field<Input>("preemptible", &Input::preemptible, flag(),
                    "false: the queue never preempts it", {"true"}),
       field<Input>("max_preemptions", &Input::max_preemptions,
                    integer<std::int64_t>(-1, 1'000'000),
                    "how often a preempted job is requeued (preemptionRetriesBeforeTermination); "
                    "then it fails. -1: always",
                    {"-1"}),
       field<Input>("queue_retry", &Input::queue_retry, object(queue_retry_table()),
                    "how often its queue retries a failed attempt. Default: never")}};
  return table;
}

const ObjectTable<PriorityChangeInput>& priority_change_table() {
  using Input = PriorityChangeInput;
  static const ObjectTable<Input> table{
      "a change of a priority",
      "A change of a job's priority.",
      {field<Input>("at", &Input::at, duration(), "time after the start of the clock", {{}, true}),
       field<Input>("priority", &Input::priority, job_priority(), "new priority", {{}, true})}};
  return table;
}

}  // namespace reeve::scenarios
