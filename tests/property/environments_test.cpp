// Environments that divide a fleet are as good as fleets: each job starts and ends at the same
// instant whether its queue has a fleet of its own or an environment of that size in a larger one,
// and whether anybody is in the other one.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace environments_test {

enum class Divided : std::uint8_t { by_fleets, by_environments, first_alone };

/// Two queues with two shares each, with jobs on a coarse grid of instants, under every algorithm.
class RandomDivision : private DrawnText {
 public:
  explicit RandomDivision(std::uint64_t seed) : DrawnText{seed, 25} {}

  std::string text(Divided divided) {
    from_the_start();
    by_fleets_ = divided != Divided::by_environments;
    first_alone_ = divided == Divided::first_alone;
    for (std::uint64_t& size : sizes_) size = between(1, 16);
    const std::string queues = shares_and_queues();
    const std::string list = jobs();
    return Written{
        "{{ \"reeve\": 1, \"name\": \"division-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"until_done\" }},\n"
        "\"prices\": {{ \"instances\": {{ \"t\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} }},\n"
        "\"platform\": {{ \"model\": \"ideal\" }},\n{},\n{},\n{},\n\"policies\": {{ {} }} }}\n",
        seed_,
        fleets(),
        queues,
        list,
        policies()}
        .text;
  }

 private:
  static std::string fleet(std::string_view name, std::uint64_t size) {
    return Written{
        "{{ \"name\": \"{}\", \"instance_type\": \"t\", \"capacity\": {}, "
        "\"market\": \"reserved\" }}",
        name, size}
        .text;
  }
  std::string fleets() const {
    if (by_fleets_) {
      return "\"fleet\": [ " + fleet("a", sizes_[0]) + ", " + fleet("b", sizes_[1]) + " ]";
    }
    // The second may have so many by a limit of the fleet, the first by one of all fleets.
    return Written{
        "\"fleet\": [ {} ],\n\"environments\": [ {{ \"name\": \"a\", \"instances\": {} }}, "
        "{{ \"name\": \"b\", \"limits\": {{ \"both\": {} }} }} ]",
        fleet("both", sizes_[0] + sizes_[1]), sizes_[0], sizes_[1]}
        .text;
  }

  std::string shares_and_queues() {
    std::string shares;
    std::string queues;
    for (std::size_t queue = 0; queue < sizes_.size(); ++queue) {
      const std::string name(1, "ab"[queue]);
      const std::string of = by_fleets_ ? name : "both";
      const std::uint64_t first = between(0, sizes_[queue]);
      for (const std::uint64_t quota : {first, sizes_[queue] - first}) {
        const bool one = quota == first && shares.find('"' + name + "-1") == std::string::npos;
        shares +=
            Written{
                "{}{{ \"name\": \"{}-{}\", \"quota\": {{ \"{}\": {} }}, \"sharing\": \"{}\", "
                "\"weight\": {}, \"in_share_preemption\": {} }}",
                shares.empty() ? "" : ",\n",
                name,
                one ? 1 : 2,
                of,
                quota,
                pick({"reserve", "lend", "lend_and_borrow"}),
                between(1, 4),
                chance(0.5)}
                .text;
      }
      queues +=
          Written{
              "{}{{ \"name\": \"{}\", \"fleet\": \"{}\", {} \"shares\": [\"{}-1\", "
              "\"{}-2\"] }}",
              queues.empty() ? "" : ",\n",
              name,
              of,
              by_fleets_ ? "" : "\"environment\": \"" + name + "\",",
              name,
              name}
              .text;
    }
    return "\"shares\": [ " + shares + " ],\n\"queues\": [ " + queues + " ]";
  }

  std::string jobs() {
    const std::uint64_t grid_s = between(1, 300);
    const std::uint64_t count = between(2, 50);
    const std::uint64_t longest = between(1, 40);
    const std::uint64_t spread = between(0, count * longest / 2);
    std::string list;
    for (std::uint64_t number = 0; number < count; ++number) {
      const std::uint64_t queue = between(0, 1);
      const std::string job =
          Written{
              "{}\n  {{ \"name\": \"job-{}\", \"queue\": \"{}\", \"share\": \"{}-{}\", \"submit\": "
              "\"{}s\", \"work\": \"{}s\", \"instances\": {}, \"priority\": {} }}",
              list.empty() ? "" : ",",
              number,
              "ab"[queue],
              "ab"[queue],
              between(1, 2),
              between(0, spread) * grid_s,
              between(1, longest) * grid_s,
              chance(0.7) ? between(1, (sizes_[queue] + 3) / 4) : between(1, sizes_[queue]),
              between(0, 3)}
              .text;
      if (queue == 0 || !first_alone_) list += job;
    }
    // Who saves nothing in a round of gavel's begins anew for ever: it has a part of the worlds.
    const std::string_view saved = saves() ? R"({ "every": "1m", "cost": "0s" })" : "{}";
    return Written{"\"job_defaults\": {{ \"checkpoint\": {} }},\n\"jobs\": [{} ]", saved, list}
        .text;
  }

  bool saves() const { return seed_ % 2 == 0; }
  std::string policies() const {
    std::string list;
    for (const std::string_view algorithm :
         {"fifo", "sjf", "priority", "srtf", "srsf", "las", "themis", "fair_share", "max_min",
          "drf", "quota", "kueue", "kueue_fair", "multifactor", "capacity", "kai"}) {
      list += Written{"{}\"{}\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"{}\" }} ]",
                      list.empty() ? "" : ",\n", algorithm, algorithm}
                  .text;
    }
    list += R"(, "gittins": [ { "rule": "schedule", "algorithm": "gittins",
                                "gittins_lengths": [1800, 7200, 36000] } ])";
    if (saves()) {
      list += R"(, "gavel": [ { "rule": "schedule", "algorithm": "gavel", "round": "10m" } ])";
    }
    for (const std::string_view passing : {"any_fit", "easy", "conservative"}) {
      list += Written{",\n\"{}\": [ {{ \"rule\": \"schedule\", \"backfill\": \"{}\" }} ]", passing,
                      passing}
                  .text;
    }
    return list;
  }

  bool by_fleets_ = false;
  bool first_alone_ = false;
  std::array<std::uint64_t, 2> sizes_{};
};

class Environments : public EachSeed {};

TEST_F(Environments, DivideAFleetAsTwoFleetsWould) {
  std::size_t waited = 0;
  each_seed([&](std::uint64_t seed) {
    const auto load = [&](Divided divided) {
      return scenarios::load(
                 scenarios::SourceFile::from_text("e.jsonc", RandomDivision{seed}.text(divided)),
                 ".")
          .scenario;
    };
    const scenarios::Scenario two = load(Divided::by_fleets);
    const scenarios::Scenario one = load(Divided::by_environments);
    ASSERT_EQ(two.policies.size(), one.policies.size());
    for (std::size_t policy = 0; policy < two.policies.size(); ++policy) {
      SCOPED_TRACE(two.policies[policy].name);
      const auto apart = experiments::run(two, two.policies[policy], 0);
      const auto together = experiments::run(one, one.policies[policy], 0);
      ASSERT_EQ(apart.record.job_rows.size(), together.record.job_rows.size());
      for (std::size_t job = 0; job < apart.record.job_rows.size(); ++job) {
        const models::JobRow& a = apart.record.job_rows[job];
        const models::JobRow& b = together.record.job_rows[job];
        EXPECT_EQ(a.first_start, b.first_start) << "job " << job;
        EXPECT_EQ(a.end, b.end) << "job " << job;
        EXPECT_EQ(a.attempts, b.attempts) << "job " << job;
        if (a.first_start > apart.record.jobs.specs[job].submit) ++waited;
      }
    }
  });
  EXPECT_GT(waited, 0u) << "where nobody waits a limit is no limit";
}

/// By name.
std::map<std::string, models::JobRow> rows_of(const models::Record& record) {
  std::map<std::string, models::JobRow> rows;
  for (std::uint32_t job = 0; job < record.job_rows.size(); ++job) {
    rows.emplace(record.jobs.name({job}), record.job_rows[job]);
  }
  return rows;
}

TEST_F(Environments, WhoIsInAnotherFleetChangesNothing) {
  std::size_t others = 0;
  each_seed([&](std::uint64_t seed) {
    const auto load = [&](Divided divided) {
      return scenarios::load(
                 scenarios::SourceFile::from_text("e.jsonc", RandomDivision{seed}.text(divided)),
                 ".")
          .scenario;
    };
    if (RandomDivision{seed}.text(Divided::first_alone).find("job-") == std::string::npos) return;
    const scenarios::Scenario two = load(Divided::by_fleets);
    const scenarios::Scenario one = load(Divided::first_alone);
    for (std::size_t policy = 0; policy < two.policies.size(); ++policy) {
      SCOPED_TRACE(two.policies[policy].name);
      const auto both = rows_of(experiments::run(two, two.policies[policy], 0).record);
      const auto alone = rows_of(experiments::run(one, one.policies[policy], 0).record);
      others += both.size() - alone.size();
      for (const auto& [name, row] : alone) {
        EXPECT_EQ(both.at(name).first_start, row.first_start) << name;
        EXPECT_EQ(both.at(name).end, row.end) << name;
        EXPECT_EQ(both.at(name).attempts, row.attempts) << name;
      }
    }
  });
  EXPECT_GT(others, 0u) << "where nobody else is there is nobody to be left alone by";
}

}  // namespace environments_test
}  // namespace reeve::tests
