// What is said of fleets, markets, prices and the bill.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array fleet_rows = std::to_array<ErrorCode>({
    {"E0203", "an unknown instance type",
     "Every instance type needs a price: `prices.instances` lists them by name.",
     "\"instance_type\": \"ml.demo.8gpuu\"", "\"instance_type\": \"ml.demo.8gpu\""},
    {"E0207", "a type that is not offered managed",
     "SageMaker training does not have this type, or has it by a name that begins with \"ml.\".",
     "\"instance_type\": \"dl1.24xlarge\"", "\"instance_type\": \"ml.p4d.24xlarge\""},
    {"E0231", "a bill too large to be counted",
     "Money is exact to the micro-dollar, which ends at 9.2 million million dollars.",
     "\"capacity\": 100000000, \"horizon\": \"36500d\"", "\"capacity\": 1000"},
    {"E0232", "a fleet of Spot without a Spot price",
     "What Spot costs is never guessed from the on-demand price.", "\"market\": \"spot\"",
     "\"spot_usd_per_hour\": 9.00 beside \"usd_per_hour\""},
    {"E0236", "a correlation that cannot be",
     "Two of three always agree in part, so all three cannot be opposites. The matrix of "
     "correlations is symmetric and positive definite.",
     "\"correlation\": -0.9 of three fleets", "\"correlation\": 0.5"},
    {"E0237", "more shocks than losses",
     "An exponential \"up\" is the mean time to a loss of any kind, shocks included.",
     "\"up\": { \"exponential\": \"10h\" } and one shock an hour that hits every second time",
     "\"per_hour\": 0.1"},
    {"E0238", "zones that are not the fleet",
     "Every instance of a fleet stands in one of its zones.",
     "\"capacity\": 4, \"zones\": { \"us-east-1a\": 2 }",
     "\"zones\": { \"us-east-1a\": 2, \"us-east-1b\": 2 }"},
    {"E0244", "shocks of nobody",
     "Shocks hit fleets of their region whose availability is drawn; recorded ones have theirs "
     "in the record.",
     "\"region\": \"us-east-2\" and fleets of us-east-1", "\"region\": \"us-east-1\""},
    {"E0265", "a record too short to be repeated",
     "Spot does not turn more often than once a second; a record that is repeated would do so "
     "for as long as the clock runs.",
     "\"trace\": \"two-microseconds.csv\", \"after_end\": \"repeat\"", "\"after_end\": \"hold\""},
    {"E0270", "a fault of a machine that does not exist", "Machines count from 1 to the capacity.",
     "\"capacity\": 8, \"node_faults\": { \"down\": [ { \"machine\": 9, ... } ] }",
     "\"machine\": 8"},
    {"E0271", "too many machines that break", "Each has a clock of its own: at most 1,000,000.",
     "\"capacity\": 100000000, \"node_faults\": {}", "\"capacity\": 1000"},
    {"E0272", "jobs that wait for a broken machine for ever",
     "A hang that nobody sees, or a gang of one's own that lacks a machine, ends by a limit, a "
     "watchdog or the horizon. Without any of them the bill would have no end.",
     "\"horizon\": \"until_done\", \"node_faults\": {}, no \"max_runtime\"",
     "\"max_runtime\": \"3d\"; where only hangs are endless, \"node_faults\": { \"hangs\": 0 }"},
    {"E0323", "more runs than windows", "Each run meets a window of its own.",
     "\"runs\": 2000 and a file of 1,000 windows", "\"runs\": 1000"},
    {"E0324", "a window that is no part of the record",
     "It has at least one tick, and all of its ticks are recorded.",
     "start_index 3800, len 200 of 3,895 ticks", "len 95"},
    {"E0340", "no such price book",
     "`reeve prices list` shows the books there are; a file ends in .csv and is looked for "
     "relative to the scenario.",
     "\"book\": \"aws-us-east1\"", "\"book\": \"aws-us-east-1\""},
    {"E0346", "prices of the future",
     "The book is read as of a day on which the scenario has not begun.",
     "\"book\": \"aws-us-east-1@2026-11-01\" with a clock that starts on 2026-05-22",
     "\"book\": \"aws-us-east-1@2026-05-22\""},
    {"E0347", "a day before the first price",
     "The book knows the type, but not what it cost then; no price is guessed.",
     "p5.48xlarge in 2022", "a clock that starts later, or the price in prices.instances"},
    {"W0410", "a price that nothing uses", "No fleet has instances of this type.",
     "a type in \"instances\" and no fleet of it", "a fleet of the type, or no such type"},
    {"W0420", "a stale price",
     "For more than 180 days before the clock starts nobody is known to have looked at the "
     "price; lists change.",
     "\"book\": \"aws-us-east-1@2024-01-01\" with a clock that starts in 2026",
     "\"book\": \"aws-us-east-1\""},
    {"W0424", "a price stated here and in the book",
     "Inline prices win; each is named so that none wins unseen.",
     "\"book\": \"aws-us-east-1\", \"instances\": { \"p5.48xlarge\": {} }", "one of the two"},
    {"W0426", "a trace smaller than its fleet",
     "It never offers as many instances as the fleet has. Most traces count to one: whether the "
     "machines that were asked for could be had.",
     "\"capacity\": 16 and a trace of 0 and 1", "\"instances\": 16"},
    {"W0427", "an estimate", "A preset stands for numbers that nobody recorded for this fleet.",
     "\"preset\": \"scarce\"", "\"trace\": \"us-east-1a.json.gz\""},
    {"W0470", "a warning after the loss",
     "Machines of a capacity block go `ends_early` before its end; what is told later helps "
     "nobody.",
     "\"ends_early\": \"30m\", \"end_warning\": \"10m\"", "\"end_warning\": \"40m\""},
    {"W0480", "prices of another region",
     "A price book is of one region, and the fleet says that it stands in another.",
     "\"book\": \"aws-us-east-1\", \"zone\": \"eu-west-1a\"", "\"zone\": \"us-east-1a\""},
    {"W0482", "two records of one price",
     "The record of `availability` has prices, and `price_trace` is another record; it counts.",
     "\"availability\" with prices, and \"price_trace\"", "one of the two"},
    {"W0489", "a price that changes while the clock runs",
     "A fleet pays the price of the book's day all along; the book has a newer row before the "
     "horizon, or without one before jobs may all be done (the last submission, the longest job, "
     "and all work shared among the machines).",
     "\"book\": \"aws-us-east-1\", \"start\": \"2025-06-20T00:00:00Z\", \"horizon\": \"60d\"",
     "\"horizon\": \"3d\""},
    {"W0490", "one record under both conventions",
     "Two fleets read one file, and what is an instance for the one is none for the other. A "
     "file has one convention: one of the two is wrong.",
     "\"convention\": \"up\", then \"convention\": \"preempted\"", "the same for both fleets"},
    {"W0494", "a window without machines",
     "The machines of a capacity block go `ends_early` before its window ends: in one that is no "
     "longer no job ever runs, and it is paid for.",
     "\"windows\": [[\"10h\", \"10h20m\"]]", "\"windows\": [[\"10h\", \"34h\"]]"},
    {"W0496", "a price above any list",
     "No machine on a public list costs more than $10,000 an hour; price books refuse it "
     "(E0280).",
     "\"usd_per_hour\": 32770 for $32.77", "\"usd_per_hour\": 32.77"},
    {"W0497", "a record of more machines than the fleet has",
     "A fleet never gets more than its `capacity`: what the record has above is cut off.",
     "12 in the record, \"capacity\": 8", "\"capacity\": 12"},
    {"W0511", "shocks that are not looked at",
     "A fleet that is up looks at 2,000,000 shocks in a row, and if all of them miss it at no "
     "more until it was down: with so many of which so few hit, some losses do not come.",
     "\"per_hour\": 1000, \"hit\": 1e-7, a year", "\"per_hour\": 0.0001, \"hit\": 1"},
});

}  // namespace

std::span<const ErrorCode> fleet_errors() {
  return fleet_rows;
}

}  // namespace reeve::scenarios
