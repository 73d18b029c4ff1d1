#include "scenarios/text/quantity.hpp"

#include <fmt/format.h>

#include <utility>

#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

Parsed<std::int64_t> parse_dollars(std::string_view text, unsigned decimals,
                                   std::string_view unit) {
  const auto problem = [text](std::string message, std::string label) {
    return TextProblem{"E0136", 0, text.size(), std::move(message), std::move(label), {}};
  };
  const auto plain = plain_dollars(text);
  if (!plain) return problem("this is not an amount of dollars", "expected one like 337.50");
  const ScaledDecimal amount = scale_decimal(*plain, decimals, Rounding::exact);
  switch (amount.fault) {
    case DecimalFault::none:
      return amount.value;
    case DecimalFault::overflow:
      return problem("the amount is out of range", "too many dollars");
    case DecimalFault::finer:
      return problem(fmt::format("the amount is finer than {}", unit), "too many decimals");
    case DecimalFault::malformed:
      break;
  }
  return problem("this is not an amount of dollars", "expected one like 337.50");
}

template <class T>
T value_or_throw(const Node& node, const Parsed<T>& parsed) {
  if (parsed) return *parsed;
  throw InputError{at(node, parsed.problem())};
}

// The characters of a number or text node that hold dollars.
std::string_view dollars_of(const Node& node) {
  if (node.is_number()) return node.raw();
  if (node.is_text()) return node.as_text();
  throw InputError{at(node, "E0120", "expected dollars, as a number or a text",
                      fmt::format("this is {}", name_of(node.kind())))};
}

}  // namespace

Parsed<Usd> parse_usd(std::string_view text) {
  const auto micros = parse_dollars(text, 6, "a millionth of a dollar");
  if (!micros) return micros.problem();
  return Usd::from_micros(*micros);
}

Parsed<UsdPerHour> parse_usd_per_hour(std::string_view text) {
  const auto nanos = parse_dollars(text, 9, "a billionth of a dollar");
  if (!nanos) return nanos.problem();
  return UsdPerHour{*nanos};
}

std::optional<std::int64_t> parse_decimal(std::string_view text, unsigned decimals) {
  const ScaledDecimal scaled = scale_decimal(text, decimals, Rounding::exact);
  if (scaled.fault != DecimalFault::none) return std::nullopt;
  return scaled.value;
}

Duration as_duration(const Node& node) {
  if (node.is_text()) return value_or_throw(node, parse_duration(node.as_text()));
  const std::string label = fmt::format("this is {}", name_of(node.kind()));
  if (!node.is_number()) {
    throw InputError{at(node, "E0120", "expected a duration like \"72h23m02s\"", label)};
  }
  const std::string written = fmt::format("{}s", node.raw());
  const bool meant = static_cast<bool>(parse_duration(written));
  throw InputError{at(node, "E0131", "the duration has no unit", "wrong or missing unit")
                       .with_help(meant ? fmt::format("write \"{}\"", written) : "")};
}

Instant as_instant(const Node& node) {
  if (node.is_text()) return value_or_throw(node, parse_instant(node.as_text()));
  throw InputError{
      at(node, "E0120", "expected a date and time", fmt::format("this is {}", name_of(node.kind())))
          .with_help(std::string{instant_help})};
}

Usd as_usd(const Node& node) {
  return value_or_throw(node, parse_usd(dollars_of(node)));
}

UsdPerHour as_usd_per_hour(const Node& node) {
  const UsdPerHour price = value_or_throw(node, parse_usd_per_hour(dollars_of(node)));
  if (price.nanos >= 0) return price;
  throw InputError{at(node, "E0136", "the price is negative", "must be 0 or more")};
}

double as_percent(const Node& node) {
  std::optional<double> percent;
  if (node.is_number()) {
    percent = node.as_number();
  } else if (node.is_text() && node.as_text().ends_with('%')) {
    percent = finite_number(node.as_text().substr(0, node.as_text().size() - 1));
  }
  if (!percent) {
    throw InputError{
        at(node, "E0138", "expected a percentage", "a number, or a text like \"65%\"")};
  }
  if (*percent >= 0 && *percent <= 100) return *percent;
  throw InputError{at(node, "E0138", "the percentage is out of range", "must be 0 to 100")};
}

std::int64_t as_count(const Node& node) {
  const std::int64_t count = node.as_integer();
  if (count >= 0) return count;
  throw InputError{at(node, "E0121", "the number is negative", "must be 0 or more")};
}

MetricComparison as_comparison(const Node& node) {
  return value_or_throw(node, parse_comparison(node.as_text()));
}

Diagnostic at(const Node& node, const TextProblem& problem) {
  if (!node.is_text()) {
    return at(node, problem.code, problem.message, problem.label).with_help(problem.help);
  }
  return within(node, problem.offset, problem.length, problem.code, problem.message, problem.label)
      .with_help(problem.help);
}

}  // namespace reeve::scenarios
