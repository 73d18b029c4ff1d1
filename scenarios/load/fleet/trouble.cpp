// Outages of zones and the link from alarms: which fleets they hit, and when.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {

void load_outages(Loading& loading) {
  models::World& world = loading.world();
  for (const OutageInput& input : loading.input.outages) {
    const Place place{*input.written, {}};
    if (input.until <= input.from && place.here.find("to") && place.here.find("from")) {
      loading.error(place.of("to"), "E0227", "an outage must end after it begins",
                    fmt::format("not after {}", show(input.from)));
    }
    models::Outage outage{input.from, input.until, {}, {}};
    for (std::uint32_t pool = 0; pool < loading.markets.zones.size(); ++pool) {
      if (loading.markets.zones[pool] == input.zone) outage.pools.push_back({pool});
    }
    for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
      const std::vector<models::ZonePart>& parts = world.pools[pool].zones;
      for (std::size_t zone = 0; zone < parts.size(); ++zone) {
        if (parts[zone].zone == input.zone) outage.parts.push_back({{pool}, zone});
      }
    }
    const bool fleets_known = world.pools.size() == loading.input.fleet.size();
    if (outage.pools.empty() && outage.parts.empty() && place.here.find("zone") && fleets_known) {
      std::vector<std::string_view> known;
      for (const std::string& zone : loading.markets.zones) {
        if (!zone.empty()) known.push_back(zone);
      }
      for (const models::Pool& pool : world.pools) {
        for (const models::ZonePart& part : pool.zones) known.push_back(part.zone);
      }
      loading.error(place.of("zone"), "E0251",
                    fmt::format("no fleet is in the zone {}", in_quotes(input.zone)),
                    "an outage that affects no fleet", did_you_mean(input.zone, known));
    }
    world.outages.push_back(std::move(outage));
  }
}

namespace {

/// Whether each call of the run fails for certain: ever, or in brown-outs from its start to its
/// end.
bool all_calls_fail(const models::World& world) {
  const models::Api& api = world.platform.api;
  if (api.throttled + api.lost_reply + api.rejected >= 1) return true;
  if (world.end == policy::never) return false;
  std::vector<models::BrownOut> down = api.brownouts;
  std::erase_if(down, [](const models::BrownOut& b) { return b.throttled + b.lost_reply < 1; });
  std::sort(down.begin(), down.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  policy::Duration until{0};
  for (const models::BrownOut& trouble : down) {
    if (trouble.from <= until) until = std::max(until, trouble.until);
  }
  return until >= world.end - world.start;
}

bool never_fails(const models::Api& api) {
  return api.throttled + api.lost_reply + api.rejected <= 0 && api.brownouts.empty();
}

/// A lookup that no rule makes, that changes nothing, or that is never answered.
void check_look_up(Loading& loading) {
  const auto platform = loading.input.platform.written;
  const auto events = platform ? platform->find("events") : std::nullopt;
  if (!events) return;
  const models::World& world = loading.world();
  const models::EventBus& bus = loading.input.platform.platform.events;
  const auto look_up = events->find("look_up");
  if (bus.lack_tags <= 0) {
    if (look_up) {
      loading.warning(*look_up, "W0556", "no lookup is made", "no event lacks details of its job",
                      "set \"lack_tags\": 1");
    }
    return;
  }
  if (look_up && bus.look_up == policy::Duration{0} && never_fails(world.platform.api)) {
    loading.warning(*look_up, "W0556", "missing event details are available at once",
                    "rules see no difference from complete events", "set \"look_up\": \"2s\"");
  }
  if (all_calls_fail(world)) {
    loading.warning(*events->find("lack_tags"), "W0557", "no lookup is ever answered",
                    "no rule learns the details of these jobs",
                    "use lower failure rates in \"api\"");
  } else if (look_up && world.end != policy::never && bus.look_up >= world.end - world.start) {
    loading.warning(*look_up, "W0557", "no lookup is answered before the run ends",
                    "no rule learns the details of these jobs", "set \"look_up\": \"2s\"");
  }
}

}  // namespace

void load_alarm_link(Loading& loading) {
  const models::AlarmLink& link = loading.input.platform.alarm_link;
  loading.world().platform.alarm_link = link;
  check_look_up(loading);
  if (link.down.empty()) return;
  check_order(link.down, *loading.input.platform.written->find("alarm_link")->find("down"),
              loading.findings);
}

}  // namespace reeve::scenarios
