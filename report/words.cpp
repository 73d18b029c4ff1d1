#include "report/words.hpp"

#include <array>
#include <cstddef>

namespace reeve::report {
namespace {

using std::string_view;

template <std::size_t N, class Enum>
constexpr string_view at(const std::array<string_view, N>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

constexpr std::array<string_view, 7> primaries{"Queued", "InProgress", "Stopping", "Completed",
                                               "Failed", "Stopped",    "Deleting"};
constexpr std::array<string_view, 17> secondaries{"Queued",
                                                  "Pending",
                                                  "Starting",
                                                  "Downloading",
                                                  "Training",
                                                  "Interrupted",
                                                  "Uploading",
                                                  "Stopping",
                                                  "Completed",
                                                  "Failed",
                                                  "Stopped",
                                                  "MaxRuntimeExceeded",
                                                  "MaxWaitTimeExceeded",
                                                  "Other",
                                                  "Updating",
                                                  "Restarting",
                                                  "Deleting"};
constexpr std::array<string_view, 3> alarm_states{"INSUFFICIENT_DATA", "OK", "ALARM"};
constexpr std::array<string_view, 9> end_reasons{"completed",   "failed",    "stopped",
                                                 "max_runtime", "max_wait",  "capacity",
                                                 "horizon",     "preempted", "runnable_limit"};
constexpr std::array<string_view, 5> models_of_platform{"ideal", "sagemaker-training", "ec2", "gcp",
                                                        "ticks"};

}  // namespace

string_view word(policy::Primary status) {
  return at(primaries, status);
}
string_view word(policy::Secondary status) {
  return at(secondaries, status);
}
string_view word(policy::FailureClass failure) {
  return at(policy::failure_class_names, failure);
}
string_view word(policy::AlarmState state) {
  return at(alarm_states, state);
}
string_view word(models::EndReason reason) {
  return at(end_reasons, reason);
}
string_view word(policy::Market market) {
  return at(policy::market_names, market);
}
string_view word(models::PlatformModel model) {
  return at(models_of_platform, model);
}

std::string host_name(std::uint32_t host) {
  return host == policy::lowest_of_hosts ? std::string{"lowest"} : "algo-" + std::to_string(host);
}

}  // namespace reeve::report
