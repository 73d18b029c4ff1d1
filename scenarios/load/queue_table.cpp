// The keys of queues, of the shares that divide them and of the environments that limit them; and
// those by which a job stands in one.
#include "scenarios/load/input.hpp"

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
      "Somebody gives a share more or less (UpdateQuotaShare).",
      {field<Input>("at", &Input::at, duration(), "after the start of the clock", {{}, true}),
       field<Input>("quota", &Input::quota, fleet_counts(),
                    "from then on: { \"FLEET\": instances }; other fleets stay as they are",
                    {{}, true})}};
  return table;
}

}  // namespace

const ObjectTable<EnvironmentInput>& environment_table() {
  using Input = EnvironmentInput;
  static const ObjectTable<Input> table{
      "an environment",
      "The capacity that queues may use (AWS Batch: service environment).",
      {field<Input>("name", &Input::name, name("the name of an environment"), "unique", {{}, true}),
       field<Input>("limits", &Input::limits, fleet_counts(),
                    "{ \"FLEET\": instances } that its queues may have at once"),
       field<Input>("instances", &Input::instances,
                    integer<std::uint32_t>(1, most_instances, "instances"),
                    "of all fleets together (NUM_INSTANCES); without: no limit")}};
  return table;
}

const ObjectTable<ShareInput>& share_table() {
  using Input = ShareInput;
  static const ObjectTable<Input> table{
      "a share",
      "A team's part of a queue (AWS Batch: quota share).",
      {field<Input>("name", &Input::name, name("the name of a share"),
                    "unique; with a * at its end each share that a job names and that begins so, "
                    "with the weight that stands here",
                    {{}, true}),
       field<Input>("quota", &Input::quota, fleet_counts(),
                    "{ \"FLEET\": instances } that are its own; none of fleets that are not named"),
       field<Input>("sharing", &Input::sharing, sharing(),
                    "reserve: what it does not use is nobody's; lend: others have it until it is "
                    "wanted back; lend_and_borrow: and it has that of others",
                    {"\"reserve\""}),
       field<Input>("borrow_limit_pct", &Input::borrow_limit_pct,
                    integer<std::int32_t>(policy::borrow_without_limit, 1'000'000, "%"),
                    "how much it may borrow, of its own quota of a fleet; -1: without limit",
                    {"-1"}),
       field<Input>("in_share_preemption", &Input::in_share_preemption, flag(),
                    "its jobs of higher priority may take machines of its lower ones", {"false"}),
       field<Input>("weight", &Input::weight, number(0.0001, 999.9999),
                    "of fair share: lower gets more (weightFactor)", {"1"}),
       field<Input>("changes", &Input::changes, list_of(object(quota_change_table())),
                    "of its quota, as time goes by")}};
  return table;
}

const ObjectTable<QueueInput>& queue_table() {
  using Input = QueueInput;
  static const ObjectTable<Input> table{
      "a queue",
      "A line that jobs stand in (AWS Batch: job queue).",
      {field<Input>("name", &Input::name, name("the name of a queue"), "unique", {{}, true}),
       field<Input>("fleet", &Input::fleet, text(),
                    "where its jobs run that name neither a fleet nor another type or market"),
       field<Input>("environment", &Input::environment, text(),
                    "whose limits it has; without: those of the fleets"),
       field<Input>("shares", &Input::shares, list_of(text(), 1),
                    "that divide it; each stands in one queue. Without: none"),
       field<Input>("priority", &Input::priority, job_priority(),
                    "larger goes first where queues have one environment", {"0"}),
       field<Input>("runnable_limit", &Input::runnable_limit, duration(seconds{1}),
                    "how long an attempt waits for machines until it fails for want of capacity "
                    "(jobStateTimeLimitActions). Without: as long as it takes")}};
  return table;
}

namespace {

const ObjectTable<RetryEntryInput>& retry_entry_table() {
  using Input = RetryEntryInput;
  static const ObjectTable<Input> table{
      "an entry of evaluate_on_exit",
      "What becomes of a job whose attempt failed for such a reason.",
      {field<Input>("on_status_reason", &Input::on_status_reason, text(),
                    "the whole reason, or with a * at the end how it begins: \"Received status "
                    "from SageMaker: InternalServerError*\"",
                    {{}, true}),
       field<Input>("action", &Input::retries, choice<bool>({{"RETRY", true}, {"EXIT", false}}),
                    "stand in line again, or end", {{}, true})}};
  return table;
}

const ObjectTable<QueueRetryInput>& queue_retry_table() {
  using Input = QueueRetryInput;
  static const ObjectTable<Input> table{
      "queue_retry",
      "ServiceJobRetryStrategy: the queue tries a job again whose attempt failed.",
      {field<Input>("attempts", &Input::attempts, integer<std::uint16_t>(1, 10),
                    "in all, the first among them; those for want of capacity do not count",
                    {{}, true}),
       field<Input>("evaluate_on_exit", &Input::evaluate_on_exit,
                    list_of(object(retry_entry_table())),
                    "the first that fits decides; a job that none fits is tried again")}};
  return table;
}

}  // namespace

const ObjectTable<TermsInput>& terms_table() {
  using Input = TermsInput;
  static const ObjectTable<Input> table{
      "the line of a job",
      "In which line a job stands, and who may take its machines.",
      {field<Input>("queue", &Input::queue, text(), "of `queues`; without: in none"),
       field<Input>("share", &Input::share, text(), "of its queue, where that has any"),
       field<Input>("preemptible", &Input::preemptible, flag(),
                    "false: its queue never takes its machines for others", {"true"}),
       field<Input>("max_preemptions", &Input::max_preemptions,
                    integer<std::int64_t>(-1, 1'000'000),
                    "how often it stands in line again after it lost its machines so "
                    "(preemptionRetriesBeforeTermination); then it has failed. -1: each time",
                    {"-1"}),
       field<Input>("queue_retry", &Input::queue_retry, object(queue_retry_table()),
                    "how often its queue tries again what failed; without: not at all")}};
  return table;
}

const ObjectTable<PriorityChangeInput>& priority_change_table() {
  using Input = PriorityChangeInput;
  static const ObjectTable<Input> table{
      "a change of a priority",
      "Somebody gives a job another priority.",
      {field<Input>("at", &Input::at, duration(), "after the start of the clock", {{}, true}),
       field<Input>("priority", &Input::priority, job_priority(), "from then on", {{}, true})}};
  return table;
}

}  // namespace reeve::scenarios
