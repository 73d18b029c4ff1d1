// What is said of recorded markets.
#include <array>

#include "scenarios/records/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array market_rows = std::to_array<ErrorCode>({
    {"E0329", "a market without a price", "reeve does not invent a missing price.",
     "a skynomad trace without price_info", "a trace with prices"},
    {"E0333", "an unclear meaning of 0 and 1",
     "In half of the published traces 1 is an available instance, in the others a lost one. The "
     "file does not say which, or contradicts `convention`.",
     "\"format\": \"spot-traces\"", "\"format\": \"spot-traces\", \"convention\": \"up\""},
    {"E0334", "a count where only 0 and 1 are allowed", "With \"preempted\", values are 0 or 1.",
     "[0, 1, 4] with \"convention\": \"preempted\"", "\"convention\": \"up\""},
    {"E0336", "an unknown series",
     "The file has no prices or offers of this name, or it has several and the scenario names "
     "none.",
     "\"zone\": \"us-east-1\"", "\"zone\": \"us-east-1a\""},
    {"E0337", "an invalid price", "Prices are above 0. Omit unknown prices.", "0", "0.918"},
    {"E0338", "fewer prices than ticks",
     "A series of prices per tick needs one price for each tick.",
     "\"data\": [1, 1], \"prices\": [0.9]", "\"prices\": [0.9, 0.9]"},
    {"E0339", "removal of an unknown node", "The log removes a node that is not present.",
     "0,add,node1 and then 5,remove,nod1", "5,remove,node1"},
    {"W0312", "an incomplete trace",
     "It begins late, lacks some prices, or has unused prices; the message states the assumption.",
     "a first row at 60 seconds", "a row at 0"},
    {"W0313", "a log that begins late",
     "A node log lists additions and removals, not the initial nodes. reeve assumes none before "
     "its start.",
     "480000,add,node1 first", "0,add,node1 for the initial nodes"},
    {"W0314", "prices out of order",
     "They are neither oldest nor newest first; reeve sorts them by time.", "06:00, 12:00, 09:00",
     "06:00, 09:00, 12:00"},
    {"W0321", "a trace shorter than the run", "reeve assumes its last value from then on.",
     "a trace of 13 days, a horizon of 30", "a longer trace or a shorter horizon"},
    {"W0322", "a trace whose length differs from the stated length",
     "Its samples and their interval give another length than its authors state.",
     "\"13d\" of 3,895 samples every 600 s", "27.05 days"},
    {"W0323", "a trace whose dates include the start of the clock",
     "reeve reads a trace from its first value, whatever its dates, unless `from` gives a date. "
     "That may not be intended.",
     "a trace of 2026-03-31 to 2026-05-01, a clock from 2026-04-01",
     "\"from\": \"2026-04-01T00:00:00Z\""},
    {"W0485", "dates with and without an offset",
     "Some dates of the file have an offset from UTC, others do not. reeve reads the latter as "
     "UTC.",
     "2026-04-01T00:00:00 and 2026-04-02T00:00:00-04:00", "2026-04-01T00:00:00-04:00 and so on"},
    {"W0491", "dates far from the start of the clock",
     "The record's dates all lie more than 180 days before the clock starts, or after it. reeve "
     "reads the record from its first value, at the start of the clock.",
     "a record of 2020, \"start\": \"2026-04-01T00:00:00Z\"",
     "\"from\": \"2020-04-01T00:00:00Z\", if that is intended"},
    {"W0492", "times without a unit",
     "A log of nodes or counts without a header line is read as milliseconds, as in the published "
     "logs.",
     "3600,7", "time_s,count"},
});

}  // namespace

std::span<const ErrorCode> market_errors() {
  return market_rows;
}

}  // namespace reeve::scenarios
