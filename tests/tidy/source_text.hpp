// The parts of C++ that the rules read: code without comments, comments, and function definitions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::tidy {

/// The text with comments and the insides of literals blanked; every character keeps its place.
std::string code_of(std::string_view text);

/// The text with all but comments blanked; every character keeps its place.
std::string comments_of(std::string_view text);

/// The lines of a text without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// One function definition, from the line where its declaration starts to its closing brace.
struct Function {
  std::size_t first_line = 0;
  std::size_t last_line = 0;
};

/// The outermost functions of code that went through code_of; lambdas belong to what holds them.
std::vector<Function> functions_of(std::string_view code);

}  // namespace reeve::tidy
