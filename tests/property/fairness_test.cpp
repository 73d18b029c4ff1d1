// What schedulers promise of any workload: weights that are obeyed, nobody who envies another, no
// machine that is idle while somebody wants it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace fairness_test {

/// A scenario of fleets of equal machines, the texts of its parts left to who writes it.
struct Parts {
  std::vector<std::uint64_t> fleets = {};
  std::string shares = {};  ///< objects
  std::string jobs = {};
  std::string policies = {};
  std::string horizon = "until_done";
  std::string platform = R"("model": "ideal")";
  std::string steps = {};  ///< of what the first fleet has, on demand; empty: always all

  std::string text() const {
    std::string list;
    for (std::size_t fleet = 0; fleet < fleets.size(); ++fleet) {
      list +=
          fmt::format("{}{{ \"name\": \"f{}\", \"instance_type\": \"t\", \"capacity\": {}, {} }}",
                      fleet == 0 ? "" : ", ", fleet, fleets[fleet],
                      fleet > 0 || steps.empty() ? R"("market": "reserved")"
                                                 : R"("availability": { "steps": )" + steps + " }");
    }
    return fmt::format(
        "{{ \"reeve\": 1, \"name\": \"fair\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"{}\" }},\n"
        "\"prices\": {{ \"instances\": {{ \"t\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} }},\n"
        "\"platform\": {{ {} }},\n\"fleet\": [ {} ],\n\"shares\": [ {} ],\n"
        "\"queues\": [ {{ \"name\": \"q\", \"fleet\": \"f0\", \"shares\": [ {} ] }} ],\n"
        "\"job_defaults\": {{ \"queue\": \"q\", \"checkpoint\": {{ \"every\": \"5m\" }} "
        "}},\n\"jobs\": [ {} ],\n"
        "\"policies\": {{ {} }} }}\n",
        horizon, platform, list, shares, share_names(), jobs, policies);
  }

 private:
  std::string share_names() const {
    std::string names;
    const std::string_view key = "\"name\": ";
    for (std::size_t at = shares.find(key); at != std::string::npos;
         at = shares.find(key, at + 1)) {
      const std::size_t from = at + key.size();
      names +=
          (names.empty() ? "" : ", ") + shares.substr(from, shares.find('"', from + 1) + 1 - from);
    }
    return names;
  }
};

scenarios::Scenario load(const Parts& parts) {
  return scenarios::load(scenarios::SourceFile::from_text("f.jsonc", parts.text()), ".").scenario;
}

std::string policy(std::string_view name, std::string_view more = "") {
  return fmt::format("\"{}\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"{}\"{} }} ]", name,
                     name, more);
}

experiments::RunResult play(const scenarios::Scenario& scenario,
                            const scenarios::PolicySpec& policy) {
  experiments::RunOptions options;
  options.keep = {.utilization = true};
  return experiments::run(scenario, policy, 0, options);
}

// ---- weights ---------------------------------------------------------------------------------

/// Three shares that always have jobs waiting, with random weights; `lock_step`: all jobs are of
/// one length, so that all machines become free at one instant.
class Saturated : private DrawnText {
 public:
  Saturated(std::uint64_t seed, bool lock_step) : DrawnText{seed, 26} {
    parts.fleets = {between(200, 400)};
    parts.horizon = "60h";
    for (int share = 0; share < 3; ++share) {
      const double weight = static_cast<double>(between(1, 40)) / 10;
      entitled.push_back(1 / weight);
      sum += 1 / weight;
      parts.shares += Written{"{}{{ \"name\": \"s{}\", \"weight\": {} }}", share == 0 ? "" : ", ",
                              share, weight}
                          .text;
      // More than all machines can do in that time: 20 minutes each, 60 hours.
      parts.jobs +=
          Written{
              "{}{{ \"name\": \"s{}\", \"share\": \"s{}\", \"count\": {}, "
              "\"submit\": \"0s\", \"work\": \"{}m\" }}",
              share == 0 ? "" : ", ",
              share,
              share,
              parts.fleets[0] * 181,
              lock_step ? 30 : between(20, 40)}
              .text;
    }
    parts.policies = policy("max_min") + ", " + policy("drf");
    for (const std::string_view decay : {"0s", "10m", "7d"}) {
      parts.policies +=
          Written{
              ", \"fair_share_{}\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"fair_share\", "
              "\"share_decay\": \"{}\" }} ]",
              decay, decay}
              .text;
    }
  }

  Parts parts;
  std::vector<double> entitled;
  double sum = 0;
};

/// Instance-hours that a share had, of all that there were.
double part_of(const experiments::RunResult& result, std::uint32_t share, double all) {
  double held = 0;
  std::uint32_t used = 0;
  policy::Instant since = result.record.start;
  for (const models::ShareUseRow& row : result.record.share_use) {
    if (row.share.index != share) continue;
    held += used * std::chrono::duration<double, std::ratio<3600>>(row.at - since).count();
    used = row.used;
    since = row.at;
  }
  const auto end = result.record.start + std::chrono::hours{60};
  held += used * std::chrono::duration<double, std::ratio<3600>>(end - since).count();
  return held / all;
}

class Fairness : public EachSeed {};

TEST_F(Fairness, WeightsAreObeyedUnderSaturation) {
  bool is_first = true;
  each_seed([&](std::uint64_t seed) {
    // A run is long: a thirtieth of the others' worlds.
    if (!std::exchange(is_first, false) && seed % 30 != 1) return;
    for (const bool lock_step : {false, true}) {
      const Saturated world{seed, lock_step};
      const scenarios::Scenario scenario = load(world.parts);
      for (const scenarios::PolicySpec& each : scenario.policies) {
        const auto result = play(scenario, each);
        const double all = 60.0 * static_cast<double>(world.parts.fleets[0]);
        for (std::uint32_t share = 0; share < 3; ++share) {
          EXPECT_NEAR(part_of(result, share, all), world.entitled[share] / world.sum, 0.01)
              << each.name << (lock_step ? " in lock-step" : "") << ": share " << share;
        }
      }
    }
  });
}

// ---- envy and efficiency ---------------------------------------------------------------------

/// Shares that want more than there is of some of the fleets each, one machine at a time.
class Demanding : private DrawnText {
 public:
  explicit Demanding(std::uint64_t seed) : DrawnText{seed, 27} {
    const std::uint64_t fleets = between(1, 4);
    for (std::uint64_t fleet = 0; fleet < fleets; ++fleet) parts.fleets.push_back(between(2, 40));
    const std::uint64_t shares = between(2, 6);
    for (std::uint64_t share = 0; share < shares; ++share) {
      weights.push_back(between(1, 4));
      parts.shares += Written{"{}{{ \"name\": \"s{}\", \"weight\": {} }}", share == 0 ? "" : ", ",
                              share, weights.back()}
                          .text;
      for (std::uint64_t fleet = 0; fleet < fleets; ++fleet) {
        if (fleet != share % fleets && chance(0.5)) continue;
        wants.emplace_back(share, fleet);
        parts.jobs +=
            Written{
                "{}{{ \"name\": \"s{}-f{}\", \"share\": \"s{}\", \"fleet\": "
                "\"f{}\", \"count\": {}, \"submit\": \"0s\", \"work\": \"1h\" }}",
                parts.jobs.empty() ? "" : ", ",
                share,
                fleet,
                share,
                fleet,
                parts.fleets[fleet] + 1}
                .text;
      }
    }
    parts.policies = policy("drf", ", \"backfill\": \"any_fit\"");
  }

  Parts parts;
  std::vector<std::uint64_t> weights;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> wants;  ///< share and fleet
};

/// What each share has of each fleet after all that happens at the start.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> held_at_start(
    const models::Record& record) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> held;
  for (const models::ShareUseRow& row : record.share_use) {
    if (row.at == record.start) held[{row.share.index, row.pool.index}] = row.used;
  }
  return held;
}

/// Ghodsi et al. 2011, 3: nobody would rather have what another has, and nothing can be given to
/// one without taking it from another.  As jobs are whole, but for one job: of no fleet that a
/// share wants has another more, one job aside, than the share has of the fleet where it has most.
TEST_F(Fairness, DominantSharesLeaveNobodyEnviousAndNothingIdle) {
  std::size_t contested = 0;
  each_seed([&](std::uint64_t seed) {
    const Demanding world{seed};
    const scenarios::Scenario scenario = load(world.parts);
    auto held = held_at_start(play(scenario, scenario.policies[0]).record);
    const auto part = [&](std::uint64_t share, std::uint64_t fleet, std::uint64_t less) {
      const auto has = static_cast<double>(held[{share, fleet}]) - static_cast<double>(less);
      const auto weight = static_cast<double>(world.weights[share]);
      return has * weight / static_cast<double>(world.parts.fleets[fleet]);
    };
    for (const auto& [share, wanted] : world.wants) {
      std::uint64_t all = 0;
      double most = 0;
      for (std::uint64_t fleet = 0; fleet < world.parts.fleets.size(); ++fleet) {
        most = std::max(most, part(share, fleet, 0));
      }
      for (std::uint64_t other = 0; other < world.weights.size(); ++other) {
        all += held[{other, wanted}];
        if (other == share || held[{other, wanted}] == 0) continue;
        ++contested;
        EXPECT_LE(part(other, wanted, 1), most + 1e-9)
            << "share " << share << " envies share " << other << " fleet " << wanted;
      }
      EXPECT_EQ(all, world.parts.fleets[wanted]) << "fleet " << wanted << " is idle in part";
    }
  });
  EXPECT_GT(contested, 0u) << "where nobody shares a fleet nobody can envy";
}

// ---- idle machines ---------------------------------------------------------------------------

/// Jobs of one machine each, of shares that lend and borrow all that they have.
class Small : private DrawnText {
 public:
  explicit Small(std::uint64_t seed) : DrawnText{seed, 28} {
    const std::uint64_t machines = between(1, 12);
    parts.fleets = {machines};
    const std::uint64_t first = between(0, machines);
    parts.shares =
        Written{
            "{{ \"name\": \"s0\", \"quota\": {{ \"f0\": {} }}, \"sharing\": \"lend_and_borrow\" "
            "}}, "
            "{{ \"name\": \"s1\", \"quota\": {{ \"f0\": {} }}, \"sharing\": \"lend_and_borrow\", "
            "\"in_share_preemption\": {} }}",
            first, machines - first, chance(0.5)}
            .text;
    const std::uint64_t count = between(2, 60);
    for (std::uint64_t job = 0; job < count; ++job) {
      parts.jobs +=
          Written{
              "{}{{ \"name\": \"j{}\", \"share\": \"s{}\", \"submit\": \"{}m\", \"work\": "
              "\"{}m\", \"priority\": {} }}",
              job == 0 ? "" : ",\n",
              job,
              between(0, 1),
              between(0, 60),
              between(1, 40),
              between(0, 3)}
              .text;
    }
    for (const std::string_view algorithm :
         {"fifo", "sjf", "priority", "srtf", "srsf", "las", "themis", "fair_share", "max_min",
          "drf", "quota", "kueue", "kueue_fair", "multifactor", "capacity", "kai"}) {
      parts.policies += (parts.policies.empty() ? "" : ", ") + policy(algorithm);
    }
    parts.policies += ", " + policy("gittins", ", \"gittins_lengths\": [600, 7200]");
    parts.policies += ", " + policy("gavel", ", \"round\": \"1h\"");
  }

  Parts parts;
};

/// A pool after all that happens at an instant.
struct Moment {
  policy::Instant at;
  std::uint32_t allocated = 0;
  std::uint32_t runnable = 0;
  std::uint32_t offered = 0;
};

std::vector<Moment> moments_of(const models::Record& record, policy::PoolId pool,
                               std::uint64_t size) {
  std::map<policy::Instant, Moment> moments;
  for (const models::UtilizationRow& row : record.utilization) {
    if (row.pool != pool) continue;
    moments.insert_or_assign(row.at, Moment{row.at, row.allocated, row.runnable, 0});
  }
  for (auto& [at, moment] : moments) {
    moment.offered = static_cast<std::uint32_t>(size);
    for (const models::OfferRow& row : record.offers) {
      if (row.pool == pool && row.at <= at) moment.offered = row.offered;
    }
  }
  std::vector<Moment> all;
  for (const auto& [at, moment] : moments) all.push_back(moment);
  return all;
}

TEST_F(Fairness, NoMachineIsIdleWhileAJobWouldFit) {
  std::size_t full = 0;
  each_seed([&](std::uint64_t seed) {
    const Small world{seed};
    const scenarios::Scenario scenario = load(world.parts);
    for (const scenarios::PolicySpec& each : scenario.policies) {
      const auto result = play(scenario, each);
      const std::vector<models::UtilizationRow>& rows = result.record.utilization;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool last = i + 1 == rows.size() || rows[i + 1].at != rows[i].at;
        if (!last || rows[i].runnable == 0) continue;
        ++full;
        EXPECT_EQ(rows[i].allocated, world.parts.fleets[0])
            << each.name << ": " << rows[i].runnable << " wait";
      }
    }
  });
  EXPECT_GT(full, 0u) << "where nobody waits nothing can be idle in vain";
}

/// Gangs in two fleets, of which machines on demand come and go, for every algorithm.
class Gangs : private DrawnText {
 public:
  explicit Gangs(std::uint64_t seed) : DrawnText{seed, 29} {
    parts.fleets = {between(2, 20), between(2, 20)};
    parts.steps = steps(parts.fleets[0]);
    parts.platform = chance(0.5) ? R"("model": "ideal")" : R"("stop_grace": "2m")";
    parts.shares = share(0);
    parts.shares += ", " + share(1);
    const std::uint64_t count = between(2, 40);
    for (std::uint64_t job = 0; job < count; ++job) {
      const std::uint64_t fleet = between(0, 1);
      parts.jobs +=
          Written{
              "{}{{ \"name\": \"j{}\", \"share\": \"s{}\", \"fleet\": \"f{}\", \"submit\": "
              "\"{}m\", "
              "\"work\": \"{}m\", \"priority\": {}, \"instances\": {} }}",
              job == 0 ? "" : ",\n",
              job,
              between(0, 1),
              fleet,
              between(0, 90),
              between(1, 60),
              between(0, 3),
              between(1, chance(0.7) ? (parts.fleets[fleet] + 2) / 3 : parts.fleets[fleet])}
              .text;
    }
    for (const std::string_view algorithm :
         {"fifo", "sjf", "priority", "srtf", "srsf", "las", "themis", "fair_share", "max_min",
          "drf", "quota", "kueue", "kueue_fair", "multifactor", "capacity", "kai"}) {
      parts.policies += (parts.policies.empty() ? "" : ", ") + policy(algorithm);
    }
    parts.policies += ", " + policy("gittins", ", \"gittins_lengths\": [600, 7200]");
    parts.policies += ", " + policy("gavel", ", \"round\": \"1h\"");
  }

  Parts parts;

 private:
  /// Half of the worlds lose machines for a time.
  std::string steps(std::uint64_t all) {
    if (chance(0.5)) return {};
    const std::uint64_t from = between(1, 60);
    const std::uint64_t until = from + between(1, 60);
    return Written{
        R"([["0s", {}], ["{}m", {}], ["{}m", {}]])", all, from, between(0, all - 1), until, all}
        .text;
  }
  /// The two have all of each fleet, and lend and borrow it.
  std::string share(std::uint64_t number) {
    for (std::uint64_t fleet = 0; number == 0 && fleet < 2; ++fleet) {
      quotas_[fleet] = between(0, parts.fleets[fleet]);
    }
    const auto quota = [&](std::size_t fleet) {
      return number == 0 ? quotas_[fleet] : parts.fleets[fleet] - quotas_[fleet];
    };
    return Written{
        "{{ \"name\": \"s{}\", \"quota\": {{ \"f0\": {}, \"f1\": {} }}, \"sharing\": "
        "\"lend_and_borrow\", \"in_share_preemption\": {} }}",
        number, quota(0), quota(1), chance(0.5)}
        .text;
  }

  std::array<std::uint64_t, 2> quotas_{};
};

/// Who is in turn may wait for more than is free, and others behind it; but where all that wait
/// would fit at once, whoever waits, waits for nothing.
TEST_F(Fairness, NobodyWaitsWhereAllWouldFit) {
  std::size_t waits = 0;
  each_seed([&](std::uint64_t seed) {
    const Gangs world{seed};
    const scenarios::Scenario scenario = load(world.parts);
    for (const scenarios::PolicySpec& each : scenario.policies) {
      const models::Record record = play(scenario, each).record;
      for (std::uint32_t pool = 0; pool < 2; ++pool) {
        for (const Moment& moment : moments_of(record, {pool}, world.parts.fleets[pool])) {
          if (moment.runnable == 0) continue;
          ++waits;
          EXPECT_GT(moment.allocated + moment.runnable, moment.offered)
              << each.name << ": in fleet " << pool << " at "
              << std::chrono::duration<double>(moment.at - record.start).count() << " s";
        }
      }
    }
  });
  EXPECT_GT(waits, 0u) << "where nobody waits nothing can be idle in vain";
}

}  // namespace fairness_test
}  // namespace reeve::tests
