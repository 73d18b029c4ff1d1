// The keys of `platform`: how the cloud really behaves.
#include <chrono>
#include <utility>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using models::Api;
using models::EventBus;
using models::Metrics;
using policy::VerbKind;
using std::chrono::seconds;

const ObjectTable<EventBus>& events_table() {
  static const ObjectTable<EventBus> table{
      "events",
      "Delivery of job events: at least once, in any order (EventBridge).",
      {field<EventBus>("delay", &EventBus::delay, delay(),
                       "time from a status change to its delivery", {"\"0s\""}),
       field<EventBus>("jitter", &EventBus::jitter, delay(),
                       "uniform extra delay, which reorders events", {"\"0s\""}),
       field<EventBus>("duplicate_within", &EventBus::duplicate_within, delay(),
                       "maximum of the uniform delay of a duplicate event", {"\"0s\""}),
       field<EventBus>("lost", &EventBus::lost, probability(),
                       "probability that an event of a job is lost", {"0"}),
       field<EventBus>("poll", &EventBus::poll, delay(),
                       "interval at which all jobs are described (DescribeTrainingJob), which "
                       "finds lost events; 0s: never",
                       {"\"0s\""}),
       field<EventBus>(
           "lack_tags", &EventBus::lack_tags, probability(),
           "probability that the events of a user's attempt lack its tags and request, as in AWS "
           "Batch; a lookup (DescribeServiceJob, ListTags) then precedes decisions",
           {"0"}),
       field<EventBus>("look_up", &EventBus::look_up, delay(),
                       "time from that lookup to its answer; it can fail as other calls do "
                       "(throttled, lost_reply, rejected, brownouts) and is repeated after 1s, 2s, "
                       "4s, 8s, then each minute. AWS publishes no time",
                       {"\"0s\""})}};
  return table;
}

Codec<VerbKind> api_call() {
  return choice<VerbKind>(api_calls());
}

const ObjectTable<ApiFaultInput>& api_fault_table() {
  using models::ScriptedApiFault;
  using Kind = ScriptedApiFault::Kind;
  const Slot fault{&ApiFaultInput::fault};
  static const ObjectTable<ApiFaultInput> table{
      "an API fault",
      "The next calls of one kind fail.",
      {field<ApiFaultInput>("call", fault(&ScriptedApiFault::verb), api_call(), "call that fails",
                            {{}, true}),
       field<ApiFaultInput>(
           "kind", fault(&ScriptedApiFault::kind),
           choice<Kind>({{"throttled", Kind::throttled},
                         {"lost_reply", Kind::lost_reply},
                         {"rejected", Kind::rejected}}),
           "throttled: no effect; lost_reply: effect without a reply; rejected: refused for good",
           {{}, true}),
       field<ApiFaultInput>("job", &ApiFaultInput::job, name("the name of a job"),
                            "only calls about this job"),
       field<ApiFaultInput>("times", fault(&ScriptedApiFault::times),
                            integer<std::uint32_t>(1, 1'000'000'000), "number of calls in a row",
                            {"1"})}};
  return table;
}

const ObjectTable<ApiInput>& api_table() {
  const Slot api{&ApiInput::api};
  static const ObjectTable<ApiInput> table{
      "api",
      "The control plane: latency, rate limits, errors.",
      {field<ApiInput>("latency", api(&Api::latency), delay(),
                       "time from a call to its effect and its reply", {"\"0s\""}),
       field<ApiInput>("throttled", api(&Api::throttled), probability(),
                       "probability that a call is throttled, without effect", {"0"}),
       field<ApiInput>("lost_reply", api(&Api::lost_reply), probability(),
                       "probability that a call takes effect but its reply is lost", {"0"}),
       field<ApiInput>("rejected", api(&Api::rejected), probability(),
                       "probability that a call is refused for good", {"0"}),
       field<ApiInput>("calls_per_s", api(&Api::calls_per_s), number(0, 1e6),
                       "rate limit of each kind of call, burst of one second; 0: none. AWS allows "
                       "one StopTrainingJob a second",
                       {"0"}),
       field<ApiInput>(
           "rates", &ApiInput::rates, call_rates(),
           "instead, calls per second by name of the call, others unlimited; \"aws\": one "
           "CreateTrainingJob (each start is one), StopTrainingJob and UpdateTrainingJob each"),
       field<ApiInput>(
           "burst", api(&Api::burst), number(0, 1e6),
           "burst of calls; 0: the calls of one second, at least one. AWS publishes none", {"0"}),
       field<ApiInput>("brownouts", &ApiInput::brownouts, list_of(object(brownout_table())),
                       "times in which the control plane is degraded"),
       field<ApiInput>("faults", &ApiInput::faults, list_of(object(api_fault_table())),
                       "calls that fail, in order")}};
  return table;
}

Codec<EvaluationOffset> evaluation_offset() {
  Codec<EvaluationOffset> offset = through<EvaluationOffset, Duration>(
      delay(), [](Duration value, const Node& node, Findings& findings) {
        if (value < seconds{60}) return std::optional{EvaluationOffset{value, false}};
        findings.add(at(node, "E0205", "\"evaluation_offset\" must be a second of the minute",
                        "must be below 60s"));
        return std::optional<EvaluationOffset>{};
      });
  return word_or<EvaluationOffset>("random", {Duration{0}, true}, offset);
}

const ObjectTable<MetricsInput>& metrics_table() {
  const Slot metrics{&MetricsInput::metrics};
  static const ObjectTable<MetricsInput> table{
      "metrics",
      "How metrics are sampled and alarms are evaluated (CloudWatch).",
      {field<MetricsInput>("period", metrics(&Metrics::period), duration(seconds{1}),
                           "time between samples; SageMaker: one minute", {"\"60s\""}),
       field<MetricsInput>("publish_delay", metrics(&Metrics::publish_delay), delay(),
                           "time from the end of a sample until it is visible", {"\"0s\""}),
       field<MetricsInput>("gpu_scale", metrics(&Metrics::gpu_sum),
                           choice<bool>({{"sum", true}, {"mean", false}}),
                           "GPUUtilization of an instance: sum over its GPUs (0..100 x GPUs, as "
                           "SageMaker has it) or their mean",
                           {"\"sum\""}),
       field<MetricsInput>("evaluation_offset", &MetricsInput::offset, evaluation_offset(),
                           "second of the minute at which alarms are evaluated; \"random\" draws "
                           "it per alarm, as CloudWatch does",
                           {"\"0s\""}),
       field<MetricsInput>("extra_datapoints", metrics(&Metrics::extra_datapoints),
                           integer<std::uint16_t>(0, 1000),
                           "periods that an alarm looks at beyond the N of M-of-N; AWS publishes "
                           "none, 2 fits its examples",
                           {"2"}),
       field<MetricsInput>("alarm_limit", metrics(&Metrics::alarm_limit),
                           integer<std::uint64_t>(0, 1'000'000'000),
                           "alarms that may exist at once; CloudWatch's default quota per region "
                           "is 5,000; 0: no limit",
                           {"5000"})}};
  return table;
}

Fields<PlatformInput> platform_fields() {
  using models::Platform;
  using models::PlatformModel;
  const Slot platform{&PlatformInput::platform};
  Fields<PlatformInput> fields{
      field<PlatformInput>(
          "model", platform(&Platform::model),
          choice<PlatformModel>({{"ideal", PlatformModel::ideal},
                                 {"sagemaker-training", PlatformModel::sagemaker_training},
                                 {"ec2", PlatformModel::ec2},
                                 {"gcp", PlatformModel::gcp},
                                 {"ticks", PlatformModel::ticks}}),
          "ideal: a granted job runs at once; sagemaker-training: the life of a training job; ec2, "
          "gcp: self-managed instances; ticks: the model of published Spot simulators "
          "(docs/explanation/tick-world.md)",
          {"\"sagemaker-training\""}),
      field<PlatformInput>(
          "provisioning", &PlatformInput::provisioning, delay(),
          "provisioning time of every start, unbilled; 60s on ec2 and gcp, else 0s"),
      field<PlatformInput>("startup", platform(&Platform::startup), delay(),
                           "startup time of every start, billed: image, data, set-up", {"\"0s\""}),
      field<PlatformInput>("first_startup", platform(&Platform::first_startup), delay(),
                           "startup of the first start of a job, instead of `startup`"),
      field<PlatformInput>(
          "stop_grace", &PlatformInput::stop_grace, delay(),
          "stop grace: billed time from SIGTERM to the end; 120s on sagemaker-training, else 0s"),
      field<PlatformInput>("max_runtime_grace", platform(&Platform::max_runtime_grace), delay(),
                           "billed time after max_runtime", {"\"0s\""}),
      field<PlatformInput>("max_runtime_from", platform(&Platform::runtime_includes_startup),
                           choice<bool>({{"training", false}, {"startup", true}}),
                           "when the clock of max_runtime starts; AWS does not publish it",
                           {"\"training\""}),
      field<PlatformInput>("upload", platform(&Platform::upload), delay(),
                           "upload time after the work is done, billed", {"\"0s\""}),
      field<PlatformInput>(
          "default_max_runtime", &PlatformInput::default_max_runtime, duration(seconds{1}),
          "max_runtime of jobs that set none; 24h on sagemaker-training, else none"),
      field<PlatformInput>("duplicate_events", platform(&Platform::events)(&EventBus::duplicates),
                           probability(), "probability that an event is delivered twice", {"0"}),
      field<PlatformInput>("events", platform(&Platform::events), object(events_table()),
                           "delivery of job events"),
      field<PlatformInput>("alarm_delivery", platform(&Platform::alarm_delivery), delay(),
                           "time from a state change of an alarm to its receiver", {"\"0s\""}),
      field<PlatformInput>("alarm_link", &PlatformInput::alarm_link, object(alarm_link_table()),
                           "delivery of alarm state changes"),
      field<PlatformInput>("api", &PlatformInput::api, object(api_table()),
                           "latency and errors of calls"),
      field<PlatformInput>(
          "log_confidence", &PlatformInput::log_confidence, probability(),
          "confidence in a failure class that only logs show: on sagemaker-training out_of_memory, "
          "data and hardware, whose FailureReason prefix is not unique; elsewhere all but capacity",
          {"1"}),
      field<PlatformInput>("metrics", &PlatformInput::metrics, object(metrics_table()),
                           "how metrics are sampled and alarms are evaluated")};
  include(fields, &PlatformInput::unmanaged, unmanaged_table());
  include(fields, &PlatformInput::ticks, ticks_table());
  include(fields, &PlatformInput::managed, managed_table());
  return fields;
}

}  // namespace

const ObjectTable<PlatformInput>& platform_table() {
  static const ObjectTable<PlatformInput> table{
      "platform", "The platform model and its delays and errors.", platform_fields()};
  return table;
}

}  // namespace reeve::scenarios
