#include "app/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "app/text/shell_word.hpp"
#include "report/terminal.hpp"

namespace reeve::app {
namespace {

/// no-color.org: set and not empty.
bool refuses_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return true;
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view{terminal} == "dumb";
}

void write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

}  // namespace

bool Console::colour_out() const {
  return !no_color && isatty(STDOUT_FILENO) == 1 && !refuses_colour();
}

bool Console::colour_err() const {
  return !no_color && isatty(STDERR_FILENO) == 1 && !refuses_colour();
}

bool Console::watched() const {
  return !quiet && isatty(STDERR_FILENO) == 1;
}

std::size_t Console::width() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

void Console::print(std::string_view text) const {
  write(stdout, text);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::runtime_error{std::string{"cannot write to stdout: "} + std::strerror(errno)};
  }
}

void Console::print(const report::Table& table) const {
  if (json) return print(report::json(table));
  print(report::terminal(table, {.width = width(), .colour = colour_out()}));
}

void Console::print_as(std::string_view key, std::string_view text) const {
  if (!json) return print(text);
  const nlohmann::ordered_json out{{key, text}};
  print(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

void Console::wrote(std::span<const std::string> files) const {
  if (json) {
    const nlohmann::ordered_json out{{"wrote", files}};
    print(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  }
  for (const std::string& file : files) note("wrote " + file + '\n');
}

std::string Console::next(std::string_view command) const {
  std::string words;
  for (const std::string& plugin : plugins) words += "--plugin " + shell_word(plugin) + ' ';
  return "reeve " + words + std::string{command};
}

void Console::note(std::string_view text) const {
  if (!quiet) complain(text);
}

void Console::detail(std::string_view text) const {
  if (verbose && !quiet) complain(text);
}

void Console::complain(std::string_view text) const {
  if (!logs || text.starts_with('{')) return write(stderr, text);
  while (text.ends_with('\n')) text.remove_suffix(1);
  const nlohmann::ordered_json line{{"event", "message"}, {"text", text}};
  write(stderr, line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace reeve::app
