#include "scenarios/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "scenarios/text/json_syntax.hpp"
#include "scenarios/text/json_tree.hpp"

namespace reeve::scenarios {
namespace {

/// Receives nlohmann's SAX events and walks the text in step with them, token by token, because
/// the events carry no positions.
class Builder {
 public:
  Builder(JsonTree& tree, std::string_view text) : tree_{tree}, text_{text} {}

  using number_float_t = nlohmann::json::number_float_t;

  bool null() { return literal(Kind::null, 4, false); }
  bool boolean(bool truth) { return literal(Kind::boolean, truth ? 4 : 5, truth); }
  bool number_integer(std::int64_t) { return number(0); }
  bool number_unsigned(std::uint64_t) { return number(0); }
  bool number_float(double value, const std::string&) { return number(value); }
  bool string(std::string& decoded) {
    take(end_of_string(text_, next_significant()), false);
    JsonTree::Value& value = add(Kind::text);
    value.decoded_text = keep_decoded(decoded);
    return settle();
  }
  bool binary(nlohmann::json::binary_t&) { return false; }  // not in JSON texts
  bool start_object(std::size_t) { return open(Kind::object); }
  bool start_array(std::size_t) { return open(Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& decoded) {
    take(end_of_string(text_, next_significant()), false);
    key_begin_ = state_.token_begin;
    key_bytes_ = state_.token_end - state_.token_begin;
    decoded_key_ = keep_decoded(decoded);
    state_.after = ParserState::After::key;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    failure_ = explain_syntax(*tree_.source, text_, state_);
    return false;
  }

  const std::optional<Diagnostic>& failure() const { return failure_; }

 private:
  struct Open {
    std::uint32_t index;
    std::vector<std::uint32_t> children;
  };

  static std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

  // Commas and colons between the tokens have been checked by the parser when an event arrives.
  std::size_t next_significant() const {
    std::size_t at = skip_blanks(text_, state_.token_end).at;
    while (at < text_.size() && (text_[at] == ',' || text_[at] == ':')) {
      at = skip_blanks(text_, at + 1).at;
    }
    return at;
  }

  void take(std::size_t end, bool scalar) {
    state_.token_begin = next_significant();
    state_.token_end = end;
    state_.scalar = scalar;
  }

  std::uint32_t keep_decoded(const std::string& decoded) {
    const std::size_t raw_bytes = state_.token_end - state_.token_begin;
    if (decoded.size() + 2 == raw_bytes) return no_index;  // an escape is longer than its meaning
    tree_.decoded.push_back(decoded);
    return narrow(tree_.decoded.size() - 1);
  }

  JsonTree::Value& add(Kind kind) {
    const std::uint32_t index = narrow(tree_.values.size());
    JsonTree::Value& value = tree_.values.emplace_back();
    value.kind = kind;
    value.offset = narrow(state_.token_begin);
    value.bytes = narrow(state_.token_end - state_.token_begin);
    value.key_offset = narrow(key_begin_);
    value.key_bytes = narrow(std::exchange(key_bytes_, 0));
    value.decoded_key = std::exchange(decoded_key_, no_index);
    if (!open_.empty()) {
      value.parent = open_.back().index;
      open_.back().children.push_back(index);
    }
    return value;
  }

  bool settle() {
    state_.after = ParserState::After::value;
    if (tree_.values.size() <= max_json_values) return true;
    return fail("E0118", fmt::format("more than {} values in one document", max_json_values),
                "the limit is here");
  }

  bool fail(std::string_view code, std::string message, std::string label) {
    failure_ = tree_.source->diagnose(state_.token_begin, state_.token_end - state_.token_begin,
                                      code, std::move(message), std::move(label));
    return false;
  }

  bool literal(Kind kind, std::size_t bytes, bool truth) {
    take(next_significant() + bytes, true);
    add(kind).truth = truth;
    return settle();
  }

  bool number(double number) {
    take(end_of_number(text_, next_significant()), true);
    const auto raw = text_.substr(state_.token_begin, state_.token_end - state_.token_begin);
    const bool whole = raw.find_first_of(".eE") == raw.npos;
    const std::string_view mantissa = raw.substr(0, raw.find_first_of("eE"));
    if (!whole && number == 0 && mantissa.find_first_of("123456789") != raw.npos) {
      return fail("E0108", "the number is out of range", "too close to zero for a double");
    }
    add(whole ? Kind::integer : Kind::number).number = number;
    return settle();
  }

  bool open(Kind kind) {
    take(next_significant() + 1, false);
    if (open_.size() == max_json_depth) {
      return fail("E0110", fmt::format("nested deeper than {} levels", max_json_depth), "too deep");
    }
    add(kind);
    open_.push_back({narrow(tree_.values.size() - 1), {}});
    const bool more = settle();
    state_.after = ParserState::After::open;
    note_inside();
    return more;
  }

  bool close() {
    take(next_significant() + 1, false);
    const Open closed = std::move(open_.back());
    open_.pop_back();
    JsonTree::Value& value = tree_.values[closed.index];
    value.bytes = narrow(state_.token_end - value.offset);
    link(closed);
    state_.after = ParserState::After::value;
    note_inside();
    return value.kind != Kind::object || distinct_keys(closed.index);
  }

  void link(const Open& container) {
    JsonTree::Value& value = tree_.values[container.index];
    value.first_link = narrow(tree_.links.size());
    value.links = narrow(container.children.size());
    tree_.links.insert(tree_.links.end(), container.children.begin(), container.children.end());
    tree_.sorted.resize(tree_.links.size(), no_index);
  }

  // Before a failure is reported: the pointer to it leads through containers still open.
  void link_open() {
    for (const Open& container : open_) link(container);
  }

  void note_inside() {
    state_.inside = ParserState::Inside::nothing;
    state_.opened_at.reset();
    if (open_.empty()) return;
    const JsonTree::Value& value = tree_.values[open_.back().index];
    state_.inside =
        value.kind == Kind::object ? ParserState::Inside::object : ParserState::Inside::array;
    state_.opened_at = value.offset;
  }

  // Sorts the members by key and finds the first that repeats an earlier key.
  bool distinct_keys(std::uint32_t index) {
    const JsonTree::Value& object = tree_.values[index];
    const auto sorted = std::span{tree_.sorted}.subspan(object.first_link, object.links);
    const auto children = tree_.children(index);
    std::copy(children.begin(), children.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.end(), [this](std::uint32_t a, std::uint32_t b) {
      const auto order = tree_.key_of(a) <=> tree_.key_of(b);
      return order != 0 ? order < 0 : a < b;
    });
    std::uint32_t first = no_index;
    std::uint32_t second = no_index;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (tree_.key_of(sorted[i - 1]) != tree_.key_of(sorted[i]) || sorted[i] >= second) continue;
      first = sorted[i - 1];
      second = sorted[i];
    }
    if (second == no_index) return true;
    link_open();
    const std::size_t line = tree_.source->position(tree_.values[first].key_offset).line;
    failure_ =
        at_key(tree_.node(second), "E0111",
               fmt::format("duplicate key {} in one object", in_quotes(tree_.key_of(second))),
               fmt::format("first on line {}", line));
    return false;
  }

  JsonTree& tree_;
  std::string_view text_;
  ParserState state_;
  std::vector<Open> open_;
  std::size_t key_begin_ = 0;
  std::size_t key_bytes_ = 0;
  std::uint32_t decoded_key_ = no_index;
  std::optional<Diagnostic> failure_;
};

}  // namespace

Document Document::parse(std::shared_ptr<const SourceFile> source) {
  if (source->text().size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw InputError{source->diagnose(0, 0, "E0118", "the document is larger than 4 GiB")};
  }
  const std::string text = without_trailing_commas(source->text());
  auto tree = std::make_shared<JsonTree>(std::move(source));
  Builder builder{*tree, text};
  const bool strict = true;
  const bool ignore_comments = true;
  if (!nlohmann::json::sax_parse(text, &builder, nlohmann::json::input_format_t::json, strict,
                                 ignore_comments)) {
    throw InputError{*builder.failure()};
  }
  return Document{std::move(tree)};
}

Node Document::root() const {
  return tree_->node(0);
}
const SourceFile& Document::source() const {
  return *tree_->source;
}

}  // namespace reeve::scenarios
