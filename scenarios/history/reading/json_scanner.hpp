// The tokens of a JSON text of any size, each checked as nlohmann's parser does, at a few times its
// speed.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/inflater.hpp"

namespace reeve::scenarios {

/// Takes tokens front to back.  What take_...() gives is valid until the next call.  A token that
/// JSON does not allow stays, for fault().
class JsonScanner {
 public:
  /// Throws as Inflater does, like all that takes.
  explicit JsonScanner(Inflater bytes);
  explicit JsonScanner(std::string_view text) : next_{text.data()}, end_{next_ + text.size()} {}

  /// The first byte of the next token; NUL at the end, and for a NUL.
  char peek();
  bool at_end() { return peek() == '\0' && next_ == end_; }
  void take() { ++next_; }           ///< the byte that peek() gave
  bool take_mark();                  ///< a byte order mark, if it comes next
  bool take_word(std::string_view);  ///< true, false, null
  bool take_string(std::string_view& text);
  bool skip_string();
  bool take_number(nlohmann::json& number);

  std::uint64_t line() const { return line_; }    ///< of the next token, from 1, after peek()
  std::uint64_t count() const { return count_; }  ///< bytes of the file that were read

  /// A token that cannot stand where it does.
  struct Fault {
    std::uint64_t line;
    std::string message;  ///< of nlohmann's parser
  };
  /// What is wrong with the next token if the text before it is like `before`.
  Fault fault(std::string_view before);

 private:
  bool more(const char*& at);
  bool has(const char*& at, std::size_t bytes) {  ///< whether they are there
    return static_cast<std::size_t>(end_ - at) >= bytes || has_more(at, bytes);
  }
  bool has_more(const char*& at, std::size_t bytes);
  bool scan_string();
  bool scan_escape(const char*& at);
  bool scan_code(const char*& at, unsigned& code);
  bool scan_number();
  bool scan_digits(const char*& at);
  std::string_view token() const { return {next_, token_bytes_}; }
  std::string_view unescaped(std::string_view text);

  std::optional<Inflater> bytes_;  ///< none: a text in memory
  std::vector<char> buffer_;
  const char* next_ = nullptr;  ///< unread: [next_, end_); the token at hand is whole in it
  const char* end_ = nullptr;
  std::size_t token_bytes_ = 0;  ///< of what was scanned last
  bool has_escapes_ = false, is_whole_ = true;
  std::string unescaped_;
  std::uint64_t line_ = 1;
  std::uint64_t count_ = 0;
};

}  // namespace reeve::scenarios
