// Lints for rules that need metrics, hosts, signals or checkpoints that no job has.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "scenarios/lints/lint.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/resolved/attempt_status.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

/// The most GPUs that an instance watched by the rule may have; 1 if it watches none.
std::uint32_t most_gpus(const Resolved& resolved, const SeatSpec& seat) {
  const models::World& world = resolved.world();
  const bool moves = rules_move(resolved.input);
  std::uint32_t most = 1;
  for (std::uint32_t id = 0; id < world.pools.size(); ++id) {
    const auto runs_there = [&](const models::JobProfile& profile) {
      return profile.pool.index == id && may_hold(seat, profile, {}, world);
    };
    const auto& profiles = world.profiles;
    const bool used = moves || std::any_of(profiles.begin(), profiles.end(), runs_there);
    if (used) most = std::max(most, world.directory.types[world.pools[id].type.index].gpus);
  }
  return most;
}

void check_threshold(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                     Findings& findings) {
  if (seat.mode == host::Mode::off) return;
  const bool per_gpu = seat.options.text(of_alarm(seat, known::scale)) == "per_gpu";
  const bool sum = resolved.world().platform.metrics.gpu_sum;
  const std::uint32_t gpus = most_gpus(resolved, seat);
  const double threshold = seat.options.number(of_alarm(seat, known::threshold));
  const double top = sum && !per_gpu ? 100.0 * gpus : 100.0;
  const Node place = places.find(of_alarm(seat, known::threshold)).value_or(places.seat);
  if (threshold > top) {
    findings.warning(place, "W0411",
                     fmt::format("threshold {} is above the metric's range 0..{}", threshold, top),
                     "every datapoint is on the same side of it");
    return;
  }
  // A sum over all GPUs that is meant as a percentage of one is that low per GPU.
  if (per_gpu || !sum || gpus == 1 || threshold < 5.0 * gpus || threshold > 100) return;
  Diagnostic finding = at(
      place, "W0412",
      fmt::format("threshold {} is compared with a sum over {} GPUs (0..{})", threshold, gpus, top),
      "", Severity::warning);
  findings.add(std::move(finding).with_note(
      fmt::format("this is {} % per GPU. For {} % write {}, or \"scale\": \"per_gpu\"",
                  threshold / gpus, threshold, threshold * gpus)));
}

/// An alarm that the rule never uses, an implausible threshold, or a platform without metrics.
void check_metrics(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                   Findings& findings) {
  if (!puts_alarm(seat)) {
    const auto written = is_stated(*seat.kind) ? places.find("alarm") : std::nullopt;
    if (!written) return;
    findings.warning(
        *written, "W0531", "the condition does not use the alarm", "it is never created",
        "add { \"field\": \"alarm\", \"op\": \"==\", \"value\": \"alarm\" } to \"when\"");
    return;
  }
  check_threshold(resolved, seat, places, findings);
  if (resolved.world().platform.model == models::PlatformModel::ideal) {
    findings.warning(places.seat, "W0419",
                     "the ideal platform has no metrics, so an alarm there never fires",
                     "it receives no data");
  }
}

/// No job has the host that the rule watches.
void check_hosts(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                 Findings& findings) {
  const std::string option = of_alarm(seat, known::hosts);
  if (!has_option(*seat.kind, option)) return;
  const std::uint32_t largest = largest_job(resolved);
  constexpr std::string_view prefix = "algo-";
  for (const std::string_view host : seat.options.texts(option)) {
    if (largest == 0 || !host.starts_with(prefix)) continue;
    std::uint32_t number = 0;
    std::from_chars(host.data() + prefix.size(), host.data() + host.size(), number);
    if (number <= largest) continue;
    findings.warning(places.find(option).value_or(places.seat), "W0418",
                     fmt::format("no job has a host {}: the largest has {}", in_quotes(host),
                                 counted(largest, "instance")),
                     "it watches nothing there");
  }
}

/// A rule waits for a signal that no job reports.
void check_signal(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                  Findings& findings) {
  const auto& profiles = resolved.world().profiles;
  if (!has_option(*seat.kind, known::signal) || !seat.kind->reads_reports || profiles.empty())
    return;
  if (seat.mode == host::Mode::off) return;
  const std::string& signal = seat.options.text(known::signal);
  const auto gives = [&](const models::JobProfile& profile) {
    if (profile.reports == nullptr) return false;
    if (signal == "steps") return profile.reports->steps;
    const policy::Sign sign = signal == "log_lines" ? policy::Sign::log_lines
                              : signal == "network" ? policy::Sign::network
                                                    : policy::Sign::power;
    return policy::has_sign(profile.reports->signs, sign);
  };
  if (std::any_of(profiles.begin(), profiles.end(), gives)) return;
  findings.warning(
      places.find(known::signal).value_or(places.seat), "W0498",
      fmt::format("no job reports the signal {}", signal),
      "the rule receives no signal and watches no job",
      fmt::format("add \"reports\": {{ \"every\": \"1m\", \"signals\": [\"{}\"] }} to jobs",
                  signal));
}

/// A rule requests saves that no job makes, or acts on notices that the platform does not give.
void check_saved_copies(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                        Findings& findings) {
  const bool stated = states_save(seat);
  if (!stated && !asks_to_save(seat)) return;
  const models::World& world = resolved.world();
  const auto told = [&](const models::Pool& pool) {
    const models::Platform& platform = world.platform;
    if (pool.market == policy::Market::capacity_block) {
      return seat.options.flag(known::block_end) && pool.end_warning > policy::Duration{0};
    }
    if (pool.market != policy::Market::spot) return false;
    const bool signals = platform.unmanaged.rebalance.probability > 0;
    return platform.notice.lead > policy::Duration{0} ||
           (signals && seat.options.flag(known::rebalance));
  };
  const bool any_told = stated || std::any_of(world.pools.begin(), world.pools.end(), told);
  const auto listens = [](const models::JobProfile& profile) {
    return profile.checkpoint.on_request.has_value();
  };
  const bool any_listens =
      std::any_of(world.profiles.begin(), world.profiles.end(), listens) || world.profiles.empty();
  if (any_told && any_listens) return;
  const Node place = places.seat.find("rule").value_or(places.seat);
  findings.warning(place, "W0468",
                   any_told ? "no job saves on request" : "no loss of instances is announced",
                   any_told ? "each request is rejected" : "no job receives a save request",
                   any_told ? "\"checkpoint\": { \"on_request\": { \"save\": \"90s\" } }"
                            : "use \"model\": \"ec2\", or a capacity block with `end_warning`");
}

/// Only a managed platform enforces run-time limits.
void check_limit(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                 Findings& findings) {
  if (!models::is_unmanaged(resolved.world().platform.model)) return;
  const auto warn = [&](std::string_view option, std::string help) {
    findings.warning(places.find(option).value_or(places.seat), "W0462",
                     "the platform enforces no run-time limit on self-managed instances",
                     "it rejects each request", std::move(help));
  };
  const auto chosen = [&](std::string_view option, std::string_view word) {
    return has_option(*seat.kind, option) && seat.options.text(option) == word;
  };
  if (chosen(known::enforce_by, "platform")) warn(known::enforce_by, "\"enforce_by\": \"clock\"");
  if (chosen(known::does, "limit_runtime"))
    warn(known::does, "use \"do\": \"stop\" when training_time is higher");
}

/// A clone without the checkpoint starts from zero (F61: dearer and slower than on demand alone).
void check_clone(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                 Findings& findings) {
  constexpr auto keeps = known::keeps_checkpoint;
  constexpr auto loses = known::loses;
  std::string_view option;
  if (has_option(*seat.kind, keeps) && !seat.options.flag(keeps)) option = keeps;
  if (has_option(*seat.kind, loses)) {
    const std::vector<std::string>& fields = seat.options.texts(loses);
    if (std::find(fields.begin(), fields.end(), "CheckpointConfig") != fields.end()) option = loses;
  }
  const bool begins_anew =
      has_option(*seat.kind, loses) && seat.options.text(known::from) == "scratch";
  if (option.empty() && begins_anew) option = known::from;
  const models::World& world = resolved.world();
  const std::vector<Duration> works = longest_works(world);
  const auto saves = [&](const models::JobProfile& profile) {
    const models::Checkpoint& own = profile.checkpoint;
    const auto id = static_cast<std::size_t>(&profile - world.profiles.data());
    const bool in_time = own.every > Duration{0} && own.every < works[id];
    const bool some = in_time || own.on_notice || own.on_request || own.on_stop;
    return some && own.sync != models::Sync::none;
  };
  const auto kept_before = [&](const models::JobProfile& profile) {
    return saves(profile) && may_hold(seat, profile, {}, world);
  };
  const auto& profiles = world.profiles;
  const bool kept = std::any_of(profiles.begin(), profiles.end(), kept_before);
  if (option.empty() || !kept || seat.mode == host::Mode::off) return;
  findings.warning(places.find(option).value_or(places.seat), "W0430",
                   "the clone loses the job's checkpoint and starts from scratch",
                   "the finished work is billed twice",
                   "keep the checkpoint, unless you study this case");
}

}  // namespace

std::span<const Lint> unmet_need_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0411", "a threshold outside the metric's range",
        "Every datapoint is on one side of it, so the alarm goes off always or never.",
        "\"threshold\": 900", "\"threshold\": 640"},
       check_metrics,
       RunIf::always},
      {{"W0412", "a threshold compared with a sum over GPUs",
        "SageMaker's GPUUtilization is the sum over the GPUs of an instance: 0..800 for eight. A "
        "threshold of 80 is then 10 % of each GPU. reeve does not warn below 5 % of each.",
        "\"threshold\": 80", "\"threshold\": 640, or \"threshold\": 80, \"scale\": \"per_gpu\""},
       check_metrics,
       RunIf::always},
      {{"W0419", "an alarm on a platform without metrics",
        "The ideal platform publishes no metrics. The alarm sees no data and never goes off.",
        "\"model\": \"ideal\" and { \"rule\": \"stalled_gpu\" }",
        "\"model\": \"sagemaker-training\""},
       check_metrics,
       RunIf::always},
      {{"W0531", "an alarm that no condition tests",
        "A rule of kind `rule` creates its alarm only if its condition tests the field `alarm`.",
        "{ \"rule\": \"rule\", \"alarm\": { \"period\": \"1m\" }, \"when\": { \"field\": \"age\", "
        "... } }",
        "\"when\": { \"field\": \"alarm\", \"op\": \"==\", \"value\": \"alarm\" }"},
       check_metrics,
       RunIf::always},
      {{"W0418", "a watched host that no job has",
        "Hosts count from algo-1 to the number of instances, so the alarm watches nothing there.",
        "\"instances\": 2, \"hosts\": [\"algo-9\"]", "\"hosts\": [\"algo-1\"]"},
       check_hosts,
       RunIf::always},
      {{"W0498", "a signal that no job reports",
        "`heartbeat` watches a job from its first report of the signal. No job reports this "
        "signal, so the rule watches none.",
        "{ \"rule\": \"heartbeat\", \"signal\": \"power\" } and \"reports\" without it",
        "\"reports\": { \"every\": \"1m\", \"signals\": [\"power\"] }"},
       check_signal},
      {{"W0468", "save_on_notice without effect",
        "`save_on_notice` acts on a notice. Managed Spot gives none; EC2 gives it 120 s ahead, GCP "
        "30 s, and a capacity block before its end. Scripts must listen for the request.",
        "{ \"rule\": \"save_on_notice\" } and no job with \"on_request\"",
        "\"checkpoint\": { \"on_request\": { \"save\": \"90s\" } }"},
       check_saved_copies},
      {{"W0462", "a run-time limit that the platform does not enforce",
        "Self-managed instances have no StoppingCondition, so the platform refuses the rule's "
        "request.",
        "\"model\": \"ec2\" and { \"rule\": \"max_runtime\" }", "\"enforce_by\": \"clock\""},
       check_limit,
       RunIf::always},
      {{"W0430", "a clone that loses its checkpoint",
        "The clone lacks the job's CheckpointConfig, or starts from the beginning, and repeats all "
        "work. If Spot interruptions are frequent, it is slower and costs more than on-demand "
        "alone.",
        "{ \"rule\": \"spot_fallback\", \"clone_keeps_checkpoint\": false }",
        "{ \"rule\": \"spot_fallback\" }"},
       check_clone},
  });
  return rows;
}

}  // namespace reeve::scenarios
