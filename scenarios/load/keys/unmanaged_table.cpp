// The keys of `platform` about billing, notices and machines that one rents oneself.
#include <chrono>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using models::Rebalance;
using models::Rendezvous;
using models::SpotRequest;
using std::chrono::nanoseconds;

const ObjectTable<BillingInput>& billing_table() {
  static const ObjectTable<BillingInput> table{
      "billing",
      "What a launch is billed for beside its seconds.",
      {field<BillingInput>("minimum", &BillingInput::minimum, delay(),
                           "minimum billed time of each launch; 60s on ec2 and gcp, else 0s"),
       field<BillingInput>("first_hour_free", &BillingInput::first_hour_free, flag(),
                           "true: instances that Spot takes back in their first hour cost nothing; "
                           "true on ec2, else false")}};
  return table;
}

const ObjectTable<Rebalance>& rebalance_table() {
  static const ObjectTable<Rebalance> table{
      "rebalance",
      "A signal that Spot instances are at higher risk of interruption.",
      {field<Rebalance>("lead", &Rebalance::lead, delay(), "time before the notice", {"\"0s\""}),
       field<Rebalance>("probability", &Rebalance::probability, probability(),
                        "probability that it comes before a loss", {"0"}),
       field<Rebalance>("false_per_hour", &Rebalance::false_per_hour, number(0, 60, "per hour"),
                        "rate of false signals, at most one per launch; AWS publishes no rate",
                        {"0"})}};
  return table;
}

const ObjectTable<PhasesInput>& phases_table() {
  static const ObjectTable<PhasesInput> table{
      "phases",
      "What user data does before training begins; billed. AWS and its users name 2 to 5 minutes.",
      {field<PhasesInput>("download", &PhasesInput::download, delay(), "download of image and data",
                          {"\"0s\""}),
       field<PhasesInput>("install", &PhasesInput::install, delay(), "installation of packages",
                          {"\"0s\""}),
       field<PhasesInput>("run", &PhasesInput::run, delay(), "time until the script trains",
                          {"\"0s\""})}};
  return table;
}

/// A law, or "never".
Codec<std::optional<models::DurationLaw>> law_or_never() {
  using Law = std::optional<models::DurationLaw>;
  Codec<Law> drawn = through<Law, models::DurationLaw>(
      law(false),
      [](models::DurationLaw value, const Node&, Findings&) { return std::optional{Law{value}}; });
  return word_or<Law>("never", std::nullopt, drawn);
}

const ObjectTable<RendezvousInput>& rendezvous_table() {
  static const ObjectTable<RendezvousInput> table{
      "rendezvous",
      "How nodes of a gang find their master: they poll for a tag with its address.",
      {field<RendezvousInput>("poll", &RendezvousInput::poll, duration(nanoseconds{0}, true),
                              "time between two polls, from the end of startup on", {"\"5s\""}),
       field<RendezvousInput>("tags_after", &RendezvousInput::tags_after, law_or_never(),
                              "time from launch until the tag exists; \"never\"", {{}, true})}};
  return table;
}

const ObjectTable<LogsInput>& logs_table() {
  static const ObjectTable<LogsInput> table{
      "logs",
      "What is known of a failure.",
      {field<LogsInput>("flush_delay", &LogsInput::flush_delay, delay(),
                        "time until the last log lines leave the instance; if it ends earlier, the "
                        "failure reason is unknown",
                        {"\"0s\""})}};
  return table;
}

}  // namespace

const ObjectTable<UnmanagedInput>& unmanaged_table() {
  using Input = UnmanagedInput;
  static const ObjectTable<Input> table{
      "machines",
      "Properties of Spot and self-managed instances.",
      {field<Input>("billing", &Input::billing, object(billing_table()),
                    "what a launch is billed for"),
       field<Input>(
           "notice", &Input::notice, delay(),
           "time of the Spot notice before a loss; 120s on ec2, 30s on gcp, else 0s: none"),
       field<Input>("notice_probability", &Input::notice_probability, probability(),
                    "probability of the notice: AWS promises best effort", {"1"}),
       field<Input>("imds_poll", &Input::imds_poll, delay(),
                    "interval at which an instance polls for its notice", {"\"5s\""}),
       field<Input>("rebalance", &Input::rebalance, object(rebalance_table()),
                    "a signal before the notice"),
       field<Input>("spot_request", &Input::spot_request,
                    choice<SpotRequest>({{"one-time", SpotRequest::one_time},
                                         {"persistent", SpotRequest::persistent}}),
                    "whether an attempt fails when Spot takes its instances, or waits for others",
                    {"\"one-time\""}),
       field<Input>("on_insufficient", &Input::on_insufficient,
                    choice<bool>({{"fail", false}, {"wait", true}}),
                    "what happens to a request for more instances than available. Default: fail, "
                    "or wait if spot_request is persistent"),
       field<Input>("phases", &Input::phases, object(phases_table()),
                    "parts of the startup, instead of `startup`"),
       field<Input>("rendezvous", &Input::rendezvous, object(rendezvous_table()),
                    "how nodes of a gang find their master. Default: at once"),
       field<Input>("self_destruct_fails", &Input::self_destruct_fails, probability(),
                    "probability that instances keep running after their script has ended", {"0"}),
       field<Input>("self_destruct_right", &Input::self_destruct_right, flag(),
                    "whether instances may terminate themselves (ec2:TerminateInstances in their "
                    "role; on gcp the scope compute-rw); without the permission none does",
                    {"true"}),
       field<Input>("untagged_instances", &Input::untagged_instances, probability(),
                    "probability that the instances of an attempt lack the tag JOB_ID: if "
                    "orphaned, they cannot be mapped to a job",
                    {"0"}),
       field<Input>("debug_hold", &Input::debug_hold, delay(),
                    "how long instances of a failed attempt are kept", {"\"0s\""}),
       field<Input>("logs", &Input::logs, object(logs_table()), "what is known of a failure")}};
  return table;
}

}  // namespace reeve::scenarios
