#include "host/journal.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <ostream>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/check.hpp"
#include "host/enum_names.hpp"
#include "host/journal_fields.hpp"
#include "host/journal_words.hpp"

namespace reeve::host {

static_assert(std::endian::native == std::endian::little, "the digest is of little-endian numbers");

/// Gathers the canonical encoding of entries and hashes it in large pieces.
class Journal::Hasher {
 public:
  /// What the numbers of one entry and its short texts take at most.
  static constexpr std::size_t entry_max = 640;

  Hasher() { XXH3_128bits_reset(&state_); }

  /// Room for `entry_max` bytes.
  char* room() {
    if (used_ > sizeof buffer_ - entry_max) pass_on();
    return buffer_ + used_;
  }
  void filled_to(const char* end) { used_ = static_cast<std::size_t>(end - buffer_); }
  void long_text(std::string_view text) {
    pass_on();
    XXH3_128bits_update(&state_, text.data(), text.size());
  }
  Digest digest() {
    pass_on();
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return {hash.high64, hash.low64};
  }

 private:
  void pass_on() {
    XXH3_128bits_update(&state_, buffer_, used_);
    used_ = 0;
  }

  XXH3_state_t state_;
  std::size_t used_ = 0;
  char buffer_[16384];
};

namespace {

/// Writes fields as numbers of their own width and texts with their length.
template <class Hasher>
class Encoder {
 public:
  explicit Encoder(Hasher& to) : to_{to}, at_{to.room()} {}
  void finish() { to_.filled_to(at_); }

  template <class T>
  void operator()(const char*, const T& value) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      text(value);
    } else if constexpr (requires { value->index; }) {
      number(value.has_value());
      if (value) number(value->index);
    } else if constexpr (std::is_same_v<T, policy::Instant>) {
      number(value.time_since_epoch().count());
    } else if constexpr (std::is_same_v<T, policy::Duration>) {
      number(value.count());
    } else if constexpr (std::is_same_v<T, policy::ActionId>) {
      number(value.value);
    } else if constexpr (std::is_class_v<T>) {
      number(value.index);
    } else {
      number(value);
    }
  }
  /// Behind a number that no text has as its length: what follows a verb is one.  Of several such
  /// fields of one verb it also tells `which`.
  template <class Value>
  void unless_zero(const char*, Value value, std::uint32_t which = 0) {
    if (value == Value{}) return;
    number(~which);
    if constexpr (std::is_same_v<Value, std::string_view>) {
      text(value);
    } else if constexpr (requires { value->index; }) {
      number(value->index);
    } else {
      number(static_cast<std::uint16_t>(value));
    }
  }
  /// Few gangs are so large that 16 bits are too few.
  void host(const char*, std::uint32_t value) {
    constexpr std::uint16_t wide = 0xffff;
    if (value < wide) return number(static_cast<std::uint16_t>(value));
    number(wide);
    number(value);
  }
  void verb(const policy::Verb& verb) {
    number(static_cast<std::uint8_t>(verb.index()));
    std::visit([this](const auto& v) { walk(*this, v); }, verb);
  }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void number(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

 private:
  void text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    if (text.empty()) return;  // its data may be null
    if (text.size() <= text_max) {
      std::memcpy(at_, text.data(), text.size());
      at_ += text.size();
    } else {
      finish();
      to_.long_text(text);
      at_ = to_.room();
    }
  }

  /// An entry has at most three texts, and its numbers take less than the rest of the room.
  static constexpr std::size_t text_max = 128;

  Hasher& to_;
  char* at_;
};

/// Appends ` name=value` for each field.
struct Printer {
  std::string& to;

  template <class T>
  void operator()(const char* name, const T& value) {
    to += ' ';
    to += name;
    to += '=';
    if constexpr (std::is_same_v<T, std::string_view>) {
      quoted(value);
    } else if constexpr (requires { value->index; }) {
      value ? number(value->index) : static_cast<void>(to += "none");
    } else if constexpr (std::is_same_v<T, bool>) {
      to += value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, policy::Instant>) {
      number(value.time_since_epoch().count());
    } else if constexpr (std::is_same_v<T, policy::Duration>) {
      number(value.count());
    } else if constexpr (std::is_same_v<T, policy::ActionId>) {
      number(value.value);
    } else if constexpr (std::is_enum_v<T>) {
      to += name_of(value);
    } else if constexpr (std::is_class_v<T>) {
      number(value.index);
    } else {
      number(value);
    }
  }
  template <class Value>
  void unless_zero(const char* name, Value value, std::uint32_t /*which*/ = 0) {
    if (value != Value{}) (*this)(name, value);
  }
  void host(const char* name, std::uint32_t value) { (*this)(name, value); }
  void verb(const policy::Verb& verb) {
    to += " verb=";
    to += name_of(static_cast<policy::VerbKind>(verb.index()));
    std::visit([this](const auto& v) { walk(*this, v); }, verb);
  }

 private:
  template <class T>
  void number(T value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    to.append(digits, end);
  }
  void quoted(std::string_view text) {
    to += '"';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        to += {'\\', c};
      } else if (byte < 0x20 || byte == 0x7f) {
        constexpr std::string_view hex = "0123456789abcdef";
        to += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
      } else {
        to += c;
      }
    }
    to += '"';
  }
};

template <class T>
void print_line(std::string& to, const T& entry) {
  Printer printer{to};
  if constexpr (std::is_same_v<T, policy::Observation>) {
    to += fact_words[entry.fact.index()];
    printer("at", entry.happened_at);
    std::visit([&](const auto& fact) { walk(printer, fact); }, entry.fact);
  } else {
    to += entry_word<T>;
    walk(printer, entry);
  }
}

}  // namespace

std::string Digest::hex() const {
  std::string text(32, '0');
  for (std::size_t digit = 0; digit < 16; ++digit) {
    text[15 - digit] = "0123456789abcdef"[(high >> (4 * digit)) & 15];
    text[31 - digit] = "0123456789abcdef"[(low >> (4 * digit)) & 15];
  }
  return text;
}

std::string print(const Entry& entry) {
  std::string line;
  std::visit([&](const auto& e) { print_line(line, e); }, entry);
  return line;
}

Journal::Journal() : hasher_{std::make_unique<Hasher>()} {}

Journal::~Journal() = default;

void Journal::write_text_to(std::ostream& text, Flush flush, std::uint64_t skip_lines) {
  REEVE_CHECK(entries_ == 0, "a journal's text starts with its first entry");
  text_ = &text;
  flush_ = flush;
  skip_lines_ = skip_lines;
  if (skip_lines_ > 0) {
    --skip_lines_;
  } else {
    (lines_ += journal_header) += '\n';
  }
}

template <class T>
void Journal::put(const T& entry) {
  ++entries_;
  Encoder<Hasher> encoder{*hasher_};
  encoder.number(static_cast<std::uint8_t>(Entry{std::in_place_type<T>}.index()));
  if constexpr (std::is_same_v<T, policy::Observation>) {
    encoder.number(static_cast<std::uint8_t>(entry.fact.index()));
    encoder("at", entry.happened_at);
    std::visit([&](const auto& fact) { walk(encoder, fact); }, entry.fact);
  } else {
    walk(encoder, entry);
  }
  encoder.finish();
  if (text_ != nullptr) {
    if (skip_lines_ > 0) {
      --skip_lines_;
    } else {
      print_line(lines_, entry);
      lines_ += '\n';
    }
  }
  if (listener_ != nullptr) listener_->on_entry(Entry{entry});
}

void Journal::write(const SeatListed& entry) {
  put(entry);
}
void Journal::write(const StepBegun& entry) {
  put(entry);
}
void Journal::write(const policy::Observation& entry) {
  put(entry);
}
void Journal::write(const Reply& entry) {
  put(entry);
}
void Journal::write(const Accepted& entry) {
  put(entry);
}
void Journal::write(const Refused& entry) {
  put(entry);
}
void Journal::write(const Shadowed& entry) {
  put(entry);
}
void Journal::write(const Warned& entry) {
  put(entry);
}
void Journal::write(const Attempted& entry) {
  put(entry);
}
void Journal::write(const Settled& entry) {
  put(entry);
}
void Journal::write(const SeatMuted& entry) {
  put(entry);
}
void Journal::write(const Entry& entry) {
  std::visit([this](const auto& e) { put(e); }, entry);
}

void Journal::end_step() {
  if (text_ == nullptr) return;
  if (flush_ == Flush::each_step || lines_.size() > 65536) flush_text();
}

void Journal::flush_text() {
  if (text_ == nullptr) return;
  text_->write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
  text_->flush();
  if (!*text_) throw std::runtime_error{"the journal cannot be written"};
  lines_.clear();
}

Digest Journal::digest() const {
  return hasher_->digest();
}

}  // namespace reeve::host
