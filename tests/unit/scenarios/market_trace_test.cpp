// Recorded markets are read exactly, and what a file leaves open is refused or told, never guessed.
#include "scenarios/records/market_trace.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/unit/scenarios/market_cases.hpp"

namespace reeve::scenarios {
namespace market_trace_test {

// ---- spot-traces

TEST(MarketTrace, CountsPerTickBecomeSteps) {
  const MarketTrace trace = offers(ticks("[4, 4, 0, 3, 3, 3]"), as(OfferFormat::spot_traces));
  EXPECT_EQ(trace.offers, (Offers{{0s, 4}, {20min, 0}, {30min, 3}}));
  EXPECT_EQ(trace.tick, 10min);
  EXPECT_EQ(trace.ticks, 6u);
  EXPECT_EQ(trace.length, 1h);
  EXPECT_TRUE(trace.prices.empty());
  EXPECT_EQ(told(trace), Codes{});
}

TEST(MarketTrace, BothConventionsReadTheSameBitsAsOpposites) {
  const std::string text = ticks("[0, 1, 1]");
  EXPECT_EQ(offers(text, as(OfferFormat::spot_traces, Convention::up)).offers,
            (Offers{{0s, 0}, {10min, 1}}));
  EXPECT_EQ(offers(text, as(OfferFormat::spot_traces, Convention::preempted)).offers,
            (Offers{{0s, 1}, {10min, 0}}));
}

TEST(MarketTrace, OneCountedMayStandForSeveralInstances) {
  OfferOptions options = as(OfferFormat::spot_traces, Convention::up);
  options.instances = 16;
  EXPECT_EQ(offers(ticks("[0, 1]"), options).offers, (Offers{{0s, 0}, {10min, 16}}));
  EXPECT_EQ(refused(ticks("[4294967295]"), options), "E0315 1:45+10");
}

TEST(MarketTrace, PricesBesideTheCountsAreRead) {
  const MarketTrace trace = offers(ticks("[4, 4, 4]", R"(, "prices": [1.5, 1.25, 1.2500])"),
                                   as(OfferFormat::spot_traces));
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(1.5)}, {10min, usd(1.25)}}));
}

TEST(MarketTrace, ZerosAndOnesWithoutAConventionAreRefused) {  // E0333
  const Diagnostic found = refusal(ticks("[0, 1]"), as(OfferFormat::spot_traces));
  EXPECT_EQ(place(found), "E0333 1:45+1");
  EXPECT_NE(found.help.find("\"preempted\""), std::string::npos);
  EXPECT_EQ(refused(ticks("[0, 0]"), as(OfferFormat::spot_traces)), "E0333 1:45+1");
}

TEST(MarketTrace, AConventionAgainstTheFileIsRefused) {  // E0333
  EXPECT_EQ(refused(ticks("[0]"), as(OfferFormat::skynomad, Convention::up)), "E0333 1:36+6");
  EXPECT_EQ(refused(R"({"a": {"gap_seconds": 1, "preempted": "0"}})",
                    as(OfferFormat::preempted_bits, Convention::up)),
            "E0333 1:26+11");
  EXPECT_EQ(refused("date,availability\n2023-01-01 00:00:00,1\n",
                    as(OfferFormat::date_availability, Convention::preempted)),
            "E0333 1:6+12");
  EXPECT_EQ(refused("t_s,instances\n0,1\n", as(OfferFormat::steps, Convention::preempted)),
            "E0333 1:5+9");
}

TEST(MarketTrace, ACountUnderPreemptedIsRefused) {  // E0334
  EXPECT_EQ(refused(ticks("[0, 1, 4]"), as(OfferFormat::spot_traces, Convention::preempted)),
            "E0334 1:51+1");
}

TEST(MarketTrace, CountsThatAreNoneAreRefused) {
  const OfferOptions options = as(OfferFormat::spot_traces);
  EXPECT_EQ(refused(ticks("[4, -1]"), options), "E0314 1:48+2");
  EXPECT_EQ(refused(ticks("[4, 1.5]"), options), "E0316 1:48+3");
  EXPECT_EQ(refused(ticks("[4, null]"), options), "E0120 1:48+4");
  EXPECT_EQ(refused(ticks("[4, 99999999999]"), options), "E0315 1:48+11");
  EXPECT_EQ(refused(ticks("[]"), options), "E0320 1:44+1");
}

TEST(MarketTrace, ATickIsWrittenInSecondsOrSaid) {
  const OfferOptions options = as(OfferFormat::spot_traces);
  EXPECT_EQ(refused(R"({"data": [4]})", options), "E0202 1:1+1");
  EXPECT_EQ(refused(R"({"gap_seconds": 195000, "data": [4]})", options), "E0332 1:17+6");
  EXPECT_EQ(refused(R"({"gap_seconds": 0, "data": [4]})", options), "E0315 1:17+1");
  EXPECT_EQ(refused(R"({"gap_secnds": 1, "dta": [4]})", options), "E0202 1:1+1");
  OfferOptions said = options;
  said.span.tick = 5min;
  EXPECT_EQ(offers(R"({"data": [4, 4]})", said).length, 10min);
  EXPECT_EQ(refused(ticks("[4]"), said), "E0332 1:30+3");  // the file says 600 s
}

TEST(MarketTrace, PricesForEveryTickOrNone) {  // E0338, W0312
  EXPECT_EQ(refused(ticks("[4, 4]", R"(, "prices": [1])"), as(OfferFormat::spot_traces)),
            "E0338 1:62+1");
  const MarketTrace trace =
      offers(ticks("[4, 4]", R"(, "prices": [1, 1, 2])"), as(OfferFormat::spot_traces));
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(1)}}));
  EXPECT_EQ(told(trace), Codes{"W0312"});
}

// ---- preempted-bits

TEST(MarketTrace, BitsOfPreemption) {
  const std::string text =
      R"({"us-west-2a": {"gap_seconds": 60, "preempted": "0110"},
          "us-west-2b": {"gap_seconds": 60, "preempted": "1"}})";
  OfferOptions options = as(OfferFormat::preempted_bits);
  options.series = "us-west-2a";
  const MarketTrace trace = offers(text, options);
  EXPECT_EQ(trace.offers, (Offers{{0s, 1}, {1min, 0}, {3min, 1}}));
  EXPECT_EQ(trace.length, 4min);
  options.series = "us-west-2c";  // E0336
  EXPECT_EQ(refused(text, options), "E0336 1:1+1");
  EXPECT_EQ(refusal(text, options).help, "did you mean \"us-west-2a\"?");
  options.series.clear();
  EXPECT_EQ(refusal(text, options).message, "the file has 2 series");
  EXPECT_EQ(refused(R"({"a": {"gap_seconds": 60, "preempted": "012"}})", options), "E0313 1:43+1");
}

// ---- skynomad

TEST(MarketTrace, SkynomadIsPreemptedAndPriced) {
  const std::string text =
      R"({"metadata": {"gap_seconds": 600, "price_info": {"price": 0.9423039537652546,
          "on_demand_price": 3.06}}, "data": [0, 1], "prices": [0.9423039537652546, 1]})";
  const MarketTrace trace = offers(text, as(OfferFormat::skynomad));
  EXPECT_EQ(trace.offers, (Offers{{0s, 1}, {10min, 0}}));
  EXPECT_EQ(trace.prices, (Prices{{0s, UsdPerHour{942'303'954}}, {10min, usd(1)}}));
  EXPECT_EQ(trace.on_demand, usd(3.06));
}

TEST(MarketTrace, SkynomadHasNoPriceFallback) {  // E0329
  EXPECT_EQ(refused(ticks("[0]", R"(, "prices": [1])"), as(OfferFormat::skynomad)), "E0329 1:1+1");
  EXPECT_EQ(
      refused(R"({"gap_seconds": 1, "price_info": {}, "data": [0]})", as(OfferFormat::skynomad)),
      "E0329 1:34+1");
  const MarketTrace trace = offers(R"({"gap_seconds": 1, "price_info": {"price": 2}, "data": [0]})",
                                   as(OfferFormat::skynomad));
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(2)}}));
}

// ---- csv

TEST(MarketTrace, StepsOfOffersAndPrices) {
  const MarketTrace trace = offers("t_s,instances,usd_per_hour\n0,3,1.5\n60,3,1.25\n90.5,0,1.25\n",
                                   as(OfferFormat::steps));
  EXPECT_EQ(trace.offers, (Offers{{0s, 3}, {90500ms, 0}}));
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(1.5)}, {60s, usd(1.25)}}));
  EXPECT_EQ(trace.length, 90500ms);
  EXPECT_EQ(told(trace), Codes{});
}

TEST(MarketTrace, StepsMayBeGivenTwiceButNotContradict) {  // W0311, E0331, E0330
  const OfferOptions options = as(OfferFormat::steps);
  const MarketTrace trace = offers("t_s,instances\n0,3\n0,3\n5,1\n5,1\n", options);
  EXPECT_EQ(trace.offers, (Offers{{0s, 3}, {5s, 1}}));
  EXPECT_EQ(told(trace), Codes{"W0311"});
  EXPECT_EQ(trace.warnings[0].message, "2 rows are duplicated");
  EXPECT_EQ(refused("t_s,instances\n0,3\n0,4\n", options), "E0331 3:1+1");
  const Diagnostic back = refusal("t_s,instances\n60,3\n5,4\n", options);
  EXPECT_EQ(place(back), "E0330 3:1+1");
  EXPECT_EQ(back.message, "times out of order: 5s after 1m");
  EXPECT_EQ(back.label, "line 2 is later");
}

TEST(MarketTrace, WhatStepsLeaveOpenIsTold) {  // W0312, W0301
  const MarketTrace trace =
      offers("t_s,instances,usd_per_hour,az\n60,3,,a\n90,1,2,a\n", as(OfferFormat::steps));
  EXPECT_EQ(trace.offers, (Offers{{0s, 3}, {90s, 1}}));
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(2)}}));
  EXPECT_EQ(told(trace), (Codes{"W0301", "W0312", "W0312"}));
}

TEST(MarketTrace, TimesSince1970AreNotTimesOfATrace) {  // E0332
  EXPECT_EQ(refused("t_s,instances\n1676498896000,3\n", as(OfferFormat::steps)), "E0332 2:1+13");
}

TEST(MarketTrace, EmptyTracesAreRefused) {  // E0320, E0321
  EXPECT_EQ(refused("", as(OfferFormat::steps)), "E0320 0:0+1");
  EXPECT_EQ(refused("t_s,instances\n", as(OfferFormat::steps)), "E0320 0:0+1");
  EXPECT_EQ(refused("t,instances\n", as(OfferFormat::steps)), "E0321 1:1+1");
  EXPECT_EQ(refused("", as(OfferFormat::node_log)), "E0320 0:0+1");
  EXPECT_EQ(refused("time_ms,count\n", as(OfferFormat::count_log)), "E0320 0:0+1");
  EXPECT_EQ(refused("date,availability\n", as(OfferFormat::date_availability)), "E0320 0:0+1");
  EXPECT_EQ(refused("date,up\n", as(OfferFormat::date_availability)), "E0321 1:1+4");
}

// ---- date-availability

constexpr const char* samples =
    "date,availability\n"
    "2023-02-28 23:59:00,1\n"
    "2023-03-01 00:02:00,1\n"
    "2023-03-01 00:05:10,0\n"
    "2023-03-01 00:08:10,1\n";

TEST(MarketTrace, SamplesAreCountedByTheirUsualDistance) {
  const MarketTrace trace = offers(samples, as(OfferFormat::date_availability));
  EXPECT_EQ(trace.offers, (Offers{{0s, 1}, {6min, 0}, {9min, 1}}));
  EXPECT_EQ(trace.tick, 3min);
  EXPECT_EQ(trace.ticks, 4u);
  EXPECT_EQ(trace.length, 12min);
  EXPECT_EQ(trace.begins, std::chrono::sys_days{std::chrono::year{2023} / 2 / 28} + 23h + 59min);
}

TEST(MarketTrace, SamplesMayKeepTheirWrittenTimes) {
  OfferOptions options = as(OfferFormat::date_availability);
  options.sample_times = SampleTimes::written;
  const MarketTrace trace = offers(samples, options);
  EXPECT_EQ(trace.offers, (Offers{{0s, 1}, {370s, 0}, {550s, 1}}));
  EXPECT_EQ(trace.length, 550s + 3min);
}

TEST(MarketTrace, TheNameOfTheColumnIsTheConvention) {
  EXPECT_EQ(offers("date,preempted\n2023-02-28 23:59:00,1\n2023-02-28 23:59:30,0\n",
                   as(OfferFormat::date_availability))
                .offers,
            (Offers{{0s, 0}, {30s, 1}}));
  EXPECT_EQ(refused("date,availability,preempted\n", as(OfferFormat::date_availability)),
            "E0333 1:1+4");
}

TEST(MarketTrace, GapsInSamplesAreTold) {  // W0310
  const std::string gap = std::string{samples} + "2023-03-01 01:08:10,1\n";
  const MarketTrace trace = offers(gap, as(OfferFormat::date_availability));
  EXPECT_EQ(told(trace), Codes{"W0310"});
  EXPECT_EQ(trace.warnings[0].message, "1 gap in the samples, the longest 1h instead of 3m");
  EXPECT_EQ(place(trace.warnings[0]), "W0310 6:1+19");
  EXPECT_TRUE(trace.warnings[0].excerpt) << "with a caret";
  EXPECT_EQ(trace.length, 15min);
}

TEST(MarketTrace, DatesThatCannotBe) {
  const OfferOptions options = as(OfferFormat::date_availability);
  EXPECT_EQ(refused("date,availability\n2023-02-30 00:00:00,1\n", options), "E0137 2:1+19");
  EXPECT_EQ(refused("date,availability\n1023-02-20 00:00:00,1\n", options).substr(0, 5), "E0137");
  EXPECT_EQ(refused("date,availability\n2150-02-20 00:00:00,1\n", options), "E0332 2:1+19");
  EXPECT_EQ(refused(std::string{samples} + "2023-02-28 23:59:00,1\n", options), "E0330 6:1+19");
  EXPECT_EQ(refused(std::string{samples} + "2023-03-01 00:08:10,0\n", options), "E0331 6:1+19");
  EXPECT_EQ(told(offers(std::string{samples} + "2023-03-01 00:08:10,1\n", options)),
            Codes{"W0311"});
}

TEST(MarketTrace, DatesMayCarryTheirOffset) {
  const MarketTrace trace =
      offers("date,availability\n2023-03-01T01:00:00+01:00,2\n2023-03-01T00:00:30.5Z,1\n",
             as(OfferFormat::date_availability));
  EXPECT_EQ(trace.offers, (Offers{{0s, 2}, {30500ms, 1}}));
}

// ---- node log

TEST(MarketTrace, NodesComeAndGo) {
  const MarketTrace trace =
      offers("0,add,node1\n0,add,node2\n60000,remove,node1\n90000,add,node3\n90000,remove,node2\n",
             as(OfferFormat::node_log));
  EXPECT_EQ(trace.offers, (Offers{{0s, 2}, {60s, 1}}));
  EXPECT_EQ(trace.length, 90s);
  EXPECT_EQ(told(trace), Codes{"W0492"});
}

TEST(MarketTrace, WhatANodeLogLeavesOpenIsTold) {  // W0313, W0492, W0311
  const MarketTrace trace =
      offers("480000,add,a\n490000,add,a\n490000,add,b\n500000,remove,b\n500000,remove,b\n",
             as(OfferFormat::node_log));
  EXPECT_EQ(trace.offers, (Offers{{0s, 0}, {480s, 1}, {490s, 2}, {500s, 1}}));
  EXPECT_EQ(told(trace), (Codes{"W0313", "W0492", "W0311"}));
}

TEST(MarketTrace, NodesThatCannotGo) {  // E0339
  const OfferOptions options = as(OfferFormat::node_log);
  const Diagnostic found = refusal("0,add,node1\n5,remove,nod1\n", options);
  EXPECT_EQ(place(found), "E0339 2:10+4");
  EXPECT_EQ(found.help, "did you mean \"node1\"?");
  EXPECT_EQ(refused("0,add,a\n5,remove,a\n6,remove,a\n", options), "E0339 3:10+1");
  EXPECT_EQ(refused("0,add,a\n5,removed,a\n", options), "E0204 2:3+7");
  EXPECT_EQ(refused("0,add,a\n5,remove\n", options), "E0312 2:9+1");
  EXPECT_EQ(refused("9,add,a\n5,remove,a\n", options), "E0330 2:1+1");
}

TEST(MarketTrace, ALogNamesItsUnitOfTime) {  // E0332
  OfferOptions options = as(OfferFormat::count_log);
  EXPECT_EQ(offers("0,8\n1500,9\n", options).offers, (Offers{{0s, 8}, {1500ms, 9}}));
  EXPECT_EQ(offers("time_s,count\n0,8\n5,9\n", options).offers, (Offers{{0s, 8}, {5s, 9}}));
  EXPECT_EQ(offers("time_h,count\n0,8\n0.5,9\n", options).offers, (Offers{{0s, 8}, {30min, 9}}));
  EXPECT_EQ(refused("0.000,8\n0.500,9\n", options), "E0332 1:1+5");
  EXPECT_EQ(refused("time,count\n0,8\n", options), "E0321 1:1+4");
  options.unit = StampUnit::hours;
  EXPECT_EQ(offers("0.000,8\n0.500,9\n", options).offers, (Offers{{0s, 8}, {30min, 9}}));
  EXPECT_EQ(refused("time_s,count\n0,8\n", options), "E0332 1:1+6");
}

// ---- count log

TEST(MarketTrace, OfSeveralCountsAtOneTimeTheLastHolds) {
  const MarketTrace trace = offers("0,1\n0,2\n0,3\n21529,3\n21529,4\n", as(OfferFormat::count_log));
  EXPECT_EQ(trace.offers, (Offers{{0s, 3}, {21529ms, 4}}));
}

TEST(MarketTrace, CountsWithDates) {  // E0330, W0310
  const std::string text =
      "2021-12-10, 13:07:45, 80\n2021-12-10, 13:08:45, 80\n2021-12-10, 13:09:45, 80\n";
  OfferOptions options = as(OfferFormat::count_log);
  const MarketTrace trace = offers(text + "2021-12-11, 13:09:45, 70\n", options);
  EXPECT_EQ(trace.offers, (Offers{{0s, 80}, {24h + 2min, 70}}));
  ASSERT_EQ(told(trace), Codes{"W0310"});
  EXPECT_EQ(place(trace.warnings[0]), "W0310 4:12+9") << "under the time, not the date";
  const std::string back = text + "2021-12-10, 13:08:15, 70\n2021-12-10, 13:10:45, 60\n";
  EXPECT_EQ(refused(back, options), "E0330 4:12+9");
  options.later_rows_win = true;
  EXPECT_EQ(offers(back, options).offers, (Offers{{0s, 80}, {30s, 70}, {3min, 60}}));
}

}  // namespace market_trace_test
}  // namespace reeve::scenarios
