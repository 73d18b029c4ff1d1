// One word of a command that a person can copy into a shell.
#pragma once

#include <string>
#include <string_view>

namespace reeve::app {

/// As it is if no shell reads anything into it, else in single quotes.
std::string shell_word(std::string_view word);

}  // namespace reeve::app
