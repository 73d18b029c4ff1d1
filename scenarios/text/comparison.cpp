// The lines of `expect`: "job.B2.wait <= 2h".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::array<std::pair<std::string_view, CompareOp>, 6> operators{
    {{"==", CompareOp::equal},
     {"!=", CompareOp::not_equal},
     {"<=", CompareOp::less_equal},
     {">=", CompareOp::greater_equal},
     {"<", CompareOp::less},
     {">", CompareOp::greater}}};

constexpr std::array<std::string_view, 3> plus_minus{"+-", "+/-", "\u00b1"};

/// Reads one `expect` line from front to back.
class ComparisonReader {
 public:
  explicit ComparisonReader(std::string_view text) : text_{text} {}

  Parsed<MetricComparison> read() {
    if (auto found = read_metric()) return *found;
    if (auto found = read_operator()) return *found;
    if (auto found = read_literal(result_.value, "a value")) return *found;
    skip_blanks();
    if (at_ == text_.size()) return result_;
    const std::size_t sign_at = at_;
    if (!skip_plus_minus()) {
      return problem(at_, text_.size() - at_, "text after the value", "expected \"+-\" or the end");
    }
    result_.tolerance.emplace();
    if (auto found = read_literal(*result_.tolerance, "a tolerance")) return *found;
    if (auto found = refuse_tolerance(sign_at)) return *found;
    skip_blanks();
    if (at_ == text_.size()) return result_;
    return problem(at_, text_.size() - at_, "text after the tolerance", "expected the end");
  }

 private:
  static TextProblem problem(std::size_t offset, std::size_t length, std::string message,
                             std::string label, std::string help = {}) {
    return {"E0139", offset, length, std::move(message), std::move(label), std::move(help)};
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool skip_plus_minus() {
    for (const std::string_view sign : plus_minus) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      return true;
    }
    return false;
  }

  std::optional<TextProblem> read_metric() {
    skip_blanks();
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=!<>", at_), text_.size());
    result_.metric = text_.substr(at_, end - at_);
    result_.metric_offset = at_;
    if (end == at_) {
      return problem(at_, 0, "a metric is missing", "expected METRIC OP VALUE",
                     "write one like \"wasted_usd <= 17040.00\"");
    }
    at_ = end;
    return std::nullopt;
  }

  std::optional<TextProblem> read_operator() {
    skip_blanks();
    result_.op_offset = at_;
    const std::string_view rest = text_.substr(at_);
    const std::string_view run = rest.substr(0, rest.find_first_not_of("=!<>~"));
    for (const auto& [symbol, op] : operators) {
      if (run != symbol) continue;
      result_.op = op;
      at_ += symbol.size();
      return std::nullopt;
    }
    if (run.empty()) {
      return problem(at_, 0, "a comparison operator is missing", "expected ==, !=, <, <=, > or >=");
    }
    const std::string_view meant = run == "=" || run == "==="   ? "=="
                                   : run == "=<"                ? "<="
                                   : run == "=>"                ? ">="
                                   : run == "<>" || run == "=!" ? "!="
                                                                : "";
    return problem(at_, run.size(), fmt::format("unknown comparison operator {}", in_quotes(run)),
                   "expected ==, !=, <, <=, > or >=",
                   meant.empty() ? "" : fmt::format("did you mean {}?", meant));
  }

  std::optional<TextProblem> read_literal(Literal& literal, std::string_view what) {
    skip_blanks();
    std::size_t end = std::min(text_.find_first_of(" \t\r\n", at_), text_.size());
    for (const std::string_view sign : plus_minus) end = std::min(end, text_.find(sign, at_));
    literal.offset = at_;
    literal.text = text_.substr(at_, end - at_);
    at_ = end;
    if (literal.text.empty()) {
      return problem(literal.offset, 0, fmt::format("{} is missing", what),
                     "expected a number, dollars or a duration");
    }
    return interpret(literal);
  }

  static std::optional<TextProblem> interpret(Literal& literal) {
    const std::string_view text = literal.text;
    const bool percent = text.ends_with('%');
    const bool dollars = text.find('$') != text.npos || text.find(',') != text.npos;
    const std::string plain = dollars   ? plain_dollars(text).value_or("")
                              : percent ? std::string{text.substr(0, text.size() - 1)}
                                        : std::string{text};
    if (const auto number = finite_number(plain)) {
      literal.kind = dollars   ? Literal::Kind::dollars
                     : percent ? Literal::Kind::percent
                               : Literal::Kind::number;
      literal.number = *number;
      const ScaledDecimal micros = scale_decimal(plain, 6, Rounding::exact);
      if (!percent && micros.fault == DecimalFault::none) {
        literal.usd = Usd::from_micros(micros.value);
      }
      return std::nullopt;
    }
    const bool starts_like_a_number = is_decimal_digit(text[0]) || text[0] == '-';
    if (!dollars && starts_like_a_number) return interpret_duration(literal);
    return problem(literal.offset, text.size(), fmt::format("{} is not a value", in_quotes(text)),
                   "expected a number, dollars or a duration");
  }

  static std::optional<TextProblem> interpret_duration(Literal& literal) {
    const auto duration = parse_duration(literal.text);
    if (!duration) {
      TextProblem found = duration.problem();
      found.offset += literal.offset;
      return found;
    }
    literal.kind = Literal::Kind::duration;
    literal.duration = *duration;
    literal.number = std::chrono::duration<double>(*duration).count();
    return std::nullopt;
  }

  std::optional<TextProblem> refuse_tolerance(std::size_t sign_at) const {
    const Literal& tolerance = *result_.tolerance;
    const std::size_t length = at_ - sign_at;
    if (result_.op != CompareOp::equal && result_.op != CompareOp::not_equal) {
      return problem(sign_at, length, "a tolerance needs == or !=",
                     fmt::format("not with {}", symbol_of(result_.op)));
    }
    const bool plain = tolerance.kind == Literal::Kind::number;
    const bool duration = result_.value.kind == Literal::Kind::duration;
    if (tolerance.kind != result_.value.kind && (!plain || duration)) {
      return problem(tolerance.offset, tolerance.text.size(),
                     "the tolerance and the value have different units",
                     duration ? "expected a duration" : "expected the unit of the value");
    }
    if (tolerance.number < 0) {
      return problem(tolerance.offset, tolerance.text.size(), "the tolerance is negative",
                     "must be 0 or more");
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  MetricComparison result_;
};

}  // namespace

std::string_view symbol_of(CompareOp op) {
  for (const auto& [symbol, known] : operators) {
    if (known == op) return symbol;
  }
  return "";
}

Parsed<MetricComparison> parse_comparison(std::string_view text) {
  return ComparisonReader{text}.read();
}

}  // namespace reeve::scenarios
