#include "app/compare/pull_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "app/compare/comparison_columns.hpp"
#include "app/compare/comparison_table.hpp"
#include "app/compare/comparison_text.hpp"
#include "app/compare/study_numbers.hpp"
#include "app/study/interruption.hpp"
#include "app/text/quantity_text.hpp"
#include "app/transport.hpp"
#include "app/usage_error.hpp"
#include "live/aws/system_surroundings.hpp"
#include "live/aws/transport.hpp"
#include "live/aws/uri.hpp"
#include "live/events/json_fields.hpp"
#include "report/format.hpp"
#include "report/sentences.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using nlohmann::json;

/// GitHub refuses longer comments.
constexpr std::size_t longest_comment = 60'000;

bool is_github_name(std::string_view text) {
  return !text.empty() && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

/// "12" of "refs/pull/12/merge"; nothing: a branch or a tag.
std::optional<std::string> number_in(std::string_view ref) {
  constexpr std::string_view begin = "refs/pull/";
  if (!ref.starts_with(begin)) return std::nullopt;
  ref.remove_prefix(begin.size());
  const std::string_view number = ref.substr(0, ref.find('/'));
  const bool is_number = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  if (!is_number) return std::nullopt;
  return std::string{number};
}

/// A refusal that another try does not change.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class GitHub {
 public:
  explicit GitHub(const PullRequest& place) : place_{place} {
    api_ = *live::parse_url(place.api);
    connect();
  }

  /// The reply as JSON.  Throws Refused, or std::runtime_error where another try may help.
  json call(const std::string& method, const std::string& path, std::vector<live::Field> query,
            const json& body) {
    live::Request request;
    request.method = method;
    request.tls = api_.tls;
    request.host = api_.host;
    request.port = api_.port;
    request.path = api_.path + path;
    request.query = std::move(query);
    request.headers = {{"Accept", "application/vnd.github+json"},
                       {"Authorization", "Bearer " + place_.token},
                       {"User-Agent", "reeve"},
                       {"X-GitHub-Api-Version", "2022-11-28"}};
    if (!body.is_null()) {
      request.headers.push_back({"Content-Type", "application/json"});
      request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
      connect();  // on a kept connection libcurl may write a second comment
    }
    const auto sent = transport_->send(request);
    const std::string what = fmt::format("GitHub, {} {}: ", method, request.path);
    if (const auto* failure = std::get_if<live::TransportFailure>(&sent)) {
      throw std::runtime_error{what + failure->message};
    }
    return body_of(std::get<live::Response>(sent), what);
  }

 private:
  void connect() {
    auto transport = new_transport(environment_);
    if (const auto* failure = live::failure_of(transport)) throw Refused{failure->message};
    transport_ = std::move(std::get<std::unique_ptr<live::Transport>>(transport));
    transport_->cancel_when([] { return interruption().load(); });
  }

  static json body_of(const live::Response& response, const std::string& what) {
    json reply = json::parse(response.body, nullptr, false);
    if (response.status >= 200 && response.status < 300) {
      if (reply.is_discarded()) throw std::runtime_error{what + "the reply is no JSON"};
      return reply;
    }
    std::string message = fmt::format("{}status {}", what, response.status);
    const std::string told = live::text_of(reply, "message");
    if (!told.empty()) message += ": " + told;
    const bool is_rate = message.find("rate limit") != std::string::npos;
    if (response.status == 403 && !is_rate) {
      message += "; the job needs the permission pull-requests: write";
    }
    const bool may_help = response.status >= 500 || response.status == 429 || is_rate;
    if (may_help) throw std::runtime_error{message};
    throw Refused{message};
  }

  const PullRequest& place_;
  live::SystemEnvironment environment_;
  std::unique_ptr<live::Transport> transport_;
  live::Url api_;
};

/// Whose token it is; empty: a workflow or another app, which may not ask.
std::string login_of(GitHub& github) {
  try {
    return live::text_of(github.call("GET", "/user", {}, {}), "login");
  } catch (const Refused&) {
    return {};
  }
}

/// Whether the owner of the token wrote it: anyone can write a comment that begins with the mark.
bool is_own(const json& comment, const std::string& login) {
  const auto user = comment.find("user");
  if (user == comment.end()) return false;
  return login.empty() ? live::text_of(*user, "type") == "Bot"
                       : live::text_of(*user, "login") == login;
}

/// The number of the own comment that begins with `mark`; nothing: there is none.
std::optional<std::int64_t> comment_that_begins(GitHub& github, const std::string& comments,
                                                const std::string& mark) {
  const std::string login = login_of(github);
  constexpr int page_size = 100;
  constexpr int most_pages = 100;
  for (int page = 1; page <= most_pages; ++page) {
    const json found =
        github.call("GET", comments,
                    {{"per_page", std::to_string(page_size)}, {"page", std::to_string(page)}}, {});
    if (!found.is_array()) throw Refused{"GitHub: the comments are no list"};
    for (const json& comment : found) {
      const bool has_id = comment.is_object() && comment.contains("id");
      if (has_id && comment["id"].is_number_integer() && is_own(comment, login) &&
          live::text_of(comment, "body").starts_with(mark))
        return comment["id"].get<std::int64_t>();
    }
    if (found.size() < page_size) break;
  }
  return std::nullopt;
}

std::string put_once(GitHub& github, const PullRequest& place, const std::string& text) {
  const std::string mark = text.substr(0, text.find('\n'));
  const std::string issues = "/repos/" + place.repository + "/issues/";
  const std::string comments = issues + place.number + "/comments";
  const auto known = comment_that_begins(github, comments, mark);
  const json body{{"body", text}};
  const json reply =
      known ? github.call("PATCH", issues + "comments/" + std::to_string(*known), {}, body)
            : github.call("POST", comments, {}, body);
  return live::text_of(reply, "html_url");
}

/// "−$24,120.42 (−$28,306.11 to −$19,934.73)", exact without an interval; "–": no value.
std::string change_text(const Study& study, const PolicyNumbers& of, const PolicyNumbers& base,
                        std::string_view measure) {
  const std::size_t at = study.index(measure);
  if (at == study.measures.size()) return "–";
  const Estimate diff = study.difference(of, base, at);
  const auto shown = printed_difference(study, of, base, measure);
  if (diff.samples == 0 || !shown) return "–";
  const auto text = [&](double value) {
    return text_beside(measure, of.zero[at], value, diff.half_width());
  };
  std::string out = text(experiments::as_double(*shown));
  if (study.draws() > 1 && diff.samples > 1 && diff.low != diff.high) {
    out += " (" + text(diff.low) + " to " + text(diff.high) + ')';
  }
  return out;
}

/// Texts of the user cannot be read as Markdown or HTML, and mention no one.
std::string as_code(std::string_view text, bool in_table = false) {
  std::string out = "`` ";
  for (const char c : text) {
    if (c == '|' && in_table) out += '\\';  // it would end the cell
    out += c == '`' ? '\'' : c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + " ``";
}

std::string changes_table(const Study& study, std::size_t baseline) {
  const PolicyNumbers& base = study.policies[baseline];
  std::string text =
      "| policy | cost | verdict | false stops | time to result |\n"
      "| :-- | --: | :-- | --: | --: |\n";
  const ShownMeasure cost{"billed_usd", "billed", true};
  for (const PolicyNumbers& of : study.policies) {
    if (&of == &base) continue;
    const Estimate diff = study.difference(of, base, study.index(cost.measure));
    text += fmt::format("| {} | {} | {} | {} | {} |\n", as_code(of.policy->name, true),
                        change_text(study, of, base, cost.measure),
                        verdict_on(study, cost, of, base, diff),
                        change_text(study, of, base, "false_stops"),
                        change_text(study, of, base, result_measure(study)));
  }
  return text;
}

}  // namespace

std::optional<PullRequest> pull_request_here() {
  const live::SystemEnvironment environment;
  PullRequest here;
  here.repository = environment.get("GITHUB_REPOSITORY").value_or("");
  here.token = environment.get("GITHUB_TOKEN").value_or("");
  here.api = environment.get("GITHUB_API_URL").value_or("https://api.github.com");
  const auto ref = environment.get("GITHUB_REF");
  if (here.repository.empty() || !ref) {
    throw UsageError{"--github: GITHUB_REPOSITORY and GITHUB_REF are not set",
                     "it is for a workflow of GitHub Actions; --md prints Markdown anywhere"};
  }
  const std::size_t slash = here.repository.find('/');
  if (slash == std::string::npos || !is_github_name(here.repository.substr(0, slash)) ||
      !is_github_name(here.repository.substr(slash + 1))) {
    throw UsageError{"--github: GITHUB_REPOSITORY is " + here.repository + ", not OWNER/NAME"};
  }
  const auto number = number_in(*ref);
  if (!number) return std::nullopt;
  here.number = *number;
  if (here.token.empty()) {
    throw UsageError{"--github: GITHUB_TOKEN is not set",
                     "in the step: env: { GITHUB_TOKEN: ${{ github.token }} }"};
  }
  const auto api = live::parse_url(here.api);
  const bool is_local = api && (api->host == "127.0.0.1" || api->host == "localhost");
  if (!api || (!api->tls && !is_local)) {
    throw UsageError{"--github: GITHUB_API_URL is " + here.api + ", not an address of https"};
  }
  return here;
}

std::string pull_request_text(const Study& study, std::size_t baseline) {
  const scenarios::Scenario& scenario = *study.scenario;
  const PolicyNumbers& base = study.policies[baseline];
  std::string text = fmt::format("<!-- reeve compare {} -->\n",
                                 live::uri_encode(scenario.file.generic_string(), "/"));
  text += fmt::format("### reeve: {}\n\n", as_code(scenario.name));
  if (const PolicyNumbers* best = best_of(study, base)) {
    text += as_code(closing_sentence(study, base, *best)) + "\n\n";
  }
  if (study.policies.size() > 1) {
    text += fmt::format("Against {}{}:\n\n", as_code(base.policy->name),
                        study.draws() > 1 ? ", paired by run, with 95 % intervals" : "");
    text += changes_table(study, baseline) + '\n';
  }
  text += report::expectations(study.lines_held(), study.lines_asked()) + '\n';
  for (const std::string& line : untrue_lines(study)) text += "- " + as_code(line) + '\n';
  text += fmt::format("\n<sub>{}, digest {}</sub>\n", draws_text(study), study.digest);
  if (text.size() > longest_comment) {
    std::size_t end = longest_comment;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    text += "\n\nThe rest is left out: a comment cannot be longer.\n";
  }
  return text;
}

std::string put_comment(const PullRequest& place, const std::string& text) {
  constexpr int most_tries = 3;
  constexpr std::chrono::seconds pause{2};
  GitHub github{place};
  for (int tries = 1;; ++tries) {
    try {
      // A comment whose reply was lost is found by the next try.
      return put_once(github, place, text);
    } catch (const Refused&) {
      throw;
    } catch (const std::runtime_error&) {
      if (tries == most_tries || interruption()) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace reeve::app
