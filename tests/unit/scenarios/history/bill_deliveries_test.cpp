// Bills of several files add up, and a line item of several deliveries counts once.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "scenarios/history/bills/ledger.hpp"
#include "scenarios/history/readers.hpp"
#include "tests/unit/scenarios/history/bill_text.hpp"

namespace reeve::scenarios {
namespace bill_deliveries_test {

constexpr std::string_view hour = "2026-08-03T09:00:00Z,2026-08-03T10:00:00Z";
constexpr std::string_view job = "arn:aws:sagemaker:us-east-1:1:training-job/j";

std::string legacy(const std::vector<std::string>& rows) {
  std::string text =
      "identity/LineItemId,identity/TimeInterval,bill/InvoiceId,bill/PayerAccountId,"
      "bill/BillingPeriodStartDate,lineItem/LineItemType,lineItem/UsageStartDate,"
      "lineItem/ProductCode,lineItem/UsageType,lineItem/ResourceId,lineItem/UsageAmount,"
      "lineItem/UnblendedCost,resourceTags/user:team\n";
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

std::string line(std::string_view id, int hour_of_day, std::string_view invoice,
                 std::string_view name, std::string_view amount, std::string_view team = "") {
  const std::string from = fmt::format("2026-08-03T{:02}:00:00Z", hour_of_day);
  return fmt::format(
      "{},{}/2026-08-03T{:02}:00:00Z,{},1,2026-08-01T00:00:00Z,Usage,{},AmazonSageMaker,"
      "USE1-Train:ml.g5.xlarge,arn:aws:sagemaker:us-east-1:1:training-job/{},{},{},{}",
      id, from, hour_of_day + 1, invoice, from, name, amount, amount, team);
}

TEST(BillDeliveries, PartsOfADeliveryAddUp) {
  const std::vector<std::string> rows{line("a", 1, "9", "j", "1"), line("b", 2, "9", "j", "0.5"),
                                      line("c", 2, "9", "k", "1", "red"),
                                      line("d", 3, "9", "k", "1", "blue")};
  const History whole = history_of({legacy(rows)});
  EXPECT_EQ(bill_text(whole.bill),
            "train j ml.g5.xlarge on_demand us-east-1 1.5h $1.5 list $1.5\n"
            "train k ml.g5.xlarge on_demand us-east-1 2h $2 list $2 team=red\n");
  for (std::size_t cut = 0; cut <= rows.size(); ++cut) {
    const auto at = rows.begin() + static_cast<std::ptrdiff_t>(cut);
    const History parts = history_of({legacy({rows.begin(), at}), legacy({at, rows.end()})});
    EXPECT_EQ(bill_text(parts.bill), bill_text(whole.bill));
    EXPECT_EQ(warnings_text(parts), "");
    EXPECT_EQ(parts.newest, whole.newest);
    EXPECT_EQ(parts.bill.from, whole.bill.from);
    EXPECT_EQ(parts.bill.until, whole.bill.until);
  }
  // The same text twice in a row, as `cat` joins files.
  const std::string twice = legacy(rows) + legacy(rows);
  EXPECT_EQ(bill_text(history_of({twice}).bill), bill_text(whole.bill));
  EXPECT_EQ(warnings_text(history_of({twice})),
            "W0645: 4 line items stand twice; the one with an invoice counts\n");
}

TEST(BillDeliveries, OfTwoDeliveriesTheOneWithAnInvoiceCounts) {
  // Ids of line items change from one delivery to the next; amounts may.
  const std::string before =
      legacy({line("a", 1, "", "j", "1"), line("b", 2, "", "j", "2"), line("c", 3, "", "k", "4")});
  const std::string after = legacy({line("x", 1, "9", "j", "1"), line("y", 2, "9", "j", "2.5")});
  const std::string_view right =
      "train j ml.g5.xlarge on_demand us-east-1 3.5h $3.5 list $3.5\n"
      "train k ml.g5.xlarge on_demand us-east-1 4h $4 list $4\n";
  const History history = history_of({before, after});
  EXPECT_EQ(bill_text(history.bill), right);
  EXPECT_EQ(warnings_text(history),
            "W0645: 2 line items stand twice; the one with an invoice counts\n");
  EXPECT_EQ(bill_text(history_of({after, before}).bill), right);
  EXPECT_EQ(bill_text(history_of({before, after, after, before}).bill), right);
  EXPECT_EQ(bill_text(history_of({before, before}).bill), bill_text(history_of({before}).bill));
}

TEST(BillDeliveries, WithinAFileTheIdOfALineItemDecides) {
  const auto bill = [](const std::vector<std::string>& rows) {
    return bill_text(history_of({legacy(rows)}).bill);
  };
  const std::string_view one = "train j ml.g5.xlarge on_demand us-east-1 1h $1 list $1\n";
  EXPECT_EQ(bill({line("a", 1, "", "j", "7"), line("a", 1, "9", "j", "1")}), one);
  EXPECT_EQ(bill({line("a", 1, "9", "j", "1"), line("a", 1, "", "j", "7")}), one);
  EXPECT_EQ(bill({line("a", 1, "", "j", "1"), line("a", 1, "", "j", "7")}), one);
  // One hour in two line items: a price of the first hours of a month, and one of the others.
  EXPECT_EQ(bill({line("a", 1, "", "j", "0.25"), line("b", 1, "", "j", "0.75")}), one);
}

TEST(BillDeliveries, DeliveriesInFocusAreFoundWithoutIds) {
  const auto focus = [](std::string_view invoice, std::string_view cost) {
    return fmt::format(
        "ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ServiceName,ResourceId,BilledCost,"
        "EffectiveCost,ListCost,ConsumedQuantity,ConsumedUnit,SkuMeter,InvoiceId\n"
        "Usage,{0},Amazon SageMaker,{1},{2},{2},{2},1,Hours,USE1-Train:ml.g5.xlarge,{3}\n"
        "Usage,{0},Amazon SageMaker,{1},{2},{2},{2},1,Hours,USE1-Train:ml.g5.xlarge,{3}\n",
        hour, job, cost, invoice);
  };
  EXPECT_EQ(bill_text(history_of({focus("", "1.5"), focus("i", "1.25")}).bill),
            "train j ml.g5.xlarge on_demand us-east-1 2h $2.5 list $2.5\n");
  // Without invoices, other amounts are other line items, and copies count once.
  const History parts = history_of({focus("", "1.5"), focus("", "1.25"), focus("", "1.25")});
  EXPECT_EQ(bill_text(parts.bill), "train j ml.g5.xlarge on_demand us-east-1 4h $5.5 list $5.5\n");
  EXPECT_EQ(warnings_text(parts),
            "W0608: 2 line items differ only in id or amounts from those of an earlier file: all "
            "count\n"
            "W0645: 2 line items stand twice; the one with an invoice counts\n");
}

// As a report comes in parts, of which two have an hour of one job.
TEST(BillDeliveries, PartsWithHalvesOfAnHourAddUp) {
  for (const std::string_view invoice : {"", "9"}) {
    const std::string one = legacy({line("a", 1, invoice, "j", "0.5")});
    const std::string two = legacy({line("b", 1, invoice, "j", "0.5")});
    const std::string_view both = "train j ml.g5.xlarge on_demand us-east-1 1h $1 list $1\n";
    EXPECT_EQ(bill_text(history_of({one, two}).bill), both);
    EXPECT_EQ(bill_text(history_of({two, one, two}).bill), both);
    EXPECT_EQ(warnings_text(history_of({one, two})),
              "W0608: 1 line item differs only in id or amounts from those of an earlier file: all "
              "count\n");
  }
  // The invoice for both replaces both.
  EXPECT_EQ(bill_text(history_of({legacy({line("a", 1, "", "j", "0.5")}),
                                  legacy({line("b", 1, "", "j", "0.5")}),
                                  legacy({line("c", 1, "9", "j", "0.75")})})
                          .bill),
            "train j ml.g5.xlarge on_demand us-east-1 0.75h $0.75 list $0.75\n");
}

TEST(BillDeliveries, AMonthCannotBeInTwoForms) {
  const std::string focus =
      "BillingAccountId,BillingPeriodStart,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,"
      "ServiceName,BilledCost,EffectiveCost\n"
      "1,2026-08-01 00:00:00,Tax,2026-08-01,2026-09-01,x,1,1\n";
  const std::string cur = legacy({line("a", 1, "", "j", "1")});
  EXPECT_EQ(code_of({focus, cur}), "E0415");
  EXPECT_EQ(code_of({cur, focus}), "E0415");
  std::string july = focus;
  july.replace(july.find("2026-08-01 "), 7, "2026-07");
  EXPECT_EQ(bill_text(history_of({cur, july}).bill),
            "train j ml.g5.xlarge on_demand us-east-1 1h $1 list $1\nTax $1\n");
}

TEST(BillDeliveries, AFileThatFailsLeavesTheBillAlone) {
  History history = history_of({legacy({line("a", 1, "", "j", "1")})});
  const std::string before = bill_text(history.bill);
  const std::string broken = legacy({line("b", 2, "", "j", "1"), "\"not closed"});
  EXPECT_THROW(
      read_history_stream("broken.csv", std::make_unique<std::istringstream>(broken), {}, history),
      InputError);
  EXPECT_EQ(bill_text(history.bill), before);
}

TEST(BillDeliveries, RowsInAnyOrderGiveTheSameSums) {
  std::vector<std::string> rows;
  for (int i = 0; i < 60; ++i) {
    rows.push_back(line(fmt::format("id{}", i), i % 20, i % 2 == 0 ? "" : "9",
                        fmt::format("j{}", i % 7), fmt::format("0.{:010}", i * 7919)));
  }
  const auto sorted = [&] {
    const std::string text = bill_text(history_of({legacy(rows)}).bill);
    std::set<std::string> lines;
    std::istringstream in{text};
    for (std::string each; std::getline(in, each);) lines.insert(each);
    return lines;
  };
  const auto first = sorted();
  for (int turn = 0; turn < 5; ++turn) {
    std::rotate(rows.begin(), rows.begin() + 11, rows.end());
    std::swap(rows[3], rows[40]);
    EXPECT_EQ(sorted(), first);
  }
}

TEST(BillHashSet, HoldsWhatWasInserted) {
  HashSet odd, all;
  for (std::uint64_t i = 1; i <= 1000; i += 2) EXPECT_TRUE(odd.insert(i << 40));
  for (std::uint64_t i = 1; i <= 100; ++i) EXPECT_TRUE(all.insert(i << 40));
  EXPECT_FALSE(odd.insert(std::uint64_t{1} << 40));
  all.insert_all(std::move(odd));
  EXPECT_EQ(all.size(), 550U);
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    EXPECT_EQ(all.contains(i << 40), i <= 100 || i % 2 == 1) << i;
  }
}

}  // namespace bill_deliveries_test
}  // namespace reeve::scenarios
