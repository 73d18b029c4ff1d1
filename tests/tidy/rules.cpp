#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <optional>
#include <regex>
#include <utility>

#include "tests/tidy/layers.hpp"
#include "tests/tidy/prose.hpp"
#include "tests/tidy/source_text.hpp"

namespace reeve::tidy {

namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kFunctionLines = 70;
constexpr std::size_t kMedianWords = 16;  // of a sentence in the pages
constexpr std::size_t kPercentile95Words = 30;

/// A file with what several rules read of it, made once.
struct Source {
  const File* file = nullptr;
  std::string code;                          // without comments and literals
  std::vector<std::string_view> lines;       // of the text
  std::vector<std::string_view> code_lines;  // of the code
};

/// Takes a line (from 1; 0 for the file) and what is wrong with it.
using Report = std::function<void(std::size_t line, std::string message)>;

/// One rule: which files it covers, in words a folder list cannot say, and what it refuses there.
struct Rule {
  std::string_view name;
  std::function<bool(std::string_view path)> covers;
  std::function<void(const Source&, const Report&)> check;
};

bool has_extension(std::string_view path, std::initializer_list<std::string_view> extensions) {
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](std::string_view extension) { return path.ends_with(extension); });
}

bool is_header(std::string_view path) {
  return path.ends_with(".hpp");
}
bool is_cpp(std::string_view path) {
  return has_extension(path, {".cpp", ".hpp"});
}

bool is_in(std::string_view path, std::initializer_list<std::string_view> folders) {
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return path.starts_with(std::string{folder} + "/");
  });
}

bool is_kernel(std::string_view path) {
  return is_cpp(path) && is_in(path, {"policies", "host", "sim", "models"});
}

bool is_engine(std::string_view path) {
  return is_kernel(path) ||
         (is_cpp(path) && is_in(path, {"scenarios", "experiments", "report", "live"}));
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
}

struct Ban {
  std::string_view text;
  std::string_view instead;
};

void refuse_names(const Source& source, const Report& report, std::span<const Ban> bans) {
  for (std::size_t i = 0; i < source.code_lines.size(); ++i) {
    for (const Ban& ban : bans) {
      if (source.code_lines[i].find(ban.text) == std::string_view::npos) continue;
      report(i + 1, std::string{ban.text} + " is banned here, use " + std::string{ban.instead});
    }
  }
}

void check_clocks(const Source& source, const Report& report) {
  static constexpr std::array<Ban, 5> bans{{{"system_clock::now", "the `now` of the step"},
                                            {"steady_clock::now", "the `now` of the step"},
                                            {"high_resolution_clock", "the `now` of the step"},
                                            {"std::this_thread", "a deadline"},
                                            {"std::getenv", "an option"}}};
  refuse_names(source, report, bans);
}

void check_draws(const Source& source, const Report& report) {
  static constexpr std::array<Ban, 4> bans{{{"std::random_device", "an addressed draw of sim"},
                                            {"std::mt19937", "an addressed draw of sim"},
                                            {"std::default_random_engine", "an addressed draw"},
                                            {"_distribution<", "sim: libraries differ in theirs"}}};
  refuse_names(source, report, bans);
}

void check_order(const Source& source, const Report& report) {
  static constexpr std::array<Ban, 1> bans{
      {{"unordered_", "a vector by id or std::map: iteration order is output"}}};
  refuse_names(source, report, bans);
}

void check_worlds(const Source& source, const Report& report) {
  static const std::regex world{R"(\bif\s*(constexpr\s*)?\(\s*!?\s*[\w.\->]*(simulated|is_live))"};
  for (std::size_t i = 0; i < source.code_lines.size(); ++i) {
    const std::string_view line = source.code_lines[i];
    if (line.find("simulated") == std::string_view::npos &&
        line.find("is_live") == std::string_view::npos) {
      continue;
    }
    if (std::regex_search(line.begin(), line.end(), world)) {
      report(i + 1, "nothing may know which world it is in: put the difference behind a port");
    }
  }
}

std::optional<Include> include_of(const Source& source, std::size_t i) {
  if (!source.code_lines[i].starts_with("#include")) return std::nullopt;
  const std::string_view line = source.lines[i];
  const std::size_t open = line.find_first_of("<\"");
  if (open == std::string_view::npos) return std::nullopt;
  const bool quoted = line[open] == '"';
  const std::size_t close = line.find(quoted ? '"' : '>', open + 1);
  return Include{std::string{line.substr(open + 1, close - open - 1)}, quoted};
}

void check_parent_includes(const Source& source, const Report& report) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::optional<Include> include = include_of(source, i);
    if (include && include->name.find("..") != std::string::npos) {
      report(i + 1, "an include starts at the root, not at `..`");
    }
  }
}

void check_layers(const Source& source, const Report& report) {
  const Layer* layer = layer_of(source.file->path);
  if (layer == nullptr) {
    report(0, "the folder is in no layer: add it to the table of layers");
    return;
  }
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::optional<Include> include = include_of(source, i);
    if (include && !may_include(*layer, *include)) {
      report(i + 1, std::string{layer->folder} + " may not include " + include->name);
    }
  }
}

/// Its header takes seconds to compile.
void check_command_line_library(const Source& source, const Report& report) {
  static constexpr std::string_view only = "app/command_parser.cpp";
  if (source.file->path == only) return;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::optional<Include> include = include_of(source, i);
    if (include && include->name.starts_with("CLI/")) {
      report(i + 1, "CLI11 is included by " + std::string{only} + " alone: use app/command.hpp");
    }
  }
}

void check_header_comment(const Source& source, const Report& report) {
  std::string comment;
  for (const std::string_view line : source.lines) {
    if (!line.starts_with("//")) break;
    comment += std::string{line.substr(2)} + " ";
  }
  static const std::regex sentence{R"(^ ["`A-Z0-9].*[^.]\.\s)"};
  if (!std::regex_search(comment, sentence)) {
    report(1, "a header opens with one sentence: what it is for");
  }
}

void check_pragma_once(const Source& source, const Report& report) {
  const auto is_pragma = [](std::string_view line) { return line == "#pragma once"; };
  if (std::none_of(source.code_lines.begin(), source.code_lines.end(), is_pragma)) {
    report(0, "a header needs #pragma once");
  }
}

void check_namespace(const Source& source, const Report& report) {
  const Layer* layer = layer_of(source.file->path);
  if (layer == nullptr || layer->name_space.empty()) return;
  const std::string opening = "namespace " + std::string{layer->name_space};
  const bool opened =
      std::any_of(source.code_lines.begin(), source.code_lines.end(), [&](std::string_view line) {
        return line.starts_with(opening) && (line.substr(opening.size()).starts_with(" {") ||
                                             line.substr(opening.size()).starts_with("::"));
      });
  if (!opened) report(0, "namespaces equal folders: expected " + opening);
}

void check_units(const Source& source, const Report& report) {
  static const std::regex bare{
      R"(\b(double|float)\s+(?!\w*per_))"  // a rate is a number
      R"((\w+_)?(seconds|minutes|hours|days|s|ms|ns|usd|dollars|price|cost)\b)"};
  for (std::size_t i = 0; i < source.code_lines.size(); ++i) {
    const std::string_view line = source.code_lines[i];
    if (line.find("double ") == std::string_view::npos &&
        line.find("float ") == std::string_view::npos) {
      continue;
    }
    if (std::regex_search(line.begin(), line.end(), bare)) {
      report(i + 1, "units are types: Duration, Usd, UsdPerHour");
    }
  }
}

void check_columns(const Source& source, const Report& report) {
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const auto starts_character = [](char c) { return (c & '\xC0') != '\x80'; };  // of UTF-8
    const auto columns =
        std::count_if(source.lines[i].begin(), source.lines[i].end(), starts_character);
    if (columns > static_cast<std::ptrdiff_t>(kColumns)) {
      report(i + 1, std::to_string(columns) + " columns, at most " + std::to_string(kColumns));
    }
  }
}

void check_function_length(const Source& source, const Report& report) {
  for (const Function& function : functions_of(source.code)) {
    const std::size_t lines = function.last_line - function.first_line + 1;
    if (lines < kFunctionLines) continue;
    report(function.first_line, "a function of " + std::to_string(lines) + " lines, under " +
                                    std::to_string(kFunctionLines) + " is asked for");
  }
}

void check_file_name(const Source& source, const Report& report) {
  static const std::regex vague{
      R"((^|_)(utils?|common|managers?|helpers?|context|impl|misc|base)(_|\.))"};
  static const std::regex snake_case{R"(^[a-z0-9_]+\.[ch]pp$)"};
  const std::string name{file_name(source.file->path)};
  if (std::regex_search(name, vague)) report(0, "a file is named after the one thing in it");
  if (!std::regex_search(name, snake_case)) report(0, "files are named in snake_case");
}

void check_row_number(const Source& source, const Report& report) {
  static const std::regex row_number{R"((^|[_-])f[0-9]+[_-])"};
  const std::string name{file_name(source.file->path)};
  if (std::regex_search(name, row_number)) {
    report(0, "a test is named after what it checks; its row number is in a comment");
  }
}

/// What a rule can do stands in its PolicyKind; other folders know options by known_options.hpp.
void check_rule_names(const Source& source, const Report& report) {
  static const std::regex of_kind{R"re(\bkind(->|\.)name\s*[!=]=\s*")re"};
  static const std::regex of_option{
      R"re(\boptions_?(\.|->)(flag|integers?|number|duration|texts?|\w+_map|value)\(")re"};
  static const std::regex of_seat{
      R"re(\b(has_option|has|says|lists|of_alarm|value_of<[^>]*>+)\([^,()"]*(\([^()]*\))?,\s*")re"};
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string_view line = source.lines[i];
    for (const std::regex* quoted : {&of_kind, &of_option, &of_seat}) {
      if (line.size() > 400 || !std::regex_search(line.begin(), line.end(), *quoted)) continue;
      report(i + 1, "quotes a rule or an option: ask PolicyKind, or use known_options.hpp");
    }
  }
}

void check_machine_paths(const Source& source, const Report& report) {
  static const std::regex path{R"((^|[^A-Za-z0-9_./])/(work|farm|root|home)/[A-Za-z])"};
  // Each in two halves, for this file is covered as well.
  static const std::array<std::string, 7> hosts{
      std::string{"registry."} + "npmjs",     std::string{"registry."} + "yarnpkg",
      std::string{"files."} + "pythonhosted", std::string{"pypi."} + "org",
      std::string{"deb."} + "debian.org",     std::string{"index."} + "crates",
      std::string{"proxy."} + "golang"};
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string_view line = source.lines[i];
    for (const std::string& host : hosts) {
      if (line.find(host) != std::string_view::npos) report(i + 1, "names a package registry");
    }
    const bool maybe = line.find("/work/") != line.npos || line.find("/farm/") != line.npos ||
                       line.find("/root/") != line.npos || line.find("/home/") != line.npos;
    if (maybe && line.size() < 4000 && std::regex_search(line.begin(), line.end(), path)) {
      report(i + 1, "a path of one machine");
    }
  }
}

/// What people wrote to be read: not the reference, which the program generates from its tables.
bool is_page(std::string_view path) {
  if (!path.ends_with(".md") || path.starts_with("docs/reference/")) return false;
  return is_in(path, {"docs", "policies"}) || path == "README.md" || path == "ARCHITECTURE.md" ||
         path == "CONTRIBUTING.md";
}

/// The comments of all headers but those of tests are in plain English.
bool has_plain_comments(std::string_view path) {
  return is_header(path) && !is_in(path, {"tests"});
}

void check_plain_language(const Source& source, const Report& report) {
  const std::string& text = source.file->text;
  for (const Dialect& found : dialect_in(is_cpp(source.file->path) ? comments_of(text) : text)) {
    report(found.line,
           "\"" + std::string{found.phrase} + "\" is not plain: " + std::string{found.instead});
  }
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"clocks", is_kernel, check_clocks},
      {"draws", is_engine, check_draws},
      {"order", is_engine, check_order},
      {"worlds",
       [](std::string_view path) {
         return is_cpp(path) && is_in(path, {"policies", "host"});
       },
       check_worlds},
      {"parent-include", is_cpp, check_parent_includes},
      {"layers", is_cpp, check_layers},
      {"command-line-library", is_cpp, check_command_line_library},
      {"header-comment", is_header, check_header_comment},
      {"pragma-once", is_header, check_pragma_once},
      {"namespace",
       [](std::string_view path) { return is_cpp(path) && file_name(path) != "main.cpp"; },
       check_namespace},
      {"units", [](std::string_view path) { return is_kernel(path) && is_header(path); },
       check_units},
      {"columns",
       [](std::string_view path) {
         return is_cpp(path) || has_extension(path, {".cmake", "CMakeLists.txt", ".sh"});
       },
       check_columns},
      {"function-length", is_cpp, check_function_length},
      {"file-name", is_cpp, check_file_name},
      {"row-number", [](std::string_view path) { return is_in(path, {"tests"}); },
       check_row_number},
      {"rule-name",
       [](std::string_view path) {
         return is_cpp(path) &&
                is_in(path, {"scenarios", "experiments", "report", "app", "host", "models", "sim"});
       },
       check_rule_names},
      {"machine-path", [](std::string_view path) { return !path.ends_with(".lock"); },
       check_machine_paths},
      {"plain-language",
       [](std::string_view path) { return is_page(path) || has_plain_comments(path); },
       check_plain_language},
  };
  return all;
}

bool is_excused(const Source& source, std::size_t line, std::string_view rule) {
  if (line == 0 || line > source.lines.size()) return false;
  const std::string_view text = source.lines[line - 1];
  const std::string excuse = "tidy: allow " + std::string{rule} + ": ";
  const std::size_t at = text.find(excuse);
  return at != std::string_view::npos && at + excuse.size() < text.size();
}

}  // namespace

std::vector<std::string_view> rule_names() {
  std::vector<std::string_view> names;
  for (const Rule& rule : rules()) names.push_back(rule.name);
  return names;
}

SentenceLengths sentence_lengths_of(std::span<const File> files) {
  std::vector<std::size_t> lengths;
  for (const File& file : files) {
    if (!is_page(file.path)) continue;
    const std::vector<std::size_t> more = sentence_lengths(file.text);
    lengths.insert(lengths.end(), more.begin(), more.end());
  }
  return summary_of(std::move(lengths));
}

std::vector<Finding> check(std::span<const File> files) {
  std::vector<Finding> findings;
  std::vector<std::size_t> covered(rules().size(), 0);
  for (const File& file : files) {
    Source source{&file, is_cpp(file.path) ? code_of(file.text) : file.text, {}, {}};
    source.lines = lines_of(file.text);
    source.code_lines = lines_of(source.code);
    for (std::size_t i = 0; i < rules().size(); ++i) {
      const Rule& rule = rules()[i];
      if (!rule.covers(file.path)) continue;
      ++covered[i];
      rule.check(source, [&](std::size_t line, std::string message) {
        if (is_excused(source, line, rule.name)) return;
        findings.push_back({file.path, line, std::string{rule.name}, std::move(message)});
      });
    }
  }
  for (std::size_t i = 0; i < rules().size(); ++i) {
    if (covered[i] > 0) continue;
    findings.push_back({"", 0, "covers-nothing", std::string{rules()[i].name} + " covers no file"});
  }
  const SentenceLengths lengths = sentence_lengths_of(files);
  if (lengths.median > kMedianWords || lengths.percentile_95 > kPercentile95Words) {
    findings.push_back({"", 0, "plain-language",
                        "sentences of the pages have " + std::to_string(lengths.median) +
                            " words in the median and " + std::to_string(lengths.percentile_95) +
                            " at the 95th percentile, at most " + std::to_string(kMedianWords) +
                            " and " + std::to_string(kPercentile95Words)});
  }
  for (const Layer& layer : layers()) {
    const bool used = std::any_of(files.begin(), files.end(), [&](const File& file) {
      return is_cpp(file.path) && layer_of(file.path) == &layer;
    });
    if (used) continue;
    findings.push_back({std::string{layer.folder}, 0, "covers-nothing", "the layer has no file"});
  }
  return findings;
}

}  // namespace reeve::tidy
