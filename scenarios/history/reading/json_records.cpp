#include "scenarios/history/reading/json_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <deque>
#include <utility>

#include "scenarios/history/reading/json_scanner.hpp"
#include "scenarios/records/trace_limits.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;

std::optional<double> number_of_text(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number}
                                                                  : std::nullopt;
}

/// A time in UTC as most files write it, 2026-08-03T00:00:00Z or 2026-08-03T00:00:00.5+00:00;
/// nothing of any other form.
std::optional<policy::Instant> usual_instant(std::string_view text) {
  namespace chr = std::chrono;
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  if (text.size() <= form.size()) return {};
  const auto is_digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == 'd' ? !is_digit(i) : text[i] != form[i]) return {};
  }
  std::size_t end = form.size();
  std::int64_t fraction = 0, unit = 1'000'000'000;  // of the last digit, in nanoseconds
  if (text[end] == '.') {
    for (++end; end < text.size() && is_digit(end) && unit > 1; ++end) {
      fraction = fraction * 10 + (text[end] - '0');
      unit /= 10;
    }
    if (unit == 1'000'000'000) return {};
  }
  if (const auto zone = text.substr(end); zone != "Z" && zone != "+00:00") return {};
  const auto digits = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  const int year = digits(0) * 100 + digits(2);
  const int hour = digits(11), minute = digits(14), second = digits(17);
  const chr::year_month_day date{chr::year{year}, chr::month{static_cast<unsigned>(digits(5))},
                                 chr::day{static_cast<unsigned>(digits(8))}};
  const bool exists = date.ok() && hour < 24 && minute < 60 && second < 60;
  if (!exists || year < 1970 || year > 2199) return {};
  return policy::Instant{chr::sys_days{date}} + chr::hours{hour} + chr::minutes{minute} +
         chr::seconds{second} + chr::nanoseconds{fraction * unit};
}

/// Builds records from the tokens of a text.
class Records {
 public:
  Records(const JsonShape& shape, JsonScanner& tokens,
          const std::function<void(const JsonRecord&)>& each)
      : shape_{shape},
        keys_{shape.keys.begin(), shape.keys.end()},
        whole_{shape.whole.begin(), shape.whole.end()},
        tokens_{tokens},
        each_{each} {
    std::sort(keys_.begin(), keys_.end(), is_before);
    std::sort(whole_.begin(), whole_.end(), is_before);
  }

  /// Takes one value with all in it.  False if it is not JSON, see fault().
  bool read() {
    while (take_value()) {
      while (!expects_value_) {
        if (frames_.empty()) return true;
        if (!take_rest()) return false;
      }
    }
    return false;
  }
  JsonScanner::Fault fault() {
    if (!is_too_deep_) return tokens_.fault(before_);
    return {tokens_.line(), fmt::format("more than {} brackets inside each other", deepest)};
  }

 private:
  struct Frame {
    json* value = nullptr;  ///< null: skipped
    bool is_array = false;
    bool keeps_all = false;
    bool outer = false;    ///< an object that may hold an array of records
    bool records = false;  ///< an array of them
    std::size_t path = 0;  ///< bytes of path_ that lead here
    bool keeps_next = false, keeps_all_of_next = false;
    bool next_array = false, next_outer = false, next_pairs = false;
    bool is_root = false;
    enum class Pairs : std::uint8_t { none, list, pair } pairs = Pairs::none;
    unsigned numbers = 0;  ///< of a pair, so far; 3: it is none
  };
  using Pairs = Frame::Pairs;
  static constexpr std::size_t deepest = 200;

  bool take_value() {
    expects_value_ = false;
    switch (tokens_.peek()) {
      case '{':
        tokens_.take();
        if (!begin(json::object(), false)) return false;
        return tokens_.peek() == '}' ? end() : take_key("{");
      case '[':
        tokens_.take();
        if (!begin(json::array(), true)) return false;
        if (tokens_.peek() == ']') return end();
        before_ = "[";
        return expects_value_ = true;
      case '"':
        if (!is_wanted()) return tokens_.skip_string();
        if (!tokens_.take_string(text_)) return false;
        if (!is_in_pairs()) return scalar(text_);
        return add_to_pairs(frames_.back().numbers == 1 ? number_of_text(text_) : std::nullopt);
      case 't':
        return tokens_.take_word("true") && scalar(true);
      case 'f':
        return tokens_.take_word("false") && scalar(false);
      case 'n':
        return tokens_.take_word("null") && scalar(nullptr);
      default:
        if (!tokens_.take_number(number_)) return false;
        return is_in_pairs() ? add_to_pairs(number_.get<double>()) : scalar(number_);
    }
  }

  bool take_key(const char* before) {
    before_ = before;
    if (tokens_.peek() != '"') return false;
    const Frame& frame = frames_.back();
    if (frame.value == nullptr && !frame.outer) {
      if (!tokens_.skip_string()) return false;
    } else {
      if (!tokens_.take_string(text_)) return false;
      note_key();
    }
    before_ = R"({"")";
    if (tokens_.peek() != ':') return false;
    tokens_.take();
    before_ = R"({"":)";
    return expects_value_ = true;
  }

  /// What follows a value inside another.
  bool take_rest() {
    const bool is_array = frames_.back().is_array;
    before_ = is_array ? R"(["")" : R"({"":"")";
    const char next = tokens_.peek();
    if (next == (is_array ? ']' : '}')) return end();
    if (next != ',') return false;
    tokens_.take();
    if (!is_array) return take_key(R"({"":"",)");
    before_ = R"(["",)";
    return expects_value_ = true;
  }

  /// Of text_, in the innermost object.
  void note_key() {
    Frame& frame = frames_.back();
    key_ = text_;
    frame.keeps_all_of_next = frame.keeps_all || has(whole_, key_);
    frame.keeps_next = frame.keeps_all_of_next || has(keys_, key_);
    frame.next_array = frame.next_outer = false;
    frame.next_pairs = frame.is_root && !key_.empty() && key_ == shape_.pairs;
    frame.keeps_next = frame.keeps_next || frame.next_pairs;
    if (!frame.outer) return;
    path_.resize(frame.path);
    if (!path_.empty()) path_ += '/';
    path_ += key_;
    for (const std::string_view array : shape_.arrays) {
      if (array == path_) frame.next_array = true;
      if (array.size() > path_.size() && array.starts_with(path_) && array[path_.size()] == '/') {
        frame.next_outer = true;
      }
    }
  }

  /// Whether a value that begins is kept.
  bool is_wanted() const {
    if (frames_.empty() || frames_.back().records || is_in_pairs()) return true;
    const Frame& parent = frames_.back();
    return parent.value != nullptr && (parent.is_array || parent.keeps_next || parent.next_outer);
  }

  static bool has(const std::vector<std::string_view>& sorted, std::string_view key) {
    return std::binary_search(sorted.begin(), sorted.end(), key, is_before);
  }
  /// By length first: it tells most keys apart.
  static bool is_before(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }

  /// Where a value that begins goes; null if it is skipped.
  template <class Value>
  json* place(Value&& value) {
    if (!is_wanted()) return nullptr;
    if (frames_.empty() || frames_.back().records) {
      roots_.push_back({std::forward<Value>(value), tokens_.line(), false, {}});
      return &roots_.back().value;
    }
    json& parent = *frames_.back().value;
    if (!parent.is_array()) return &(parent[key_] = std::forward<Value>(value));
    parent.push_back(std::forward<Value>(value));
    return &parent.back();
  }

  bool is_in_pairs() const { return !frames_.empty() && frames_.back().pairs != Pairs::none; }

  /// A value in a list of pairs, or in a pair; nothing: one that is no number.
  bool add_to_pairs(std::optional<double> number) {
    Frame& frame = frames_.back();
    std::vector<JsonPair>& pairs = roots_.back().pairs;
    if (frame.pairs == Pairs::list) {
      pairs.push_back({0, 0, false});
    } else if (number && frame.numbers < 2) {
      (frame.numbers == 0 ? pairs.back().first : pairs.back().second) = *number;
      pairs.back().is_good = ++frame.numbers == 2;
    } else {
      frame.numbers = 3;
      pairs.back().is_good = false;
    }
    return true;
  }

  template <class Value>
  bool scalar(Value&& value) {
    if (is_in_pairs()) return add_to_pairs({});
    if (!is_wanted()) return true;
    place(json(std::forward<Value>(value)));
    if (frames_.empty() || frames_.back().records) emit();
    return true;
  }

  bool begin(json empty, bool is_array) {
    is_too_deep_ = frames_.size() >= deepest;
    if (is_too_deep_) return false;
    const bool is_top = frames_.empty();
    const Frame parent = is_top ? Frame{} : frames_.back();
    Frame frame{.is_array = is_array};
    if (is_in_pairs()) {
      add_to_pairs({});
      if (is_array && parent.pairs == Pairs::list) frame.pairs = Pairs::pair;
    } else if (is_array && (is_top || parent.next_array)) {
      frame.records = true;
      frame.outer = is_top;  // its elements may be pages
      if (!is_top) roots_.back().has_records = true;
    } else {
      frame.is_root = is_top || parent.records;
      frame.value = place(std::move(empty));
      frame.keeps_all =
          !frame.is_root && (parent.is_array ? parent.keeps_all : parent.keeps_all_of_next);
      frame.outer = !is_array && (is_top || (parent.records && parent.outer) || parent.next_outer);
      frame.path = frame.is_root ? 0 : path_.size();
      if (is_array && parent.next_pairs) {
        frame.pairs = Pairs::list;
        roots_.back().pairs.clear();
      }
    }
    frames_.push_back(frame);
    return true;
  }

  /// Takes the bracket that closes the innermost value.
  bool end() {
    tokens_.take();
    const bool is_list_of_records = frames_.back().records;
    frames_.pop_back();
    if (is_list_of_records) return true;
    if (frames_.empty() || frames_.back().records) emit();
    return true;
  }

  void emit() {
    Root root = std::move(roots_.back());
    roots_.pop_back();
    if (root.has_records && root.value.empty()) return;
    each_({root.value, root.line, root.has_records, root.pairs});
  }

  struct Root {
    json value;
    std::uint64_t line;
    bool has_records;
    std::vector<JsonPair> pairs;
  };

  const JsonShape& shape_;
  std::vector<std::string_view> keys_, whole_;  ///< sorted
  JsonScanner& tokens_;
  const std::function<void(const JsonRecord&)>& each_;
  std::vector<Frame> frames_;
  std::deque<Root> roots_;  ///< the record being built, within what is around it; stable places
  std::string key_;
  std::string path_;
  std::string_view text_;
  json number_;
  const char* before_ = "";  ///< a short text like that before the token, for fault()
  bool expects_value_ = false, is_too_deep_ = false;
};

[[noreturn]] void refuse(const std::string& name, JsonScanner::Fault fault) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
  std::string& message = fault.message;
  const std::size_t text = message.find(": ");
  if (message.starts_with("[json") && text != message.npos) message.erase(0, text + 2);
  Diagnostic found;
  found.code = "E0400";
  found.file = name;
  found.position = {fault.line, 1, 1};
  found.message = "this is not JSON: " + message;
  throw InputError{std::move(found)};
}

}  // namespace

void for_each_record(HistoryInput& input, const JsonShape& shape,
                     const std::function<void(const JsonRecord&)>& each) {
  JsonScanner tokens{
      Inflater{input.name, std::move(input.stream), TraceLimits{}.decompressed_bytes}};
  while (!tokens.at_end()) {
    if (tokens.peek() == ',') {  // between values
      tokens.take();
      continue;
    }
    if (tokens.take_mark()) continue;
    Records records{shape, tokens, each};
    if (!records.read()) refuse(input.name, records.fault());
  }
  input.report.bytes = tokens.count();
}

json object_of_text(std::string_view text, const JsonShape& shape) {
  json object = json::value_t::discarded;
  const std::function<void(const JsonRecord&)> keep = [&](const JsonRecord& record) {
    object = record.value;
  };
  JsonScanner tokens{text};
  tokens.take_mark();
  Records records{shape, tokens, keep};
  if (tokens.peek() == '{' && records.read() && tokens.at_end()) return object;
  return json::value_t::discarded;
}

const json* member(const json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_at(const json& object, std::string_view key) {
  const json* value = member(object, key);
  if (value == nullptr) return {};
  return value->is_string() ? value->get<std::string>() : value->dump();
}

std::optional<std::int64_t> count_at(const json& object, std::string_view key) {
  const auto number = number_at(object, key);
  if (!number || *number < 0 || *number > 9e15 || *number != std::floor(*number)) return {};
  return static_cast<std::int64_t>(*number);
}

std::optional<double> number_at(const json& object, std::string_view key) {
  const json* value = member(object, key);
  if (value == nullptr) return {};
  if (value->is_number()) return value->get<double>();
  if (!value->is_string()) return {};
  const auto& text = value->get_ref<const std::string&>();
  const auto exact = parse_decimal(text, 6);
  return exact ? std::optional{static_cast<double>(*exact) / 1e6} : std::nullopt;
}

std::optional<policy::Instant> instant_of_seconds(double seconds) {
  constexpr double end = 7'258'118'400;  // of 2199
  if (!(seconds >= 0 && seconds < end)) return {};
  // SageMaker's have milliseconds; a double of 2026 has fractions of a microsecond.
  return policy::Instant{std::chrono::microseconds{std::llround(seconds * 1e6)}};
}

std::optional<policy::Instant> instant_of(std::string_view text) {
  if (const auto usual = usual_instant(text)) return usual;
  if (text.size() < 10) return {};
  std::string iso{text};
  if (iso.size() == 10) iso += "T00:00:00";
  if (iso[10] == ' ') iso[10] = 'T';
  if (const std::size_t blank = iso.find(' '); blank != iso.npos) {  // "... UTC", "... +0200"
    const std::string zone = iso.substr(blank + 1);
    iso.resize(blank);
    iso += zone == "UTC" || zone == "GMT" ? "Z" : zone;
  }
  const std::size_t offset = iso.find_first_of("Z+-", 11);
  if (offset == iso.npos) {
    iso += 'Z';
  } else if (iso[offset] != 'Z' && iso.size() == offset + 5) {
    iso.insert(offset + 3, ":");  // +0200
  } else if (iso[offset] != 'Z' && iso.size() == offset + 3) {
    iso += ":00";  // +02
  }
  const auto parsed = parse_instant(iso);
  return parsed ? std::optional{*parsed} : std::nullopt;
}

std::optional<policy::Instant> instant_at(const json& object, std::string_view key) {
  const json* value = member(object, key);
  if (value == nullptr) return {};
  if (value->is_number()) return instant_of_seconds(value->get<double>());
  return value->is_string() ? instant_of(value->get_ref<const std::string&>()) : std::nullopt;
}

}  // namespace reeve::scenarios
