// The generated reference of the documentation: one page per rule, and one per table of the
// program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::app {

struct Program;

/// One file of the reference.
struct DocsPage {
  std::string path;  ///< below the folder of the reference: "rules/stalled_gpu.md"
  std::string text;
};

/// The hand-written part of a rule's page: one file of policies/, embedded when reeve is built.
struct RuleNotes {
  std::string_view name;  ///< of the file, without ".md": the rule
  std::string_view text;
};

// Ordered by name.  Defined in generated sources.
std::span<const RuleNotes> governance_notes();
std::span<const RuleNotes> scheduling_notes();
std::span<const RuleNotes> spot_notes();

// Each makes the pages of one part of the reference.
std::vector<DocsPage> rule_pages();  ///< rules.md, and rules/NAME.md for each rule
DocsPage keys_page();
DocsPage metrics_page();
DocsPage tables_page();
DocsPage diagnostics_page();
DocsPage commands_page(const Program& program);

}  // namespace reeve::app
