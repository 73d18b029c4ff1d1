#include "app/command_parser.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <type_traits>
#include <utility>

#include "app/command.hpp"
#include "app/usage_error.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

/// A transformation, as CLI11 reads leading zeros as octal.
CLI::Validator in_decimal(const WholeNumbers& range) {
  const auto check = [range](std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < range.min || value > range.max) {
      return fmt::format("{} is not a whole number from {} to {}", scenarios::in_quotes(text),
                         range.min, range.max);
    }
    text = std::to_string(value);
    return {};
  };
  return {check, ""};
}

CLI::Option* add_target(CLI::App& parser, const Option& option) {
  return std::visit(
      [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), bool*>) {
          return parser.add_flag(option.names, *target, option.help);
        } else {
          return parser.add_option(option.names, *target, option.help);
        }
      },
      option.target);
}

void add_option(CLI::App& parser, const Option& option) {
  CLI::Option* added = add_target(parser, option);
  const Form& form = option.form;
  if (form.required) added->required();
  if (form.comma_separated) added->delimiter(',');
  if (form.takes == Takes::one) added->expected(1)->allow_extra_args(false);
  if (form.takes == Takes::one_at_a_time) added->allow_extra_args(false);
  if (form.takes == Takes::one_or_none) added->expected(0, 1);
  if (!form.one_of.empty()) added->check(CLI::IsMember(form.one_of));
  if (form.whole_in) added->transform(in_decimal(*form.whole_in));
  if (form.between) added->check(CLI::Range(form.between->min, form.between->max));
  if (form.shows_default) added->capture_default_str();
  if (!form.type.empty()) added->type_name(form.type);
  if (form.hidden) added->group("");
}

void add_options(CLI::App& parser, const Command& command) {
  parser.footer(command.footer);
  for (const Option& option : command.options) add_option(parser, option);
}

std::unique_ptr<CLI::App> parser_of(const Program& program) {
  auto parser = std::make_unique<CLI::App>(program.summary, program.name);
  parser->require_subcommand(1);
  parser->set_version_flag("--version", program.version);
  add_options(*parser, program);
  for (const Command& command : program.commands) {
    CLI::App* added = parser->add_subcommand(command.name, command.summary);
    added->fallthrough();
    added->final_callback(command.on_parse);
    add_options(*added, command);
  }
  return parser;
}

/// The command that the words name; nullptr if there is none yet.
const CLI::App* chosen_in(const CLI::App& parser) {
  const auto chosen = parser.get_subcommands();
  return chosen.empty() ? nullptr : chosen.front();
}

std::vector<LongOption> long_options(const CLI::App& parser) {
  std::vector<LongOption> found;
  for (const CLI::Option* option : parser.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) {
      found.push_back({name, option->get_description()});
    }
  }
  return found;
}

/// The option nearest to the first word that belongs to none.
std::string option_hint(const CLI::App& parser) {
  const std::vector<std::string> extras = parser.remaining(true);
  const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-';
  });
  if (option == extras.end()) return {};
  const CLI::App* chosen = chosen_in(parser);
  std::vector<std::string> names;
  for (const CLI::App* of : {chosen == nullptr ? &parser : chosen, &parser}) {
    for (const LongOption& known : long_options(*of)) names.push_back("--" + known.name);
  }
  return scenarios::did_you_mean(option->substr(0, option->find('=')), names);
}

/// Where the options of the chosen command are told.
std::string help_command(const CLI::App& parser) {
  const CLI::App* chosen = chosen_in(parser);
  return chosen == nullptr ? "reeve help" : "reeve help " + chosen->get_name();
}

}  // namespace

Request parse(const Program& program, std::vector<std::string> words) {
  const std::unique_ptr<CLI::App> parser = parser_of(program);
  const auto json = [&] { return parser->get_option("--json")->count() > 0; };
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    parser->parse(words);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* chosen = chosen_in(*parser);
    return {Request::Kind::help, json(),
            chosen == nullptr ? parser->help() : chosen->help(program.name)};
  } catch (const CLI::CallForVersion&) {
    return {Request::Kind::version, json()};
  } catch (const CLI::ExtrasError& error) {
    const std::string hint = option_hint(*parser);
    throw UsageError{error.what(), hint.empty() ? help_command(*parser) : hint};
  } catch (const CLI::ParseError& error) {
    throw UsageError{error.what(), help_command(*parser)};
  }
  return {};
}

CommandText program_text(const Program& program) {
  const std::unique_ptr<CLI::App> parser = parser_of(program);
  return {program.name, program.summary, parser->help(), long_options(*parser)};
}

std::vector<CommandText> command_texts(const Program& program) {
  const std::unique_ptr<CLI::App> parser = parser_of(program);
  std::vector<CommandText> texts;
  for (const CLI::App* command : std::as_const(*parser).get_subcommands({})) {
    texts.push_back({command->get_name(), command->get_description(), command->help(program.name),
                     long_options(*command)});
  }
  return texts;
}

}  // namespace reeve::app
