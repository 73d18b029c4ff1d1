#include "scenarios/history/json_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "scenarios/records/trace_limits.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;

/// The bytes of a file one at a time, with their lines counted.
class Bytes {
 public:
  Bytes(std::string name, std::unique_ptr<std::istream> stream)
      : inflater_{std::move(name), std::move(stream), TraceLimits{}.decompressed_bytes},
        buffer_(std::size_t{1} << 18) {
    fill();
  }
  bool at_end() const { return next_ == end_; }
  char peek() const { return *next_; }
  void skip() {
    if (*next_ == '\n') ++line_;
    if (++next_ == end_) fill();
  }
  std::uint64_t line() const { return line_; }
  std::uint64_t count() const { return count_; }

 private:
  void fill() {
    const std::size_t bytes = inflater_.read(buffer_.data(), buffer_.size());
    next_ = buffer_.data();
    end_ = next_ + bytes;
    count_ += bytes;
  }

  Inflater inflater_;
  std::vector<char> buffer_;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t line_ = 1;
  std::uint64_t count_ = 0;
};

/// An input iterator over Bytes; a default one is the end.
class ByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  ByteIterator() = default;
  explicit ByteIterator(Bytes& bytes) : bytes_{&bytes} {}
  char operator*() const { return bytes_->peek(); }
  ByteIterator& operator++() { return bytes_->skip(), *this; }
  ByteIterator operator++(int) { return bytes_->skip(), *this; }
  friend bool operator==(const ByteIterator& a, const ByteIterator& b) {
    return a.ended() == b.ended();
  }

 private:
  bool ended() const { return bytes_ == nullptr || bytes_->at_end(); }
  Bytes* bytes_ = nullptr;
};

/// Builds records from the events of the parser.
class Records final : public nlohmann::json_sax<json> {
 public:
  Records(const JsonShape& shape, const Bytes& bytes,
          const std::function<void(const JsonRecord&)>& each)
      : shape_{shape},
        keys_{shape.keys.begin(), shape.keys.end()},
        whole_{shape.whole.begin(), shape.whole.end()},
        bytes_{bytes},
        each_{each} {
    std::sort(keys_.begin(), keys_.end());
    std::sort(whole_.begin(), whole_.end());
  }

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return begin(json::object(), false); }
  bool start_array(std::size_t) override { return begin(json::array(), true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& written) override {
    Frame& frame = frames_.back();
    key_.swap(written);
    frame.keeps_all_of_next = frame.keeps_all || has(whole_, key_);
    frame.keeps_next = frame.keeps_all_of_next || has(keys_, key_);
    frame.next_array = frame.next_outer = false;
    if (!frame.outer) return true;
    path_.resize(frame.path);
    if (!path_.empty()) path_ += '/';
    path_ += key_;
    for (const std::string_view array : shape_.arrays) {
      if (array == path_) frame.next_array = true;
      if (array.size() > path_.size() && array.starts_with(path_) && array[path_.size()] == '/') {
        frame.next_outer = true;
      }
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    error_ = error.what();
    return false;
  }
  const std::string& error() const { return error_; }

 private:
  struct Frame {
    json* value = nullptr;  ///< null: skipped
    bool is_array = false;
    bool keeps_all = false;
    bool outer = false;    ///< an object that may hold an array of records
    bool records = false;  ///< an array of them
    std::size_t path = 0;  ///< bytes of path_ that lead here
    bool keeps_next = false, keeps_all_of_next = false;
    bool next_array = false, next_outer = false;
  };
  static constexpr std::size_t deepest = 200;

  static bool has(const std::vector<std::string_view>& sorted, std::string_view key) {
    return std::binary_search(sorted.begin(), sorted.end(), key);
  }

  /// Where a value that begins goes; null if it is skipped.
  template <class Value>
  json* place(Value&& value) {
    if (frames_.empty() || frames_.back().records) {
      roots_.push_back({std::forward<Value>(value), bytes_.line(), false});
      return &roots_.back().value;
    }
    Frame& parent = frames_.back();
    if (parent.value == nullptr) return nullptr;
    if (parent.is_array) {
      parent.value->push_back(std::forward<Value>(value));
      return &parent.value->back();
    }
    if (!parent.keeps_next && !parent.next_outer) return nullptr;
    return &((*parent.value)[key_] = std::forward<Value>(value));
  }

  template <class Value>
  bool scalar(Value&& value) {
    const bool is_root = frames_.empty() || frames_.back().records;
    place(json(std::forward<Value>(value)));
    if (is_root) emit();
    return true;
  }

  bool begin(json empty, bool is_array) {
    if (frames_.size() >= deepest) {
      error_ = fmt::format("more than {} brackets inside each other", deepest);
      return false;
    }
    const bool is_top = frames_.empty();
    const Frame parent = is_top ? Frame{} : frames_.back();
    Frame frame{.is_array = is_array};
    if (is_array && (is_top || parent.next_array)) {
      frame.records = true;
      frame.outer = is_top;  // its elements may be pages
      if (!is_top) roots_.back().has_records = true;
    } else {
      const bool is_root = is_top || parent.records;
      frame.value = place(std::move(empty));
      frame.keeps_all = !is_root && (parent.is_array ? parent.keeps_all : parent.keeps_all_of_next);
      frame.outer = !is_array && (is_top || (parent.records && parent.outer) || parent.next_outer);
      frame.path = is_root ? 0 : path_.size();
    }
    frames_.push_back(frame);
    return true;
  }

  bool end() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (frame.records) return true;
    if (frames_.empty() || frames_.back().records) emit();
    return true;
  }

  void emit() {
    Root root = std::move(roots_.back());
    roots_.pop_back();
    if (root.has_records && root.value.empty()) return;
    each_({root.value, root.line, root.has_records});
  }

  struct Root {
    json value;
    std::uint64_t line;
    bool has_records;
  };

  const JsonShape& shape_;
  std::vector<std::string_view> keys_, whole_;  ///< sorted
  const Bytes& bytes_;
  const std::function<void(const JsonRecord&)>& each_;
  std::vector<Frame> frames_;
  std::deque<Root> roots_;  ///< the record being built, within what is around it; stable places
  std::string key_;
  std::string path_;
  std::string error_;
};

[[noreturn]] void refuse(const std::string& name, std::uint64_t line, std::string message) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
  const std::size_t text = message.find(": ");
  if (message.starts_with("[json") && text != message.npos) message.erase(0, text + 2);
  Diagnostic found;
  found.code = "E0400";
  found.file = name;
  found.position = {line, 1, 1};
  found.message = "this is not JSON: " + message;
  throw InputError{std::move(found)};
}

bool is_blank(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || byte == ',';
}

}  // namespace

void for_each_record(HistoryInput& input, const JsonShape& shape,
                     const std::function<void(const JsonRecord&)>& each) {
  Bytes bytes{input.name, std::move(input.stream)};
  for (const char mark : {'\xEF', '\xBB', '\xBF'}) {
    if (bytes.at_end() || bytes.peek() != mark) break;
    bytes.skip();
  }
  while (true) {
    while (!bytes.at_end() && is_blank(bytes.peek())) bytes.skip();
    if (bytes.at_end()) break;
    Records records{shape, bytes, each};
    const bool whole = json::sax_parse(ByteIterator{bytes}, ByteIterator{}, &records,
                                       nlohmann::detail::input_format_t::json, false);
    if (!whole) refuse(input.name, bytes.line(), records.error());
  }
  input.report.bytes = bytes.count();
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
