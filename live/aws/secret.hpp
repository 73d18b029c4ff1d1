// A text that is never printed and that is wiped from memory.
#pragma once

#include <fmt/core.h>
#include <nettle/memops.h>

#include <cstring>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace reeve::live {

/// A secret key or a token.  Each copy wipes its own memory.
class Secret {
 public:
  Secret() = default;
  /// Wipes the text that it takes over.
  explicit Secret(std::string&& text) : text_{text} { wipe(text); }
  explicit Secret(std::string_view text) : text_{text} {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : text_{std::move(other.text_)} { wipe(other.text_); }
  Secret& operator=(const Secret& other) {
    if (this != &other) *this = Secret{other};
    return *this;
  }
  Secret& operator=(Secret&& other) noexcept {
    if (this == &other) return *this;
    wipe(text_);
    text_ = std::move(other.text_);
    wipe(other.text_);
    return *this;
  }
  ~Secret() { wipe(text_); }

  bool empty() const { return text_.empty(); }
  /// For the computation of a signature and for the wire, nothing else.
  std::string_view reveal() const { return text_; }

  /// Takes the same time for all texts of one length.
  friend bool operator==(const Secret& a, const Secret& b) {
    return a.text_.size() == b.text_.size() &&
           memeql_sec(a.text_.data(), b.text_.data(), a.text_.size()) == 1;
  }
  friend std::ostream& operator<<(std::ostream&, const Secret&) = delete;

 private:
  /// A moved-from short text still has its characters: the whole capacity is wiped.
  static void wipe(std::string& text) noexcept {
    text.resize(text.capacity());
    explicit_bzero(text.data(), text.size());
    text.clear();
  }

  std::string text_;
};

}  // namespace reeve::live

template <>
struct fmt::formatter<reeve::live::Secret> {
  formatter() = delete;
};
