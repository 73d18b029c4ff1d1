// The keys of `platform`: how the cloud really behaves.
#include <chrono>
#include <utility>

#include "scenarios/input.hpp"

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
      "How news of jobs travels: at least once, in any order (EventBridge).",
      {field<EventBus>("delay", &EventBus::delay, delay(),
                       "from a change of status to its receiver", {"\"0s\""}),
       field<EventBus>("jitter", &EventBus::jitter, delay(),
                       "uniform, on top of delay: reorders the news", {"\"0s\""}),
       field<EventBus>("duplicate_within", &EventBus::duplicate_within, delay(),
                       "a second copy follows after a uniform time up to this", {"\"0s\""}),
       field<EventBus>("lost", &EventBus::lost, probability(),
                       "probability that an event of a job never comes", {"0"}),
       field<EventBus>(
           "poll", &EventBus::poll, delay(),
           "each so often all jobs are described (DescribeTrainingJob), which tells what "
           "was lost; 0s: never",
           {"\"0s\""}),
       field<EventBus>("lack_tags", &EventBus::lack_tags, probability(),
                       "probability that events of a person's attempt have neither its tags nor "
                       "what it asks for, as those of AWS Batch: it is looked up "
                       "(DescribeServiceJob, ListTags), and rules judge it then",
                       {"0"}),
       field<EventBus>("look_up", &EventBus::look_up, delay(),
                       "from that call to its answer; like others it fails (throttled, lost_reply, "
                       "rejected, brownouts) and is made again after 1s, 2s, 4s, 8s, then each "
                       "minute. AWS publishes no time",
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
      "The next calls of one kind that go wrong.",
      {field<ApiFaultInput>("call", fault(&ScriptedApiFault::verb), api_call(),
                            "the call that goes wrong", {{}, true}),
       field<ApiFaultInput>("kind", fault(&ScriptedApiFault::kind),
                            choice<Kind>({{"throttled", Kind::throttled},
                                          {"lost_reply", Kind::lost_reply},
                                          {"rejected", Kind::rejected}}),
                            "no effect; effect without a reply; refused for good", {{}, true}),
       field<ApiFaultInput>("job", &ApiFaultInput::job, name("the name of a job"),
                            "only calls about this job"),
       field<ApiFaultInput>("times", fault(&ScriptedApiFault::times),
                            integer<std::uint32_t>(1, 1'000'000'000), "how many calls in a row",
                            {"1"})}};
  return table;
}

const ObjectTable<ApiInput>& api_table() {
  const Slot api{&ApiInput::api};
  static const ObjectTable<ApiInput> table{
      "api",
      "The control plane: slow, rate-limited, forgetful.",
      {field<ApiInput>("latency", api(&Api::latency), delay(),
                       "from a call to its effect and its reply", {"\"0s\""}),
       field<ApiInput>("throttled", api(&Api::throttled), probability(),
                       "probability that a call is throttled, without effect", {"0"}),
       field<ApiInput>("lost_reply", api(&Api::lost_reply), probability(),
                       "probability that the effect happens and the reply never comes", {"0"}),
       field<ApiInput>("rejected", api(&Api::rejected), probability(),
                       "probability that a call is refused for good", {"0"}),
       field<ApiInput>("calls_per_s", api(&Api::calls_per_s), number(0, 1e6),
                       "limit of each kind of call, burst of one second; 0: none. AWS allows one "
                       "StopTrainingJob a second",
                       {"0"}),
       field<ApiInput>(
           "rates", &ApiInput::rates, call_rates(),
           "instead, calls a second by the name of the call, others unlimited; \"aws\": "
           "CreateTrainingJob (which every start is), StopTrainingJob and "
           "UpdateTrainingJob one each"),
       field<ApiInput>("burst", api(&Api::burst), number(0, 1e6),
                       "calls that may come at once; 0: those of one second, at least one. AWS "
                       "publishes none",
                       {"0"}),
       field<ApiInput>("brownouts", &ApiInput::brownouts, list_of(object(brownout_table())),
                       "times in which the control plane is out of order"),
       field<ApiInput>("faults", &ApiInput::faults, list_of(object(api_fault_table())),
                       "calls that go wrong, in order")}};
  return table;
}

Codec<EvaluationOffset> evaluation_offset() {
  Codec<EvaluationOffset> offset = through<EvaluationOffset, Duration>(
      delay(), [](Duration value, const Node& node, Findings& findings) {
        if (value < seconds{60}) return std::optional{EvaluationOffset{value, false}};
        findings.add(at(node, "E0205", "\"evaluation_offset\" is a second of the minute",
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
                           "one sample each; SageMaker: one minute", {"\"60s\""}),
       field<MetricsInput>("publish_delay", metrics(&Metrics::publish_delay), delay(),
                           "from the end of a sample to its visibility", {"\"0s\""}),
       field<MetricsInput>("gpu_scale", metrics(&Metrics::gpu_sum),
                           choice<bool>({{"sum", true}, {"mean", false}}),
                           "GPUUtilization of an instance: 0..100 x GPUs as SageMaker has it, or "
                           "the mean of its GPUs",
                           {"\"sum\""}),
       field<MetricsInput>("evaluation_offset", &MetricsInput::offset, evaluation_offset(),
                           "the second of the minute at which alarms are evaluated; \"random\" "
                           "draws it per alarm, as CloudWatch does",
                           {"\"0s\""}),
       field<MetricsInput>("extra_datapoints", metrics(&Metrics::extra_datapoints),
                           integer<std::uint16_t>(0, 1000),
                           "evaluation range beyond the N of M-of-N; AWS publishes none, 2 fits "
                           "its examples",
                           {"2"}),
       field<MetricsInput>("alarm_limit", metrics(&Metrics::alarm_limit),
                           integer<std::uint64_t>(0, 1'000'000'000),
                           "alarms that may exist at once; CloudWatch's quota of a region is 5,000 "
                           "unless it was raised; 0: any number",
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
          "ideal: a granted job runs at once; sagemaker-training: the life of a training job; "
          "ec2, gcp: machines of one's own; ticks: the world of published simulators of Spot "
          "(docs/explanation/tick-world.md)",
          {"\"sagemaker-training\""}),
      field<PlatformInput>("provisioning", &PlatformInput::provisioning, delay(),
                           "unbilled wait for machines of every start; 60s on ec2 and gcp, else "
                           "0s"),
      field<PlatformInput>("startup", platform(&Platform::startup), delay(),
                           "billed part of every start: image, data, set-up", {"\"0s\""}),
      field<PlatformInput>("first_startup", platform(&Platform::first_startup), delay(),
                           "instead of startup, of a job's first start"),
      field<PlatformInput>("stop_grace", &PlatformInput::stop_grace, delay(),
                           "billed, from SIGTERM to the end; 120s on sagemaker-training, else 0s"),
      field<PlatformInput>("max_runtime_grace", platform(&Platform::max_runtime_grace), delay(),
                           "billed beyond max_runtime", {"\"0s\""}),
      field<PlatformInput>("max_runtime_from", platform(&Platform::runtime_includes_startup),
                           choice<bool>({{"training", false}, {"startup", true}}),
                           "when the clock of max_runtime begins; AWS does not say which",
                           {"\"training\""}),
      field<PlatformInput>("upload", platform(&Platform::upload), delay(),
                           "billed, after the work is done", {"\"0s\""}),
      field<PlatformInput>("default_max_runtime", &PlatformInput::default_max_runtime,
                           duration(seconds{1}),
                           "of jobs that name none; 24h on sagemaker-training, else none"),
      field<PlatformInput>("duplicate_events", platform(&Platform::events)(&EventBus::duplicates),
                           probability(), "probability that an event comes twice", {"0"}),
      field<PlatformInput>("events", platform(&Platform::events), object(events_table()),
                           "how news of jobs travels"),
      field<PlatformInput>("alarm_delivery", platform(&Platform::alarm_delivery), delay(),
                           "from an alarm's transition to its receiver", {"\"0s\""}),
      field<PlatformInput>("alarm_link", &PlatformInput::alarm_link, object(alarm_link_table()),
                           "whether an alarm's transition comes to its receiver"),
      field<PlatformInput>("api", &PlatformInput::api, object(api_table()),
                           "how calls are answered"),
      field<PlatformInput>("log_confidence", &PlatformInput::log_confidence, probability(),
                           "how sure a class of failure is that only logs tell: on "
                           "sagemaker-training out_of_memory, data and hardware, which share "
                           "their prefix of FailureReason with others; elsewhere all but capacity",
                           {"1"}),
      field<PlatformInput>("metrics", &PlatformInput::metrics, object(metrics_table()),
                           "how metrics are sampled and alarms evaluated")};
  include(fields, &PlatformInput::unmanaged, unmanaged_table());
  include(fields, &PlatformInput::ticks, ticks_table());
  include(fields, &PlatformInput::managed, managed_table());
  return fields;
}

}  // namespace

const ObjectTable<PlatformInput>& platform_table() {
  static const ObjectTable<PlatformInput> table{"platform", "How the platform really behaves.",
                                                platform_fields()};
  return table;
}

}  // namespace reeve::scenarios
