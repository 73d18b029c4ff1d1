// The reference page of the error and warning codes.
#include <fmt/format.h>

#include "app/docs.hpp"
#include "app/docs/error_codes.hpp"
#include "app/docs/markdown.hpp"

namespace reeve::app {

DocsPage diagnostics_page() {
  std::string text =
      docs_head("Diagnostics", "scenarios/lints/*.cpp and the files named *_errors.cpp");
  text +=
      "An error (E) stops the command with exit code 3. A warning (W) does not. "
      "`reeve explain CODE` prints one entry.\n";
  for (const ErrorCode& code : error_codes()) {
    text += fmt::format("\n## {}\n\n**{}**\n\n{}\n", code.code,
                        docs_prose(docs_sentence(code.title), "../"), docs_prose(code.text, "../"));
    if (code.wrong.empty()) continue;
    text += fmt::format("\n* Instead of: {}\n* Write: {}\n", docs_code(code.wrong),
                        docs_code(code.right));
  }
  return {"diagnostics.md", std::move(text)};
}

}  // namespace reeve::app
