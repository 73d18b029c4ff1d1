#include "glob.hpp"
#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace allowed_types_test {

constexpr JobId kJob{0};

/// Stops of a job on the type, when it starts.
std::size_t stops(const std::string& options, const std::string& type) {
  RuleBench bench{"allowed_types", options};
  bench.directory.types[0].name = type;
  bench.at(0s, {submitted(kJob)});
  EXPECT_EQ(bench.at(1s, {changed(kJob, 1, Secondary::pending)}).count<StopJob>(), 0U);
  return bench.at(2s, {changed(kJob, 2, Secondary::starting)}).count<StopJob>();
}

TEST(AllowedTypes, WhatIsNotNamedIsStopped) {
  const std::string g5 = R"({"allow": ["ml.g5.*", "ml.p4d.24xlarge"]})";
  EXPECT_EQ(stops(g5, "ml.g5.xlarge"), 0U);
  EXPECT_EQ(stops(g5, "ml.p4d.24xlarge"), 0U);
  EXPECT_EQ(stops(g5, "ml.g5g.xlarge"), 1U);
  EXPECT_EQ(stops(g5, "ml.p5.48xlarge"), 1U);
}

TEST(AllowedTypes, DenyingWinsOverAllowing) {
  const std::string p = R"({"allow": ["ml.p*"], "deny": ["ml.p5*"]})";
  EXPECT_EQ(stops(p, "ml.p4d.24xlarge"), 0U);
  EXPECT_EQ(stops(p, "ml.p5e.48xlarge"), 1U);
  EXPECT_EQ(stops(p, "ml.g5.xlarge"), 1U);
}

TEST(AllowedTypes, OnlyTellsWhereItIsToTell) {
  RuleBench bench{"allowed_types", R"({"allow": ["*"], "deny": ["*"], "action": "notify"})"};
  bench.at(0s, {submitted(kJob)});
  const auto wishes = bench.at(2s, {changed(kJob, 2, Secondary::starting)});
  EXPECT_EQ(wishes.count<Notify>(), 1U);
  EXPECT_EQ(wishes.count<StopJob>(), 0U);
}

TEST(AllowedTypes, ARuleThatCouldNeverActIsToldAtLoad) {
  const auto problem = [](const char* options) {
    return find_kind("allowed_types")->check(options_of("allowed_types", options)).option;
  };
  EXPECT_EQ(problem(R"({"allow": ["*"]})"), "allow");
  EXPECT_EQ(problem(R"({"allow": []})"), "allow");
  EXPECT_EQ(problem(R"({"allow": ["ml.*"]})"), "");
  EXPECT_EQ(problem(R"({"allow": ["*"], "deny": ["ml.p5*"]})"), "");
}

TEST(Glob, StarsStandForAnyText) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*c*e", "abcde"));
  EXPECT_TRUE(matches_glob("a*c", "acbc"));
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_TRUE(matches_glob("***", "x"));
  EXPECT_FALSE(matches_glob("", "x"));
  EXPECT_FALSE(matches_glob("a?c", "ac"));
  EXPECT_FALSE(matches_glob("a*c", "acb"));
  EXPECT_FALSE(matches_glob("A*", "abc"));
}

}  // namespace allowed_types_test
}  // namespace reeve::policies
