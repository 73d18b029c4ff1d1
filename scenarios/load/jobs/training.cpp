// How a job trains: from sizes and bandwidths to times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <reeve/policy/known_options.hpp>

#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/jobs/steps.hpp"
#include "sim/draws.hpp"

namespace reeve::scenarios {
namespace {

Duration time_of(double gigabytes, double per_second) {
  return sim::nearest(gigabytes / per_second * 1e9);
}

/// Reports bandwidths of no size, a size of no bandwidth, and a pause that is stated twice.
bool refuse_half_a_size(Loading& loading, const CheckpointInput& input, const Node& node) {
  if (input.size && input.cost) {
    loading.error(node.find("cost").value_or(node), "E0260",
                  "\"cost\" and \"size\" both set the pause of a checkpoint",
                  "the pause is size / write", "choose one");
    return true;
  }
  if (input.size) {
    if (input.write || input.upload || input.restore) return false;
    loading.error(node.find("size").value_or(node), "E0261",
                  "a \"size\" without a bandwidth has no effect", "it takes no time",
                  "add \"write\", \"upload\" or \"restore\" in GB per second");
    return true;
  }
  for (const std::string_view key : {"write", "upload", "restore"}) {
    const auto bandwidth = node.find(key);
    if (!bandwidth) continue;
    loading.error(*bandwidth, "E0261", fmt::format("\"{}\" of a checkpoint needs \"size\"", key),
                  "a bandwidth alone sets no time", "add \"size\" in GB");
    return true;
  }
  return false;
}

/// How long a save takes: as stated, or as long as the size does.
template <class Hook>
Duration save_of(Loading& loading, const CheckpointInput& input, const Hook& hook,
                 std::string_view key) {
  if (hook.save) return *hook.save;
  if (!input.size) {
    loading.error(*hook.written, "E0202", fmt::format("{} lacks the key \"save\"", key),
                  "add it here", "or give the checkpoint a \"size\"");
    return Duration{0};
  }
  // What has not left the machine goes with it.
  Duration save = input.write ? time_of(*input.size, *input.write) : Duration{0};
  if (input.upload) save += time_of(*input.size, *input.upload);
  return save;
}

void load_saves(Loading& loading, const CheckpointInput& input, models::Checkpoint& plan) {
  if (input.on_notice) {
    plan.on_notice = input.on_notice->hook;
    plan.on_notice->save = save_of(loading, input, *input.on_notice, "on_notice");
  }
  if (input.on_request) {
    plan.on_request = save_of(loading, input, *input.on_request, "on_request");
  }
  if (input.on_stop) plan.on_stop = save_of(loading, input, *input.on_stop, "on_stop");
}

}  // namespace

void load_checkpoint(Loading& loading, const CheckpointInput& input, models::JobProfile& profile,
                     const Place& place) {
  models::Checkpoint& plan = profile.checkpoint;
  const Node node = place.of("checkpoint");
  plan = input.plan;
  plan.cost = input.cost.value_or(Duration{0});
  if (refuse_half_a_size(loading, input, node)) return;
  if (input.size) {
    if (input.write) plan.cost = time_of(*input.size, *input.write);
    // At an orderly end it is the platform that uploads.
    const bool uploads = input.upload && plan.sync == models::Sync::during;
    if (uploads) plan.upload = time_of(*input.size, *input.upload);
    if (input.restore) plan.restore = time_of(*input.size, *input.restore);
  }
  load_saves(loading, input, plan);
  if (plan.every == Duration{0} || plan.upload <= plan.every) return;
  loading.warning(node.find("upload").value_or(node), "W0464",
                  fmt::format("a checkpoint uploads for {}, but the next is due {} later",
                              show(plan.upload), show(plan.every)),
                  "later checkpoints wait for the previous upload");
}

namespace {

std::uint32_t millionths(double speed) {
  return static_cast<std::uint32_t>(std::lround(speed * 1e6));
}

/// Whether a rule weighs a wait against the time of the work elsewhere (`alternatives`).  Options
/// are not read yet.
bool weighs_speeds(const Loading& loading) {
  static constexpr std::string_view limit = policy::known::usd_per_hour_gained;
  for (const auto& [name, preset] : loading.input.presets) {
    if (preset.written->find(limit)) return true;
  }
  for (const auto& [name, seats] : loading.input.policies) {
    for (const SeatInput& seat : seats) {
      const auto is_limit = [](const Node& option) { return option.key() == limit; };
      if (std::any_of(seat.options.begin(), seat.options.end(), is_limit)) return true;
    }
  }
  return false;
}

/// What rules may go by: types of which nothing is said are none that the job is for.
void tell_rules(Loading& loading, models::JobProfile& profile, policy::SpeedsByType stated,
                const Place& place) {
  policy::Directory& directory = loading.world().directory;
  policy::JobTerms terms = directory.terms[profile.terms];
  // A job without a queue is not moved for the sake of others, but may be moved for its own.
  if (!terms.queue && !weighs_speeds(loading)) return;
  const auto speeds = directory.intern(stated);
  terms.speeds = speeds.value_or(0);
  const auto interned = directory.intern(terms);
  if (speeds && interned) {
    profile.terms = *interned;
    return;
  }
  loading.error(place.of("throughput"), "E0255",
                "jobs have more than 65,535 combinations of queue, share and \"throughput\"",
                "one too many");
}

/// Types without a speed, and speeds of unknown types.
policy::SpeedsByType load_speeds(Loading& loading, const TrainingInput& input, policy::PoolId pool,
                                 models::Throughput& speeds, const Place& place) {
  const auto& types = loading.world().directory.types;
  speeds.of_types.assign(types.size(), models::full_speed);
  const policy::TypeId own = loading.world().pools[pool.index].type;
  const Node written = place.of("throughput");
  policy::SpeedsByType stated(types.size(), 0);
  for (const auto& [name, speed] : input.throughput) {
    const auto known = std::find_if(types.begin(), types.end(),
                                    [&name = name](const auto& type) { return type.name == name; });
    if (known != types.end()) {
      const auto index = static_cast<std::size_t>(known - types.begin());
      speeds.of_types[index] = stated[index] = millionths(speed);
    } else if (!loading.prices.book || !loading.prices.book->types().contains(name)) {
      report_unknown_type(loading, name, written.find(name).value_or(written));
    }
  }
  if (stated[own.index] > 0) return stated;
  stated[own.index] = models::full_speed;
  loading.warning(written, "W0465",
                  fmt::format("\"throughput\" has no speed for {}, where the job runs",
                              in_quotes(types[own.index].name)),
                  "a speed of 1 is assumed");
  return stated;
}

bool gives(const ReportsInput& input, ReportSign sign) {
  return std::find(input.signals.begin(), input.signals.end(), sign) != input.signals.end();
}

/// A loss that is written with no step, and chatter in no log.
void check_signals(Loading& loading, const ReportsInput& input, const Node& written) {
  if (input.loss && !gives(input, ReportSign::steps)) {
    loading.error(*input.loss->written, "E0266", "\"loss\" needs a job that reports steps",
                  "each loss is written with a step", "add \"steps\" to \"signals\"");
  }
  if (input.chatters && !gives(input, ReportSign::log_lines)) {
    loading.error(written.find("chatters").value_or(written), "E0266",
                  "\"chatters\" needs a job whose log is read", "no signal is \"log_lines\"",
                  "add \"log_lines\" to \"signals\"");
  }
}

std::uint8_t signs_of(const ReportsInput& input) {
  unsigned signs = 0;
  for (const auto& [said, sign] : {std::pair{ReportSign::log_lines, policy::Sign::log_lines},
                                   std::pair{ReportSign::network, policy::Sign::network},
                                   std::pair{ReportSign::power, policy::Sign::power}}) {
    if (gives(input, said)) signs |= static_cast<unsigned>(sign);
  }
  return static_cast<std::uint8_t>(signs);
}

void load_reports(Loading& loading, const ReportsInput& input, models::JobProfile& profile,
                  const Node& written) {
  check_signals(loading, input, written);
  models::Reports reports{.every = input.every,
                          .delay = input.delay,
                          .loss = {},
                          .steps = gives(input, ReportSign::steps),
                          .signs = signs_of(input),
                          .chatters = input.chatters};
  if (input.loss) {
    reports.loss = input.loss->curve;
    reports.loss->nan_at = input.loss->nan_at.value_or(Duration::max());
    reports.loss->plateau_at = input.loss->plateau_at.value_or(Duration::max());
    if (reports.loss->floor > reports.loss->start) {
      const Node node = *input.loss->written;
      loading.error(node.find("floor").value_or(node), "E0262", "the loss starts below its floor",
                    "above \"start\"");
    }
  }
  profile.reports = std::make_shared<const models::Reports>(reports);
}

/// Where machines leave one by one, and what is kept can be saved.
void load_elastic(Loading& loading, const ElasticInput& input, models::JobProfile& profile) {
  const Node node = *input.written;
  if (loading.world().platform.model == models::PlatformModel::sagemaker_training) {
    loading.error(node, "E0263", "SageMaker training jobs are not elastic",
                  "a job loses all its instances or waits for all of them: managed Spot restarts "
                  "it as a whole",
                  "leave it out, or run the job on \"ec2\", \"gcp\" or \"ideal\"");
  }
  if (input.of.keeps_work && profile.checkpoint.sync == models::Sync::none) {
    loading.error(node.find("keeps_work").value_or(node), "E0264",
                  "\"keeps_work\" needs checkpoints that leave the instances",
                  "kept work is saved during the re-rendezvous", "\"sync\": \"during\"");
  }
  profile.elastic = std::make_shared<const models::Elastic>(input.of);
}

}  // namespace

void load_throughput(Loading& loading, const TrainingInput& input, models::JobProfile& profile,
                     const Place& place) {
  if (input.reports) load_reports(loading, *input.reports, profile, place.of("reports"));
  if (input.elastic) load_elastic(loading, *input.elastic, profile);
  if (input.throughput.empty() && !input.data_loading && !input.stragglers) return;
  models::Throughput speeds;
  if (!input.throughput.empty()) {
    tell_rules(loading, profile, load_speeds(loading, input, profile.pool, speeds, place), place);
  }
  if (input.data_loading) speeds.fed = millionths(input.data_loading->rate);
  if (const auto& slow = input.stragglers) {
    speeds.stragglers = models::Stragglers{slow->probability, slow->hosts, millionths(slow->speed)};
    if (slow->probability == 0 && slow->hosts.empty()) {
      loading.error(*slow->written, "E0206",
                    "stragglers have neither \"probability\" nor \"hosts\"", "no host is slow",
                    "add one of them");
    }
  }
  profile.throughput = std::make_shared<const models::Throughput>(std::move(speeds));
}

void append_training(std::string& key, const models::JobProfile& profile) {
  if (profile.reports) {
    const models::Reports& of = *profile.reports;
    key += fmt::format("r{}d{}s{}{}{}", of.every.count(), of.delay.count(), of.steps, of.signs,
                       of.chatters);
    if (of.loss) {
      key += fmt::format("l{}-{}h{}n{}x{}p{}", of.loss->start, of.loss->floor,
                         of.loss->half_life.count(), of.loss->noise, of.loss->nan_at.count(),
                         of.loss->plateau_at.count());
    }
  }
  if (profile.elastic) {
    const models::Elastic& of = *profile.elastic;
    const models::DurationLaw& law = of.resize;
    key += fmt::format("e{}k{}x{}l{}-{}-{}-{}", of.min, of.keeps_work, of.scaling,
                       static_cast<int>(law.shape), law.scale.count(), law.parameter,
                       law.high.count());
  }
  if (!profile.throughput) return;
  const models::Throughput& of = *profile.throughput;
  for (const std::uint32_t speed : of.of_types) key += fmt::format("s{}", speed);
  if (of.fed) key += fmt::format("f{}", *of.fed);
  if (!of.stragglers) return;
  key += fmt::format("p{}x{}", of.stragglers->probability, of.stragglers->speed_ppm);
  for (const std::uint32_t host : of.stragglers->hosts) key += fmt::format("h{}", host);
}

}  // namespace reeve::scenarios
