// How a job trains: from sizes and bandwidths to times.
#include <fmt/format.h>

#include "scenarios/loading.hpp"
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
                  "\"cost\" and \"size\" both say how long a checkpoint pauses the work",
                  "the pause is size / write", "choose one");
    return true;
  }
  if (input.size) {
    if (input.write || input.upload || input.restore) return false;
    loading.error(node.find("size").value_or(node), "E0261",
                  "a \"size\" without a bandwidth takes no time", "nothing is slower for it",
                  "add \"write\", \"upload\" or \"restore\" in GB a second");
    return true;
  }
  for (const std::string_view key : {"write", "upload", "restore"}) {
    const auto bandwidth = node.find(key);
    if (!bandwidth) continue;
    loading.error(*bandwidth, "E0261", fmt::format("\"{}\" of a checkpoint without \"size\"", key),
                  "a bandwidth alone is no time", "add \"size\" in GB");
    return true;
  }
  return false;
}

void load_hook(Loading& loading, const CheckpointInput& input, models::Checkpoint& plan) {
  plan.on_notice = input.on_notice->hook;
  if (input.on_notice->save) {
    plan.on_notice->save = *input.on_notice->save;
  } else if (input.size) {
    // What has not left the machine goes with it.
    plan.on_notice->save = input.write ? time_of(*input.size, *input.write) : Duration{0};
    if (input.upload) plan.on_notice->save += time_of(*input.size, *input.upload);
  } else {
    loading.error(*input.on_notice->written, "E0202", "on_notice lacks the key \"save\"",
                  "add it here", "or give the checkpoint a \"size\"");
  }
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
  if (input.on_notice) load_hook(loading, input, plan);
  if (plan.every == Duration{0} || plan.upload <= plan.every) return;
  loading.warning(node.find("upload").value_or(node), "W0464",
                  fmt::format("a checkpoint uploads for {}, and the next is due {} after it",
                              show(plan.upload), show(plan.every)),
                  "each later one is put off until the one before is away");
}

}  // namespace reeve::scenarios
