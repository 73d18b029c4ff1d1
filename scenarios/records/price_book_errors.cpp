// What is said of price books.
#include <array>

#include "scenarios/records/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array price_book_rows = std::to_array<ErrorCode>({
    {"E0280", "a price beyond any machine's",
     "No instance costs $10,000 an hour: it is the price of a month, or in cents.", "3000000",
     "3000.00"},
    {"E0281", "a price seen before it was in force",
     "`retrieved` is the last day on which the price is known to have stood on its page.",
     "valid_from 2026-01-01, retrieved 2025-12-01", "retrieved 2026-01-05"},
    {"E0282", "a type of two machines",
     "All rows of one instance type, of whatever market and day, have as many accelerators.",
     "p4d.24xlarge with 8 and with 16", "p4d.24xlarge with 8"},
    {"E0341", "not a day, count, percentage or column of a price book",
     "Days are YYYY-MM-DD, savings 67%, bands 10-15, accelerators a whole number.", "1 June 2025",
     "2025-06-01"},
    {"E0342", "a word that a price book does not know",
     "Service, market, managed and confidence have few values, a book has one region.", "ondemand",
     "on_demand"},
    {"E0343", "a price stands twice", "Of one service, market and type there is one price a day.",
     "two rows of p4d.24xlarge from 2025-06-23", "one of them"},
    {"E0344", "prices out of order",
     "Rows of one service, market and type stand in the order of their days.",
     "2025-06-23 before 2020-11-02", "2020-11-02 before 2025-06-23"},
    {"E0345", "an empty cell of a price",
     "A price without its source or its day proves nothing; only managed, retrieved and "
     "confidence may be empty.",
     "a row without source", "the public page it is from"},
    {"E0348", "a price of nothing", "Prices are more than $0 an hour.", "0", "3.06"},
    {"E0349", "a price book without prices", "It would find no type at all.", "a header only",
     "a header and rows"},
    {"W0479", "Spot dearer than on demand",
     "AWS's Spot prices do not exceed those on demand; the two may be exchanged. Of a record it "
     "is said where most of its prices are above: they may be in cents, or of another type.",
     "\"usd_per_hour\": 9, \"spot_usd_per_hour\": 30",
     "\"usd_per_hour\": 30, \"spot_usd_per_hour\": 9"},
    {"W0481", "a zone of no region",
     "Zones are called after their region and a letter; shocks and prices go by regions. AWS has "
     "regions of its own list only, and wants names (us-east-1a) where ids of zones (use1-az1) "
     "stand.",
     "\"zone\": \"us-east-1z9\", \"us-esat-1a\"", "\"zone\": \"us-east-1a\""},
});

}  // namespace

std::span<const ErrorCode> price_book_errors() {
  return price_book_rows;
}

}  // namespace reeve::scenarios
