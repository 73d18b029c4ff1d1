#include "app/text/shell_word.hpp"

#include <algorithm>

namespace reeve::app {
namespace {

bool is_plain(char character) {
  const bool digit = character >= '0' && character <= '9';
  const bool lower = character >= 'a' && character <= 'z';
  const bool upper = character >= 'A' && character <= 'Z';
  return digit || lower || upper ||
         std::string_view{"_-+./:,@%="}.find(character) != std::string::npos;
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string{word};
  std::string quoted = "'";
  for (const char character : word) {
    quoted += character == '\'' ? std::string{"'\\''"} : std::string{character};
  }
  return quoted + '\'';
}

}  // namespace reeve::app
