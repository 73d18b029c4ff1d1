// Keys of `platform` and of jobs that only a managed service has: quotas, rates, repairs, retries.
#include <chrono>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using models::ClusterRepair;
using models::LateUpload;
using models::SpotBilling;
using policy::VerbKind;
using std::chrono::hours;
using std::chrono::seconds;

template <models::QuotaFamily family>
Field<QuotaInput> quota_field(std::string_view name, std::string_view help) {
  return field<QuotaInput>(name, Slot{&QuotaInput::instances}[static_cast<std::size_t>(family)],
                           integer<std::uint32_t>(0, 100'000'000, "instances"), help);
}

const ObjectTable<QuotaInput>& quota_table() {
  using models::QuotaFamily;
  static const ObjectTable<QuotaInput> table{
      "a quota",
      "Number of instances of a type that an account may have at once. Default: no limit.",
      {quota_field<QuotaFamily::training>("training",
                                          "service quota \"<type> for training job usage\""),
       quota_field<QuotaFamily::spot>("spot",
                                      "service quota \"<type> for spot training job usage\""),
       quota_field<QuotaFamily::warm_pool>(
           "warm_pool", "service quota \"<type> for training warm pool usage\"")}};
  return table;
}

const ObjectTable<ClusterRepair>& cluster_repair_table() {
  static const ObjectTable<ClusterRepair> table{
      "cluster_repair",
      "What SageMaker does after a hardware fault, unbilled, before the attempt fails.",
      {field<ClusterRepair>("max", &ClusterRepair::max, integer<std::uint32_t>(0, 1'000),
                            "repairs per attempt; the next fault fails the attempt", {"10"}),
       field<ClusterRepair>("reboot", &ClusterRepair::reboot, delay(),
                            "time until a rebooted host starts again; unpublished", {"\"5m\""}),
       field<ClusterRepair>("replace", &ClusterRepair::replace, delay(),
                            "time until a replaced host starts; unpublished", {"\"20m\""}),
       field<ClusterRepair>("replace_share", &ClusterRepair::replace_share, probability(),
                            "share of repairs that replace the host; unpublished", {"0.5"})}};
  return table;
}

const ObjectTable<LateUpload>& late_upload_table() {
  static const ObjectTable<LateUpload> table{
      "late_upload",
      "Uploads after a stop that do not finish in time (some lasted more than a day).",
      {field<LateUpload>("probability", &LateUpload::probability, probability(),
                         "probability that the upload of a stopped attempt is late", {"0"}),
       field<LateUpload>("lasts", &LateUpload::lasts, law(false),
                         "duration of a late upload, billed", {"\"1d\""})}};
  return table;
}

const ObjectTable<RetryInput>& retry_table() {
  static const ObjectTable<RetryInput> table{
      "retry",
      "RetryStrategy: the platform restarts a job after an infrastructure failure.",
      {field<RetryInput>("attempts", &RetryInput::attempts, integer<std::uint16_t>(1, 30),
                         "MaximumRetryAttempts", {{}, true})}};
  return table;
}

}  // namespace

const std::vector<Choice<VerbKind>>& api_calls() {
  static const std::vector<Choice<VerbKind>> calls{
      {"StopTrainingJob", VerbKind::stop_job},
      {"CreateTrainingJob", VerbKind::clone_job},
      {"UpdateTrainingJob", VerbKind::limit_runtime},
      {"StartJob", VerbKind::start_job},
      {"PutMetricAlarm", VerbKind::put_alarm},
      {"DeleteAlarms", VerbKind::delete_alarm},
      {"Publish", VerbKind::notify},
      {"TerminateInstances", VerbKind::terminate_instances},
      {"SaveCheckpoint", VerbKind::save_checkpoint},
      {"PlaceJob", VerbKind::place_job}};
  return calls;
}

Codec<CallRates> call_rates() {
  const CallRates aws{{"CreateTrainingJob", 1}, {"StopTrainingJob", 1}, {"UpdateTrainingJob", 1}};
  return word_or<CallRates>("aws", aws, map_of(number(0, 1e6)));
}

const ObjectTable<ManagedInput>& managed_table() {
  using Input = ManagedInput;
  using policy::Secondary;
  static const ObjectTable<Input> table{
      "a managed platform",
      "What SageMaker adds to the life of a training job.",
      {field<Input>("quotas", &Input::quotas, map_of(object(quota_table())),
                    "instances that an account may have at once, by type. Default: no limit"),
       field<Input>("cluster_repair", &Input::cluster_repair, object(cluster_repair_table()),
                    "repair of instances after hardware faults"),
       field<Input>("late_upload", &Input::late_upload, object(late_upload_table()),
                    "very long uploads after a stop"),
       field<Input>("warm_startup", &Input::warm_startup, delay(),
                    "startup on instances of a warm pool, billed, instead of `startup`",
                    {"\"0s\""}),
       field<Input>("spot_billing", &Input::spot_billing,
                    choice<SpotBilling>({{"exact", SpotBilling::exact},
                                         {"billable_seconds", SpotBilling::billable_seconds}}),
                    "exact: the time held, at the Spot price; billable_seconds: whole seconds at "
                    "the on-demand price, as BillableTimeInSeconds",
                    {"\"exact\""}),
       field<Input>("pending_timeout_status", &Input::pending_ends_as,
                    choice<Secondary>({{"Stopped", Secondary::stopped},
                                       {"MaxWaitTimeExceeded", Secondary::max_wait_time_exceeded},
                                       {"other", Secondary::other}}),
                    "final status of an attempt after max_pending; AWS does not publish it",
                    {"\"Stopped\""}),
       field<Input>(
           "spot_wait_status", &Input::spot_waits_as,
           choice<Secondary>({{"Starting", Secondary::starting}, {"Pending", Secondary::pending}}),
           "status of a Spot attempt that waits for capacity. AWS lists Starting, with "
           "the message \"Insufficient capacity\"; On-Demand attempts wait in Pending",
           {"\"Starting\""})}};
  return table;
}

const ObjectTable<ManagedJobInput>& managed_text_table() {
  using Input = ManagedJobInput;
  static const ObjectTable<Input> table{
      "a managed job",
      "What a managed service adds to a job.",
      {field<Input>("max_pending", &Input::max_pending, duration(seconds{1}),
                    "wait for capacity after which the attempt is stopped "
                    "(MaxPendingTimeInSeconds)"),
       field<Input>("keep_alive", &Input::keep_alive, duration(Duration{0}, false, hours{6}),
                    "warm pool: time that the instances stay for the next job, billed "
                    "(KeepAlivePeriodInSeconds)",
                    {"\"0s\""}),
       field<Input>("retry", &Input::retry, object(retry_table()),
                    "restarts after infrastructure failures. Default: none")}};
  return table;
}

}  // namespace reeve::scenarios
