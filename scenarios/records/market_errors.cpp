// What is said of recorded markets.
#include <array>

#include "scenarios/records/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array market_rows = std::to_array<ErrorCode>({
    {"E0329", "a market without a price", "No price is made up where none is known.",
     "a skynomad trace without price_info", "a trace with prices"},
    {"E0333", "0 and 1 that are not explained",
     "In half of the published traces 1 is an instance that could be had, in the others one that "
     "was lost. The file does not tell, or tells the opposite of `convention`.",
     "\"format\": \"spot-traces\"", "\"format\": \"spot-traces\", \"convention\": \"up\""},
    {"E0334", "a count among lost and not lost", "Under \"preempted\" there are only 0 and 1.",
     "[0, 1, 4] with \"convention\": \"preempted\"", "\"convention\": \"up\""},
    {"E0336", "an unknown series",
     "The file has no prices or offers of this name, or has several and none is named.",
     "\"zone\": \"us-east-1\"", "\"zone\": \"us-east-1a\""},
    {"E0337", "a price that is none", "Prices are above 0; what is not known is left out.", "0",
     "0.918"},
    {"E0338", "fewer prices than ticks", "Where prices go by ticks, each tick has one.",
     "\"data\": [1, 1], \"prices\": [0.9]", "\"prices\": [0.9, 0.9]"},
    {"E0339", "a node that cannot go", "A node is removed that is not there.",
     "0,add,node1 and then 5,remove,nod1", "5,remove,node1"},
    {"W0312", "a trace that tells a part",
     "It begins late, lacks some prices, or has prices without a use; the message says what is "
     "assumed.",
     "a first row at 60 seconds", "a row at 0"},
    {"W0313", "a log that begins late",
     "A log of nodes says who comes and goes, not who was there: before it nobody is assumed.",
     "480000,add,node1 first", "0,add,node1 for those that were there"},
    {"W0314", "prices out of order", "Neither oldest nor newest first; they are sorted by time.",
     "06:00, 12:00, 09:00", "06:00, 09:00, 12:00"},
    {"W0321", "a trace that ends before the clock", "Its last value is assumed from then on.",
     "a trace of 13 days, a clock of 30", "a longer trace or an earlier end"},
    {"W0322", "a trace of another length than stated",
     "Its samples and their distance give another length than its authors do.",
     "\"13d\" of 3,895 samples every 600 s", "27.05 days"},
    {"W0323", "a trace with dates that the clock starts among",
     "A trace is read from its first value, whatever its dates, unless `from` says a date. Here "
     "that may not be what is meant.",
     "a trace of 2026-03-31 to 2026-05-01, a clock from 2026-04-01",
     "\"from\": \"2026-04-01T00:00:00Z\""},
    {"W0485", "dates with an offset and without one",
     "In one file some dates say how far they are from UTC, others do not; those are read as "
     "UTC.",
     "2026-04-01T00:00:00 and 2026-04-02T00:00:00-04:00", "2026-04-01T00:00:00-04:00 and so on"},
    {"W0491", "dates of another time",
     "The record's dates all lie more than 180 days before the clock starts, or after it. It is "
     "read from its first value as if of the clock's time.",
     "a record of 2020, \"start\": \"2026-04-01T00:00:00Z\"",
     "\"from\": \"2020-04-01T00:00:00Z\", if that is meant"},
    {"W0492", "times without a unit",
     "A log of nodes or counts without a first line that names its columns is read as "
     "milliseconds, as those that were published.",
     "3600,7", "time_s,count"},
});

}  // namespace

std::span<const ErrorCode> market_errors() {
  return market_rows;
}

}  // namespace reeve::scenarios
