// What a scenario is told of itself: warnings where they hold, and none on one that is sound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace effects_test {

using ::testing::HasSubstr;
using ::testing::Not;

/// The codes of what is found, and where each begins: "W0476 /jobs/0/elastic".
std::string found(const std::string& text) {
  std::string all;
  const auto add = [&](const std::vector<Diagnostic>& findings) {
    for (const Diagnostic& one : findings) all += one.code + " " + one.pointer + "\n";
  };
  try {
    add(load(SourceFile::from_text("test.jsonc", text), "/nowhere", {}).warnings);
  } catch (const InputError& error) {
    add(error.diagnostics());
  }
  return all;
}

/// Of one fleet of 8 machines with `fleet` besides, and a job of 8 with `job` besides.
std::string of(const std::string& fleet, const std::string& job, const std::string& members = "",
               const std::string& clock = R"("horizon": "9d")") {
  return found(R"({ "reeve": 1, "clock": { "start": "2026-04-01T00:00:00Z", )" + clock + R"( },
    "prices": { "instances": {
      "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
    "platform": { "model": "ec2", "on_insufficient": "wait" },
    "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 9 )" +
               fleet + R"( } ], "jobs": [ { "name": "a", "work": "20h", "fleet": "pool",
      "instances": 8, "checkpoint": { "every": "1h" } )" +
               job + " } ]" + members + "}");
}

const std::string spot = R"(, "market": "spot")";
const std::string falls = spot + R"(, "availability": { "steps": [["0s", 8], ["2h", 6]] })";
const std::string reclaimed = spot + R"(, "reclaim": { "every": "5h", "away": "1h" })";
const std::string breaks = R"(, "node_faults": {})";
const std::string elastic = R"(, "elastic": { "min": 4, "resize": "5m" })";

TEST(AFaultAfterTheWork, IsNamedUnlessMachinesMayGoOrBeSlow) {
  const std::string late = R"(, "faults": [ { "at": "21h", "kind": "failure" } ])";
  const std::string move = R"(, "policies": { "p": [ { "rule": "alternatives",
      "fleets": ["b"], "after": "1h" } ] })";
  const std::string named = "W0402 /jobs/0/faults/0/at";
  const std::string outage = R"(, "outages": [ { "zone": "us-east-1a", "from": "2h",
      "until": "5h" } ])";
  EXPECT_THAT(of("", late), HasSubstr(named));
  EXPECT_THAT(of(falls, late), Not(HasSubstr(named)));
  EXPECT_THAT(of(reclaimed, late), Not(HasSubstr(named)));
  EXPECT_THAT(of(breaks, late), Not(HasSubstr(named)));
  EXPECT_THAT(of(R"(, "zone": "us-east-1a")", late, outage), Not(HasSubstr(named)));
  const std::string other = R"( }, { "name": "b", "instance_type": "gpu", "capacity": 8)";
  EXPECT_THAT(of(other + breaks, late), HasSubstr(named)) << "no rule sends it there";
  EXPECT_THAT(of(other + breaks, late, move), Not(HasSubstr(named)));
}

TEST(CapacityThatComesTooLate, IsNamedUnlessSomethingElseMayGiveMachines) {
  const std::string wait = R"(, "capacity_wait": "2h")";
  EXPECT_THAT(of(wait, ""), Not(HasSubstr("W0510")));
  EXPECT_THAT(of(R"(, "capacity_wait": "9d")", ""), HasSubstr("W0510 /fleet/0/capacity_wait"));
  EXPECT_THAT(of(R"(, "capacity_wait": { "exponential": "9d" })", ""), Not(HasSubstr("W0510")));
  EXPECT_THAT(of(wait + spot, R"(, "max_wait": "2h")"), HasSubstr("W0510 /jobs/0/max_wait"));
  EXPECT_THAT(of(wait + spot, R"(, "max_wait": "3h")"), Not(HasSubstr("W0510")));
}

TEST(ElasticWithoutEffect, IsNamedWhereNothingTakesSomeOfItsMachines) {
  const std::string idle = "W0476 /jobs/0/elastic\n";
  EXPECT_EQ(of("", elastic), idle) << "on demand without faults";
  EXPECT_EQ(of(reclaimed, elastic), idle) << "all are taken together";
  EXPECT_EQ(of(breaks, elastic), "");
  EXPECT_EQ(of(falls, elastic), "");
  EXPECT_EQ(of(spot + R"(, "availability": { "up": "9h", "down": "1h" })", elastic), "");
  const std::string lost = R"(, "faults": [ { "kind": "node_lost", "at": "2h", "hosts": [3] } ])";
  EXPECT_EQ(of("", elastic + lost), "");
}

TEST(ElasticWithoutEffect, IsNoGangThatBeginsSmallAndGrows) {
  const std::string all = R"(, "elastic": { "min": 8, "resize": "5m" })";
  EXPECT_EQ(of(breaks, all), "W0476 /jobs/0/elastic\n");
  EXPECT_EQ(of(breaks, all + R"(, "min_instances": 4)"), "");
  EXPECT_EQ(of("", elastic + R"(, "min_instances": 4)"), "");
}

TEST(ElasticWithoutEffect, IsNoGangThatRulesMayMoveToWhereMachinesBreak) {
  const std::string rules = R"(, "policies": { "p": [ { "rule": "alternatives",
    "fleets": ["other"] } ] })";
  const std::string other = R"( }, { "name": "other", "instance_type": "gpu", "capacity": 9 )";
  EXPECT_EQ(of(other, elastic, rules), "W0476 /jobs/0/elastic\n");
  EXPECT_EQ(of(other + breaks, elastic, rules), "");
}

TEST(CalmSpot, IsNamedWhereNothingTakesMachines) {
  EXPECT_EQ(of(spot, ""), "W0487 /fleet/0/market\n");
  EXPECT_EQ(of(reclaimed, ""), "");
  EXPECT_EQ(of(falls, ""), "");
  EXPECT_EQ(of(spot + breaks, ""), "") << "machines that break are gone";
  EXPECT_EQ(of(spot + R"(, "zone": "us-east-1a")", "",
               R"(, "outages": [ { "zone": "us-east-1a", "from": "1h", "to": "2h" } ])"),
            "");
}

TEST(CalmSpot, OfOneFleetIsNotSilencedByAnother) {
  const std::string two = spot + R"( }, { "name": "two", "instance_type": "gpu", "capacity": 1 )";
  const std::string interrupted =
      R"(, "faults": [ { "kind": "interruption", "at": "1h", "away": "1h" } ])";
  const std::string other = R"( }, { "name": "b", "work": "5h", "fleet": "two",
    "checkpoint": { "every": "1h" } )";
  EXPECT_EQ(of(two + spot, interrupted + other), "W0487 /fleet/1/market\n");
  EXPECT_EQ(of(two + spot, other + interrupted), "W0487 /fleet/0/market\n");
  EXPECT_EQ(of(two + spot, interrupted), "") << "no job runs in the other";
}

TEST(CalmSpot, IsAFleetThatRulesSendJobsTo) {
  const std::string two = R"( }, { "name": "two", "instance_type": "gpu", "capacity": 9 )" + spot;
  EXPECT_EQ(of(two, ""), "");
  EXPECT_EQ(of(two, "", R"(, "policies": { "p": [ { "rule": "market", "use": "spot" },
                                                  { "rule": "relaunch" } ] })"),
            "W0487 /fleet/1/market\n");
}

/// A clone that keeps its market goes to the first fleet of the type that it is sent to, and only
/// of jobs that its rule is told of.
TEST(CalmSpot, IsNoFleetThatNoCloneReaches) {
  const auto sent = [](const std::string& fleets, const std::string& rule) {
    return found(R"({ "reeve": 1, "clock": { "horizon": "9d" },
      "prices": { "instances": {
        "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 },
        "tb": { "usd_per_hour": 20, "spot_usd_per_hour": 5, "gpus": 8 } } },
      "platform": { "model": "ec2" },
      "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 9 },
                 { "name": "other", "instance_type": "tb", "capacity": 9 }, )" +
                 fleets + R"( ],
      "policies": { "p": [ { "rule": "resume", )" +
                 rule + R"( } ] },
      "jobs": [ { "name": "a", "work": "20h", "fleet": "pool", "tags": { "team": "x" },
        "checkpoint": { "every": "1h" } } ] })");
  };
  const std::string calm = R"({ "name": "calm", "instance_type": "tb", "capacity": 9,
                                "market": "spot" })";
  const std::string again = R"({ "name": "again", "instance_type": "tb", "capacity": 9,
                                 "market": "spot" })";
  const std::string type = R"("override": { "instance_type": "tb" })";
  const std::string to_spot = R"("override": { "instance_type": "tb", "market": "spot" })";
  const std::string named = "W0487 /fleet/2/market\n";
  EXPECT_THAT(sent(calm, type), Not(HasSubstr("W0487"))) << "it stays on demand";
  EXPECT_THAT(sent(calm, to_spot), HasSubstr(named));
  EXPECT_THAT(sent(calm + ", " + again, to_spot), Not(HasSubstr("W0487 /fleet/3")));
  EXPECT_THAT(sent(calm, to_spot + R"(, "scope": { "tags": ["team=y"] })"),
              Not(HasSubstr("W0487")));
  EXPECT_THAT(sent(calm, to_spot + R"(, "scope": { "tags": ["team=x"] })"), HasSubstr(named));
}

TEST(NothingKept, IsNamedOnSpotThatGoes) {
  const auto without = [](const std::string& fleet, const std::string& checkpoint) {
    const std::string other = R"( }, { "name": "b", "work": "5h", "fleet": "pool" )";
    return of(fleet, other + checkpoint);
  };
  EXPECT_EQ(without(falls, ""), "W0488 /jobs/1/fleet\n");
  EXPECT_EQ(without(falls, R"(, "checkpoint": { "every": "1h", "sync": "none" })"),
            "W0488 /jobs/1/checkpoint\n");
  EXPECT_EQ(without(falls, R"(, "checkpoint": { "every": "1h" })"), "");
  EXPECT_EQ(without(falls, R"(, "checkpoint": { "on_notice": { "save": "90s" } })"), "")
      << "it is saved when Spot warns";
  EXPECT_EQ(without("", ""), "") << "on demand";
  EXPECT_EQ(without(reclaimed, ""), "") << "5 h of work end before";
  EXPECT_EQ(of(reclaimed, R"( }, { "name": "b", "work": "6h", "fleet": "pool" )"),
            "W0488 /jobs/1/fleet\n");
  const std::string rising = spot + R"(, "availability": { "steps": [["0s", 6], ["2h", 8]] })";
  EXPECT_EQ(without(rising, ""), "");
}

TEST(NothingKept, IsSaidOnceOfAFleet) {
  EXPECT_EQ(of(falls, R"( }, { "name": "b", "work": "5h", "fleet": "pool"
                         }, { "name": "c", "work": "5h", "fleet": "pool" )"),
            "W0488 /jobs/1/fleet\n");
}

TEST(EndlessWait, IsNoGangThatGoesOnWithTheRest) {
  const std::string lost =
      R"(, "faults": [ { "kind": "node_lost", "at": "2h", "hosts": [3, 5] } ])";
  const std::string until_done = R"("horizon": "until_done")";
  const std::string refused = "E0235 /jobs/0/faults/0\n";
  EXPECT_EQ(of("", lost, "", until_done), refused);
  EXPECT_EQ(of("", lost + elastic, "", until_done), "");
  EXPECT_EQ(of("", lost + R"(, "elastic": { "min": 7, "resize": "5m" })", "", until_done), refused)
      << "6 are left";
  EXPECT_EQ(of("", lost + R"(, "min_instances": 5)" + elastic, "", until_done), refused)
      << "3 of 5 are left";
  EXPECT_EQ(of(falls, lost + elastic, "", until_done), refused) << "Spot may have taken some";
  EXPECT_EQ(of(falls, lost + R"(, "elastic": { "min": 1, "resize": "5m" })", "", until_done), "");
  EXPECT_EQ(of("", lost + R"(, "max_runtime": "3d")", "", until_done), "");
}

TEST(AlternativesWithoutEffect, AreNamed) {
  const auto rule = [](const std::string& options) {
    const std::string other = R"( }, { "name": "other", "instance_type": "gpu", "capacity": 9 )";
    return of(other, "",
              R"(, "policies": { "p": [ { "rule": "alternatives", )" + options + "} ] }");
  };
  EXPECT_EQ(rule(R"("fleets": ["other"])"), "");
  EXPECT_EQ(rule(R"("fleets": ["pool", "other"])"), "");
  EXPECT_EQ(rule(R"("fleets": ["pool"])"), "W0476 /policies/p/0/fleets\n");
  EXPECT_EQ(rule(R"("fleets": ["other"], "after": "9d")"), "W0476 /policies/p/0/after\n");
  EXPECT_EQ(rule(R"("fleets": ["other"], "after": "8d")"), "");
}

TEST(RelaunchWithoutEffect, IsNamedWhereThePlatformBringsMachinesBack) {
  const auto on = [](const std::string& platform, const std::string& market) {
    return found(R"({ "reeve": 1,
      "prices": { "instances": {
        "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
      "platform": { )" +
                 platform + R"( },
      "fleet": [ { "instance_type": "gpu", "capacity": 9 )" +
                 market + R"( } ],
      "jobs": [ { "name": "a", "work": "20h", "checkpoint": { "every": "1h" } } ],
      "policies": { "p": [ { "rule": "relaunch" } ] } })");
  };
  const std::string idle = "W0476 /policies/p/0/rule\n";
  EXPECT_EQ(on(R"("model": "sagemaker-training")", ""), idle);
  EXPECT_EQ(on(R"("model": "sagemaker-training")", reclaimed), idle);
  EXPECT_EQ(on(R"("model": "ec2")", ""), "") << "a request may find no machines";
  EXPECT_EQ(on(R"("model": "ec2", "spot_request": "persistent")", reclaimed), idle);
  EXPECT_EQ(on(R"("model": "ec2", "on_insufficient": "wait")", reclaimed), "") << "one-time";
  EXPECT_EQ(on(R"("model": "ec2", "on_insufficient": "wait")", ""), idle);
}

TEST(FallbackWithoutEffect, IsNamedWhereTheFirstLossEndsTheAttempt) {
  const auto on = [](const std::string& platform, const std::string& market,
                     const std::string& mode = "") {
    return found(R"({ "reeve": 1,
      "prices": { "instances": {
        "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
      "platform": { )" +
                 platform + R"( },
      "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 9 )" +
                 market + R"( }, { "name": "other", "instance_type": "gpu", "capacity": 9 } ],
      "jobs": [ { "name": "a", "fleet": "pool", "work": "20h",
        "checkpoint": { "every": "1h" } } ],
      "policies": { "p": [ { "rule": "spot_fallback" )" +
                 mode + " } ] } }");
  };
  const std::string idle = "W0476 /policies/p/0/rule\n";
  const std::string wait = R"(, "on_insufficient": "wait")";
  EXPECT_EQ(on(R"("model": "ec2")", reclaimed), idle);
  EXPECT_EQ(on(R"("model": "gcp")" + wait, reclaimed), idle) << "waiting is before the start only";
  EXPECT_EQ(on(R"("model": "ec2", "spot_request": "persistent")", reclaimed), "");
  EXPECT_EQ(on(R"("model": "sagemaker-training")", reclaimed), "");
  EXPECT_EQ(on(R"("model": "ec2")", ""), "") << "no fleet is on Spot";
  EXPECT_EQ(on(R"("model": "ec2")", reclaimed, R"(, "mode": "off")"), "");
}

TEST(ZoneNames, AreThoseOfAws) {
  const auto in = [](const std::string& zone) { return of(R"(, "zone": ")" + zone + "\"", ""); };
  for (const char* zone :
       {"us-east-1a", "us-west-2-lax-1a", "us-east-1-bos-1a", "us-east-1-wl1-bos-wlz-1",
        "ap-northeast-1-wl1-nrt-wlz-1", "us-gov-west-1b", "us-central1-a", "rack-7", "here"}) {
    EXPECT_EQ(in(zone), "") << zone;
  }
  for (const char* zone : {"us-east-1", "us-east-1z9", "us-esat-1a", "us-esat-1-wl1-bos-wlz-1",
                           "use1-az1", "usw2-lax1-az1", "usgw1-az2", "apne1-az4"}) {
    EXPECT_EQ(in(zone), "W0481 /fleet/0/zone\n") << zone;
  }
}

}  // namespace effects_test
}  // namespace reeve::scenarios
