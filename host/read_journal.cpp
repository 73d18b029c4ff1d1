#include <charconv>
#include <istream>
#include <string>
#include <utility>

#include "host/enum_names.hpp"
#include "host/journal.hpp"
#include "host/journal_fields.hpp"
#include "host/journal_words.hpp"

namespace reeve::host {

namespace {

/// Builds the alternative of `Variant` with that index.
template <class Variant, std::size_t I = 0>
Variant alternative(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    if (index != I) return alternative<Variant, I + 1>(index);
  }
  return Variant{std::in_place_index<I>};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Reads one line from the left.  Accepts exactly what `print` writes, so that printing gives it
/// back.
class LineReader {
 public:
  LineReader(std::string_view line, std::uint64_t number, JournalText& into)
      : line_{line}, number_{number}, into_{into} {}

  Entry entry() {
    const std::size_t start = at_;
    const std::string_view word = take_word();
    for (std::size_t fact = 0; fact < fact_words.size(); ++fact) {
      if (fact_words[fact] == word) return observation(fact);
    }
    Entry read;
    if (!(is<SeatListed>(word, read) || is<StepBegun>(word, read) || is<Reply>(word, read) ||
          is<Accepted>(word, read) || is<Refused>(word, read) || is<Shadowed>(word, read) ||
          is<Warned>(word, read) || is<Attempted>(word, read) || is<Settled>(word, read) ||
          is<SeatMuted>(word, read))) {
      fail(start, "unknown kind of entry");
    }
    end();
    return read;
  }

  template <class T>
  void operator()(const char* name, T& value) {
    expect(name);
    read(value);
  }
  template <class Value>
  void unless_zero(const char* name, Value& value, std::uint32_t /*which*/ = 0) {
    const std::string prefix = ' ' + std::string{name} + '=';
    if (line_.substr(at_, prefix.size()) != prefix) return;
    const std::size_t start = at_;
    (*this)(name, value);
    if (value == Value{}) fail(start, "what is 0 or empty is left out");
  }
  void host(const char* name, std::uint32_t& value) { (*this)(name, value); }
  void verb(policy::Verb& verb) {
    expect("verb");
    policy::VerbKind kind{};
    read(kind);
    verb = alternative<policy::Verb>(static_cast<std::size_t>(kind));
    std::visit([this](auto& v) { walk(*this, v); }, verb);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw JournalError{number_, at + 1, message};
  }

  Entry observation(std::size_t fact) {
    policy::Observation seen;
    (*this)("at", seen.happened_at);
    seen.fact = alternative<policy::Fact>(fact);
    std::visit([this](auto& f) { walk(*this, f); }, seen.fact);
    end();
    return seen;
  }

  template <class T>
  bool is(std::string_view word, Entry& read) {
    if (word != entry_word<T>) return false;
    T entry;
    walk(*this, entry);
    read = entry;
    return true;
  }

  void end() const {
    if (at_ != line_.size()) fail(at_, "the entry should end here");
  }

  void expect(std::string_view name) {
    const std::string_view rest = line_.substr(at_);
    if (rest.size() < name.size() + 2 || rest[0] != ' ' || rest.substr(1, name.size()) != name ||
        rest[name.size() + 1] != '=') {
      fail(at_, "expected ' " + std::string{name} + "='");
    }
    at_ += name.size() + 2;
  }

  /// Up to the next blank or the end.
  std::string_view take_word() {
    const std::size_t start = at_;
    while (at_ < line_.size() && line_[at_] != ' ') ++at_;
    return line_.substr(start, at_ - start);
  }

  void read(bool& value) {
    const std::size_t start = at_;
    const std::string_view word = take_word();
    if (word != "true" && word != "false") fail(start, "expected true or false");
    value = word == "true";
  }
  void read(policy::Instant& value) { value = policy::Instant{policy::Duration{read_int64()}}; }
  void read(policy::Duration& value) { value = policy::Duration{read_int64()}; }
  void read(policy::ActionId& value) { read(value.value); }
  template <class Tag>
  void read(policy::Id<Tag>& value) {
    read(value.index);
  }
  template <class Tag>
  void read(std::optional<policy::Id<Tag>>& value) {
    if (line_.substr(at_, 4) == "none") {
      at_ += 4;
      value.reset();
    } else {
      read(value.emplace());
    }
  }
  template <std::integral T>
  void read(T& value) {
    const std::size_t start = at_;
    const std::string_view word = take_word();
    const char* const last = word.data() + word.size();
    const auto [end, problem] = std::from_chars(word.data(), last, value);
    const std::string_view digits = word.substr(word.substr(0, 1) == "-" ? 1 : 0);
    const bool has_one_spelling = digits.substr(0, 1) != "0" || word == "0";
    if (problem != std::errc{} || end != last || !has_one_spelling) {
      fail(start, "expected a whole number that fits");
    }
  }
  void read(double& value) {
    const std::size_t start = at_;
    const std::string_view word = take_word();
    const char* const last = word.data() + word.size();
    const auto [end, problem] = std::from_chars(word.data(), last, value);
    char shortest[32];
    const auto size = std::to_chars(shortest, shortest + sizeof shortest, value).ptr - shortest;
    if (problem != std::errc{} || end != last ||
        word != std::string_view{shortest, static_cast<std::size_t>(size)}) {
      fail(start, "expected a number in its shortest form");
    }
  }
  template <class E>
  requires std::is_enum_v<E>
  void read(E& value) {
    const std::size_t start = at_;
    const auto known = value_named<E>(take_word());
    if (!known) fail(start, "unknown name");
    value = *known;
  }
  void read(std::string_view& value) {
    if (line_.substr(at_, 1) != "\"") fail(at_, "expected a quoted text");
    ++at_;
    std::string text;
    while (line_.substr(at_, 1) != "\"") text += take_character();
    ++at_;
    value = *into_.texts.insert(std::move(text)).first;
  }

  char take_character() {
    if (at_ == line_.size()) fail(at_, "the text has no closing quote");
    const char c = line_[at_];
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) fail(at_, "control characters are written \\xHH");
    if (c != '\\') {
      ++at_;
      return c;
    }
    const std::string_view rest = line_.substr(at_);
    if (rest.size() >= 2 && (rest[1] == '"' || rest[1] == '\\')) {
      at_ += 2;
      return rest[1];
    }
    if (rest.size() >= 4 && rest[1] == 'x' && hex_digit(rest[2]) >= 0 && hex_digit(rest[3]) >= 0) {
      const int code = 16 * hex_digit(rest[2]) + hex_digit(rest[3]);
      if (code < 0x20 || code == 0x7f) {
        at_ += 4;
        return static_cast<char>(code);
      }
    }
    fail(at_, "unknown escape");
  }

  std::int64_t read_int64() {
    std::int64_t value = 0;
    read(value);
    return value;
  }

  std::string_view line_;
  std::uint64_t number_;
  JournalText& into_;
  std::size_t at_ = 0;
};

}  // namespace

JournalError::JournalError(std::uint64_t at_line, std::uint64_t at_column,
                           const std::string& message)
    : std::runtime_error{"journal:" + std::to_string(at_line) + ":" + std::to_string(at_column) +
                         ": " + message},
      line{at_line},
      column{at_column} {}

JournalText read_journal(std::istream& text) {
  JournalText journal;
  std::string line;
  for (std::uint64_t number = 1; std::getline(text, line); ++number) {
    if (text.eof()) {  // no newline: the write was cut off here
      journal.cut = true;
      break;
    }
    if (number > 1) {
      journal.entries.push_back(LineReader{line, number, journal}.entry());
    } else if (line != journal_header) {
      throw JournalError{1, 1, "expected '" + std::string{journal_header} + "'"};
    }
    journal.bytes += line.size() + 1;
  }
  return journal;
}

}  // namespace reeve::host
