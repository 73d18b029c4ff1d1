// What a person writes for a time, an amount or an expectation is read exactly or refused in place.
#include "scenarios/text/quantity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "scenarios/text/decimal.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace quantity_test {

using namespace std::chrono_literals;

std::string problem_of(std::string_view text) {
  const auto parsed = parse_duration(text);
  if (parsed) return "accepted";
  const TextProblem& found = parsed.problem();
  EXPECT_LE(found.offset + found.length, text.size()) << text;
  return found.code + " " + std::to_string(found.offset) + "+" + std::to_string(found.length) +
         (found.help.empty() ? "" : " " + found.help);
}

TEST(DurationText, IsExact) {
  EXPECT_EQ(*parse_duration("72h23m02s"), 72h + 23min + 2s);
  EXPECT_EQ(*parse_duration("1.5h"), 90min);
  EXPECT_EQ(*parse_duration("90m"), 90min);
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
  EXPECT_EQ(*parse_duration("7d"), 168h);
  EXPECT_EQ(*parse_duration("2w"), 336h);
  EXPECT_EQ(*parse_duration("0s"), 0s);
  EXPECT_EQ(*parse_duration("0.000000001s"), 1ns);
  EXPECT_EQ(*parse_duration("1.10000000000000000000000s"), 1100ms);
  EXPECT_EQ(*parse_duration("9223372036.854775807s"), Duration::max());
  EXPECT_EQ(*parse_duration("106751d"), 106751 * 24h);
}

TEST(DurationText, ProblemsAreTold) {
  EXPECT_EQ(problem_of("120"), "E0131 0+3 write \"120s\"");
  EXPECT_EQ(problem_of("1h30"), "E0131 2+2 write \"1h30m\"");
  EXPECT_EQ(problem_of("5hrs"), "E0132 1+3 write \"5h\"");
  EXPECT_EQ(problem_of("5 minutes"), "E0133 1+1 write \"5m\"");
  EXPECT_EQ(problem_of("2 h"), "E0133 1+1 write \"2h\"");
  EXPECT_EQ(problem_of("1 fortnight"), "E0133 1+1");
  EXPECT_EQ(problem_of("1fortnight"), "E0132 1+9 use one of the units w, d, h, m, s, ms, us, ns");
  EXPECT_EQ(problem_of("6 hours"), "E0133 1+1 write \"6h\"");
  EXPECT_EQ(problem_of("6 Hours"), "E0133 1+1 write \"6h\"");
  EXPECT_EQ(problem_of("6hours"), "E0132 1+5 write \"6h\"");
  EXPECT_EQ(problem_of("2 hours, 30 minutes"), "E0133 1+1 write \"2h30m\"");
  EXPECT_EQ(problem_of("1 day and 2.5 hours"), "E0133 1+1 write \"1d2.5h\"");
  EXPECT_EQ(problem_of("2hours30min"), "E0132 1+5 write \"2h30m\"");
  EXPECT_EQ(problem_of("5x"), "E0132 1+1 use one of the units w, d, h, m, s, ms, us, ns");
  EXPECT_EQ(problem_of("-5m"), "E0134 0+3");
  EXPECT_EQ(problem_of("+5m"), "E0133 0+3");
  EXPECT_EQ(problem_of(""), "E0133 0+0");
  EXPECT_EQ(problem_of("m"), "E0133 0+1");
  EXPECT_EQ(problem_of("1.m"), "E0133 0+3");
  EXPECT_EQ(problem_of(".5h"), "E0133 0+3");
  EXPECT_EQ(problem_of("5m1h"), "E0133 2+2");
  EXPECT_EQ(problem_of("1h1h"), "E0133 2+2");
  EXPECT_EQ(problem_of("1.5h3m"), "E0133 4+2");
  EXPECT_EQ(problem_of("1e3s"), "E0132 1+1 use one of the units w, d, h, m, s, ms, us, ns");
  EXPECT_EQ(problem_of("0.0000000001s"), "E0133 0+13 use a smaller unit");
  EXPECT_EQ(problem_of("0.33333333333333333333h"), "E0133 0+23 use a smaller unit");
  EXPECT_EQ(problem_of("9223372036.854775808s"), "E0135 0+21");
  EXPECT_EQ(problem_of("106751d23h47m17s"), "E0135 13+3");
  EXPECT_EQ(problem_of("99999999999999999999999999h"), "E0135 0+27");
}

// Any way to write a duration in descending units.
std::string written(std::int64_t nanoseconds) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> units{
      {{"w", 604'800'000'000'000},
       {"d", 86'400'000'000'000},
       {"h", 3'600'000'000'000},
       {"m", 60'000'000'000},
       {"s", 1'000'000'000},
       {"ms", 1'000'000},
       {"us", 1'000},
       {"ns", 1}}};
  std::string text;
  for (const auto& [name, size] : units) {
    if (size > 1 && *rc::gen::arbitrary<bool>()) continue;
    if (size > 1 && nanoseconds / size == 0) continue;
    text += std::to_string(nanoseconds / size) + std::string{name};
    nanoseconds %= size;
  }
  return text;
}

TEST(DurationText, ReadsBackWhatIsWritten) {
  EXPECT_TRUE(rc::check([] {
    const auto value = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
    const std::string text = written(value);
    const auto parsed = parse_duration(text);
    RC_ASSERT(static_cast<bool>(parsed));
    RC_ASSERT(parsed->count() == value);
    const std::string decimal = std::to_string(value / 1'000'000'000) + "." +
                                std::to_string(1'000'000'000 + value % 1'000'000'000).substr(1) +
                                "s";
    RC_ASSERT(parse_duration(decimal)->count() == value);
  }));
}

TEST(DurationText, AnyTextIsAcceptedOrRefusedInPlace) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "1", "90", ".", "h", "m", "s", "ms", "-", "+", " ", "é", "999999999999", "e"));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    const auto parsed = parse_duration(text);
    if (parsed) {
      RC_ASSERT(parsed->count() >= 0);
    } else {
      RC_ASSERT(parsed.problem().offset + parsed.problem().length <= text.size());
      RC_ASSERT(!parsed.problem().message.empty());
    }
  }));
}

TEST(InstantText, IsIso8601WithAnOffset) {
  EXPECT_EQ(parse_instant("1970-01-01T00:00:00Z")->time_since_epoch().count(), 0);
  EXPECT_EQ(*parse_instant("2026-05-22T18:00:00-04:00"), *parse_instant("2026-05-22T22:00:00Z"));
  EXPECT_EQ(*parse_instant("2026-05-22T18:00-0400"), *parse_instant("2026-05-22T22:00:00.0+00"));
  EXPECT_EQ(*parse_instant("2024-02-29T00:00:00.123456789Z"),
            *parse_instant("2024-02-29T00:00:00Z") + 123'456'789ns);
  EXPECT_EQ(parse_instant("2026-11-02T08:00:00Z")->time_since_epoch(), 1'793'606'400s);
}

TEST(InstantText, ProblemsAreTold) {
  const auto problem = [](std::string_view text) {
    const auto parsed = parse_instant(text);
    if (parsed) return std::string{"accepted"};
    EXPECT_LE(parsed.problem().offset + parsed.problem().length, text.size());
    return parsed.problem().message + " @" + std::to_string(parsed.problem().offset);
  };
  EXPECT_EQ(problem("2026-05-22T18:00:00"), "the offset from UTC is missing or wrong @19");
  EXPECT_EQ(problem("2026-05-22T18:00:00 EST"), "the offset from UTC is missing or wrong @19");
  EXPECT_EQ(problem("2026-05-22T18:00:00Z "), "the offset from UTC is missing or wrong @19");
  EXPECT_EQ(problem("2026-05-22"), "this is not an ISO 8601 date and time @10");
  EXPECT_EQ(problem("2025-02-29T00:00:00Z"), "the date does not exist @0");
  EXPECT_EQ(problem("2026-05-22T24:00:00Z"), "the time of day does not exist @0");
  EXPECT_EQ(problem("2026-05-22T00:00:60Z"), "the time of day does not exist @0");
  EXPECT_EQ(problem("9999-01-01T00:00:00Z"), "the year is out of range @0");
  EXPECT_EQ(problem("22/05/2026"), "this is not an ISO 8601 date and time @0");
  EXPECT_EQ(problem(""), "this is not an ISO 8601 date and time @0");
}

TEST(Money, IsExactFromItsDecimals) {
  EXPECT_EQ(parse_usd("17280.00")->micros(), 17'280'000'000);
  EXPECT_EQ(parse_usd("$17,280.00")->micros(), 17'280'000'000);
  EXPECT_EQ(parse_usd("-0.1")->micros(), -100'000);
  EXPECT_EQ(parse_usd("0.000001")->micros(), 1);
  EXPECT_EQ(parse_usd("1.5e-5")->micros(), 15);
  EXPECT_EQ(parse_usd_per_hour("21.957642")->nanos, 21'957'642'000);
  EXPECT_EQ(parse_usd_per_hour("0.000000001")->nanos, 1);
  EXPECT_EQ(parse_usd("9223372036854.775807")->micros(), std::numeric_limits<std::int64_t>::max());
  for (const char* bad : {"", "$", "-", "abc", "1,23", ",123", "1,2345", "$-5", "--5", "0.0000001",
                          "9223372036854.775808", "1e30", "NaN", "inf", "0x10", " 1", "1 "}) {
    const auto parsed = parse_usd(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.problem().code, "E0136");
  }
}

TEST(Money, ReadsBackWhatIsWritten) {
  EXPECT_TRUE(rc::check([](std::int32_t whole, std::uint32_t part) {
    const std::int64_t fraction = part % 1'000'000;
    const std::string text = (whole < 0 ? "-" : "") +
                             std::to_string(std::abs(std::int64_t{whole})) + "." +
                             std::to_string(1'000'000 + fraction).substr(1);
    const std::int64_t micros = std::abs(std::int64_t{whole}) * 1'000'000 + fraction;
    RC_ASSERT(parse_usd(text)->micros() == (whole < 0 ? -micros : micros));
  }));
}

TEST(Decimal, RoundsHalvesAwayFromZeroWhereAskedTo) {
  const auto rounded = [](std::string_view text, unsigned decimals) {
    return scale_decimal(text, decimals, Rounding::nearest).value;
  };
  EXPECT_EQ(rounded("1.4999", 0), 1);
  EXPECT_EQ(rounded("1.5", 0), 2);
  EXPECT_EQ(rounded("-1.5", 0), -2);
  EXPECT_EQ(rounded("0.5", 0), 1);
  EXPECT_EQ(rounded("0.05", 0), 0);
  EXPECT_EQ(rounded("5e-11", 9), 0);
  EXPECT_EQ(rounded("5e-10", 9), 1);
  EXPECT_EQ(rounded("1234.3333333333333", 9), 1'234'333'333'333);
  EXPECT_EQ(rounded("0.00e99999999999", 9), 0);
  EXPECT_EQ(scale_decimal("1e308", 9, Rounding::nearest).fault, DecimalFault::overflow);
  EXPECT_EQ(scale_decimal("9223372036854775807.5", 0, Rounding::nearest).fault,
            DecimalFault::overflow);
  EXPECT_EQ(scale_decimal("1e-99999999999", 9, Rounding::nearest).value, 0);
  for (const char* bad : {"", ".", "-", "e5", "1e", "1e+", "1.2.3", "+1", "1 ", "0x1", "nan"}) {
    EXPECT_EQ(scale_decimal(bad, 0, Rounding::exact).fault, DecimalFault::malformed) << bad;
  }
}

TEST(Decimal, WithAnExponentOfZeroIsTheSame) {
  rc::check([] {
    const auto digits = [](std::size_t most) {
      return *rc::gen::resize(static_cast<int>(most),
                              rc::gen::container<std::string>(rc::gen::inRange('0', ':')));
    };
    const std::string sign = *rc::gen::element("", "-", "+");
    const std::string text = sign + digits(20) + *rc::gen::element("", ".", ".0") + digits(20);
    const unsigned decimals = *rc::gen::element(0u, 6u, 9u, 10u);
    for (const Rounding rounding : {Rounding::exact, Rounding::nearest}) {
      const ScaledDecimal plain = scale_decimal(text, decimals, rounding);
      const ScaledDecimal same = scale_decimal(text + "e0", decimals, rounding);
      RC_ASSERT(plain.value == same.value && plain.fault == same.fault);
    }
  });
}

TEST(ComparisonText, HasMetricOperatorValueAndTolerance) {
  const MetricComparison line = *parse_comparison("first_attempt.billed_usd == 312.13 +- 0.01");
  EXPECT_EQ(line.metric, "first_attempt.billed_usd");
  EXPECT_EQ(line.op, CompareOp::equal);
  EXPECT_EQ(line.value.usd->micros(), 312'130'000);
  EXPECT_EQ(line.tolerance->usd->micros(), 10'000);
  EXPECT_EQ(line.value.offset, 28u);
  EXPECT_EQ(line.op_offset, 25u);
  EXPECT_EQ(parse_comparison("time_to_result == 72h23m02s")->value.duration, 72h + 23min + 2s);
  EXPECT_EQ(parse_comparison("wait<=5m")->op, CompareOp::less_equal);
  EXPECT_EQ(parse_comparison("wait==5m+-2s")->tolerance->duration, 2s);
  EXPECT_EQ(parse_comparison("x == 5 \u00b1 2")->tolerance->number, 2);
  EXPECT_EQ(parse_comparison("x > -1.5e+3")->value.number, -1500);
  EXPECT_EQ(parse_comparison("allocated_pct >= 80%")->value.kind, Literal::Kind::percent);
  EXPECT_EQ(parse_comparison("billed_usd < $17,280")->value.usd->micros(), 17'280'000'000);
  EXPECT_EQ(parse_comparison("job.big-train.wait != 0s")->metric, "job.big-train.wait");
  EXPECT_EQ(parse_comparison("mean == 144172.12351149")->value.usd, std::nullopt);
}

TEST(ComparisonText, ProblemsAreToldInPlace) {
  const auto problem = [](std::string_view text) {
    const auto parsed = parse_comparison(text);
    if (parsed) return std::string{"accepted"};
    const TextProblem& found = parsed.problem();
    EXPECT_LE(found.offset + found.length, text.size()) << text;
    return found.code + " " + std::to_string(found.offset) + "+" + std::to_string(found.length) +
           (found.help.empty() ? "" : " " + found.help);
  };
  EXPECT_EQ(problem(""), "E0139 0+0 write one like \"wasted_usd <= 17040.00\"");
  EXPECT_EQ(problem("wait"), "E0139 4+0");
  EXPECT_EQ(problem("wait 5m"), "E0139 5+0");
  EXPECT_EQ(problem("wait = 5m"), "E0139 5+1 did you mean ==?");
  EXPECT_EQ(problem("wait =< 5m"), "E0139 5+2 did you mean <=?");
  EXPECT_EQ(problem("wait <> 5m"), "E0139 5+2 did you mean !=?");
  EXPECT_EQ(problem("wait =="), "E0139 7+0");
  EXPECT_EQ(problem("wait == soon"), "E0139 8+4");
  EXPECT_EQ(problem("wait == 5min"), "E0132 9+3 write \"5m\"");
  EXPECT_EQ(problem("wait == 5m 3s"), "E0139 11+2");
  EXPECT_EQ(problem("wait == 5m +-"), "E0139 13+0");
  EXPECT_EQ(problem("wait == 5m +- 3"), "E0139 14+1");
  EXPECT_EQ(problem("x == 5 +- 3s"), "E0139 10+2");
  EXPECT_EQ(problem("x == 5 +- -3"), "E0139 10+2");
  EXPECT_EQ(problem("x <= 5 +- 3"), "E0139 7+4");
  EXPECT_EQ(problem("x == 5 +- 3 or so"), "E0139 12+5");
  EXPECT_EQ(problem("x == inf"), "E0139 5+3");
  EXPECT_EQ(problem("x == 1e999"), "E0132 6+1 use one of the units w, d, h, m, s, ms, us, ns");
}

TEST(ComparisonText, ReadsBackWhatIsWritten) {
  EXPECT_TRUE(rc::check([] {
    const auto op = static_cast<CompareOp>(*rc::gen::inRange(0, 6));
    const auto micros = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
    const std::string value = std::to_string(micros / 1'000'000) + "." +
                              std::to_string(1'000'000 + micros % 1'000'000).substr(1);
    const std::string blank(*rc::gen::inRange<std::size_t>(0, 3), ' ');
    const std::string text =
        "job.a-1.billed_usd" + blank + std::string{symbol_of(op)} + blank + value;
    const auto parsed = parse_comparison(text);
    RC_ASSERT(static_cast<bool>(parsed));
    RC_ASSERT(parsed->metric == "job.a-1.billed_usd");
    RC_ASSERT(parsed->op == op);
    RC_ASSERT(parsed->value.usd->micros() == micros);
    RC_ASSERT(text.substr(parsed->value.offset) == value);
  }));
}

class QuantityNode : public ::testing::Test {
 protected:
  template <class Read>
  std::string refusal(const std::string& json, Read read) {
    const Document document = Document::parse(SourceFile::from_text("t.jsonc", json));
    try {
      read(document.root()[0]);
    } catch (const InputError& error) {
      const Diagnostic& found = error.diagnostics().at(0);
      EXPECT_EQ(found.pointer, "/0");
      return found.code + " " + std::to_string(found.position.column) + "+" +
             std::to_string(found.position.length) + (found.help.empty() ? "" : " " + found.help);
    }
    return "accepted";
  }
  template <class Read>
  auto value(const std::string& json, Read read) {
    const Document document = Document::parse(SourceFile::from_text("t.jsonc", json));
    return read(document.root()[0]);
  }
};

TEST_F(QuantityNode, ReadsNumbersAndTexts) {
  EXPECT_EQ(value("[\"5m\"]", as_duration), 5min);
  EXPECT_EQ(value("[30.00]", as_usd).micros(), 30'000'000);
  EXPECT_EQ(value("[21.957642]", as_usd_per_hour).nanos, 21'957'642'000);
  EXPECT_EQ(value("[0.1]", as_usd_per_hour).nanos, 100'000'000);
  EXPECT_EQ(value("[\"$98.32\"]", as_usd_per_hour).nanos, 98'320'000'000);
  EXPECT_EQ(value("[\"65%\"]", as_percent), 65.0);
  EXPECT_EQ(value("[8]", as_count), 8);
}

TEST_F(QuantityNode, PointsInsideTheText) {
  EXPECT_EQ(refusal("[120]", as_duration), "E0131 2+3 write \"120s\"");
  EXPECT_EQ(refusal("[true]", as_duration), "E0120 2+4");
  EXPECT_EQ(refusal("[\"1h5hrs\"]", as_duration), "E0132 6+3 write \"5h\"");
  EXPECT_EQ(refusal("[\"\\u0031h5hrs\"]", as_duration), "E0132 11+3 write \"5h\"");
  EXPECT_EQ(refusal("[0.0000001]", as_usd), "E0136 2+9");
  EXPECT_EQ(refusal("[-1]", as_usd_per_hour), "E0136 2+2");
  EXPECT_EQ(refusal("[[1]]", as_usd), "E0120 2+1");
  EXPECT_EQ(refusal("[101]", as_percent), "E0138 2+3");
  EXPECT_EQ(refusal("[\"65\"]", as_percent), "E0138 2+4");
  EXPECT_EQ(refusal("[-1]", as_count), "E0121 2+2");
  EXPECT_EQ(refusal("[1.5]", as_count), "E0120 2+3");
  EXPECT_EQ(refusal("[\"wait =< 5m\"]", as_comparison), "E0139 8+2 did you mean <=?");
  EXPECT_EQ(refusal("[1]", as_instant),
            "E0120 2+1 write one like \"2026-05-22T18:00:00-04:00\" or \"...Z\"");
}

}  // namespace quantity_test
}  // namespace reeve::scenarios
