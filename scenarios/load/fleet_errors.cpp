// What is said of fleets, markets, prices and the bill.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array fleet_rows = std::to_array<ErrorCode>({
    {"E0203", "an unknown instance type",
     "Every instance type needs a price; `prices.instances` lists prices by type.",
     "\"instance_type\": \"ml.demo.8gpuu\"", "\"instance_type\": \"ml.demo.8gpu\""},
    {"E0207", "an instance type that SageMaker training does not offer",
     "SageMaker training does not offer this type, or its name there begins with \"ml.\".",
     "\"instance_type\": \"dl1.24xlarge\"", "\"instance_type\": \"ml.p4d.24xlarge\""},
    {"E0231", "a bill that exceeds the range of amounts",
     "Amounts are exact to the micro-dollar, up to 9.2 trillion dollars.",
     "\"capacity\": 100000000, \"horizon\": \"36500d\"", "\"capacity\": 1000"},
    {"E0232", "a Spot fleet without a Spot price",
     "reeve does not guess the Spot price from the on-demand price.", "\"market\": \"spot\"",
     "\"spot_usd_per_hour\": 9.00 beside \"usd_per_hour\""},
    {"E0236", "an impossible correlation",
     "Three fleets cannot all be opposites of each other. The correlation matrix must be symmetric "
     "and positive definite.",
     "\"correlation\": -0.9 of three fleets", "\"correlation\": 0.5"},
    {"E0237", "more shocks than losses",
     "An exponential \"up\" is the mean time to any loss, including losses to shocks.",
     "\"up\": { \"exponential\": \"10h\" } and one shock an hour that hits every second time",
     "\"per_hour\": 0.1"},
    {"E0238", "zones whose instances do not sum to the capacity",
     "Every instance of a fleet is in exactly one of its zones.",
     "\"capacity\": 4, \"zones\": { \"us-east-1a\": 2 }",
     "\"zones\": { \"us-east-1a\": 2, \"us-east-1b\": 2 }"},
    {"E0244", "shocks that hit no fleet",
     "Shocks hit fleets of their region whose availability is drawn. Recorded availability already "
     "includes shocks.",
     "\"region\": \"us-east-2\" and fleets of us-east-1", "\"region\": \"us-east-1\""},
    {"E0265", "a record too short to repeat",
     "Spot may change at most once per second on average. If this record repeats, it exceeds that "
     "rate.",
     "\"trace\": \"two-microseconds.csv\", \"after_end\": \"repeat\"", "\"after_end\": \"hold\""},
    {"E0270", "a fault of an instance that does not exist",
     "`machine` counts from 1 to the capacity.",
     "\"capacity\": 8, \"node_faults\": { \"down\": [ { \"machine\": 9, ... } ] }",
     "\"machine\": 8"},
    {"E0271", "too many instances with faults",
     "Each instance has its own fault clock. The limit is 1,000,000.",
     "\"capacity\": 100000000, \"node_faults\": {}", "\"capacity\": 1000"},
    {"E0272", "jobs that wait for a broken instance forever",
     "An undetected hang, or a self-managed gang that lacks an instance, needs a limit, a watchdog "
     "or a horizon. Without any of them the bill is unbounded.",
     "\"horizon\": \"until_done\", \"node_faults\": {}, no \"max_runtime\"",
     "\"max_runtime\": \"3d\"; where only hangs are endless, \"node_faults\": { \"hangs\": 0 }"},
    {"E0323", "more runs than windows", "Each run uses its own window.",
     "\"runs\": 2000 and a file of 1,000 windows", "\"runs\": 1000"},
    {"E0324", "a window outside the record",
     "A window has at least one tick, and the record covers all of its ticks.",
     "start_index 3800, len 200 of 3,895 ticks", "len 95"},
    {"E0340", "no such price book",
     "`reeve prices list` shows the books. The name of a book file ends in .csv, and its path is "
     "relative to the scenario.",
     "\"book\": \"aws-us-east1\"", "\"book\": \"aws-us-east-1\""},
    {"E0346", "prices dated after the start of the clock",
     "The date of the book is after the day on which the scenario starts.",
     "\"book\": \"aws-us-east-1@2026-11-01\" with a clock that starts on 2026-05-22",
     "\"book\": \"aws-us-east-1@2026-05-22\""},
    {"E0347", "a day before the first price",
     "The book has this type, but no price for that day. reeve does not guess one.",
     "p5.48xlarge in 2022", "a clock that starts later, or the price in prices.instances"},
    {"W0410", "an unused price", "No fleet has instances of this type.",
     "a type in \"instances\" and no fleet of it", "a fleet of the type, or no such type"},
    {"W0420", "a stale price",
     "The price was last verified more than 180 days before the clock starts. Prices change.",
     "\"book\": \"aws-us-east-1@2024-01-01\" with a clock that starts in 2026",
     "\"book\": \"aws-us-east-1\""},
    {"W0424", "a price stated here and in the book",
     "Inline prices override the book. A warning names each of them.",
     "\"book\": \"aws-us-east-1\", \"instances\": { \"p5.48xlarge\": {} }", "one of the two"},
    {"W0426", "a trace smaller than its fleet",
     "It never offers as many instances as the fleet has. Most traces count to 1: whether the "
     "requested instances were available.",
     "\"capacity\": 16 and a trace of 0 and 1", "\"instances\": 16"},
    {"W0427", "a preset instead of recorded numbers",
     "A preset has numbers that were not recorded for this fleet.", "\"preset\": \"scarce\"",
     "\"trace\": \"us-east-1a.json.gz\""},
    {"W0470", "a warning after the loss",
     "Instances of a capacity block go `ends_early` before its end. This warning comes later.",
     "\"ends_early\": \"30m\", \"end_warning\": \"10m\"", "\"end_warning\": \"40m\""},
    {"W0480", "prices of another region",
     "A price book covers one region, and the fleet is in another.",
     "\"book\": \"aws-us-east-1\", \"zone\": \"eu-west-1a\"", "\"zone\": \"us-east-1a\""},
    {"W0482", "two records of one price",
     "The record of `availability` has prices, and `price_trace` is another record, which takes "
     "effect.",
     "\"availability\" with prices, and \"price_trace\"", "one of the two"},
    {"W0489", "a price that changes while the clock runs",
     "A fleet pays the price of the book's day for the whole run, but the book has a newer row "
     "before the horizon. Without a horizon, reeve estimates the end from the last submission, the "
     "longest job, and all work divided among the instances.",
     "\"book\": \"aws-us-east-1\", \"start\": \"2025-06-20T00:00:00Z\", \"horizon\": \"60d\"",
     "\"horizon\": \"3d\""},
    {"W0490", "one record under both conventions",
     "Two fleets read one file with opposite conventions. A file has one convention, so one of the "
     "two is wrong.",
     "\"convention\": \"up\", then \"convention\": \"preempted\"", "the same for both fleets"},
    {"W0494", "a window without instances",
     "The instances of a capacity block go `ends_early` before its window ends. In a window that "
     "is no longer than that, no job runs, but the window is billed.",
     "\"windows\": [[\"10h\", \"10h20m\"]]", "\"windows\": [[\"10h\", \"34h\"]]"},
    {"W0496", "a price above any list price",
     "No instance on a public list costs more than $10,000 an hour; price books refuse it (E0280).",
     "\"usd_per_hour\": 32770 for $32.77", "\"usd_per_hour\": 32.77"},
    {"W0497", "a record of more instances than the fleet has",
     "A fleet never gets more than its `capacity`. reeve ignores the excess in the record.",
     "12 in the record, \"capacity\": 8", "\"capacity\": 12"},
    {"W0511", "shocks that reeve does not evaluate",
     "A fleet that is up evaluates 2,000,000 shocks in a row. If all miss it, it evaluates no more "
     "until it was down. With very many shocks that rarely hit, some losses do not occur.",
     "\"per_hour\": 1000, \"hit\": 1e-7, a year", "\"per_hour\": 0.0001, \"hit\": 1"},
});

}  // namespace

std::span<const ErrorCode> fleet_errors() {
  return fleet_rows;
}

}  // namespace reeve::scenarios
