#include "live/journal/answer_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view confirm = "confirm";
constexpr std::string_view refuse = "refuse";

struct Descriptor {
  int number = -1;
  explicit Descriptor(int opened) : number{opened} {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

std::string line_of(const Answer& answer) {
  const ordered_json line{{"action", answer.action},
                          {"answer", answer.confirms ? confirm : refuse},
                          {"by", answer.by},
                          {"at", iso_date(answer.at)}};
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string text_of(const ordered_json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<Answer> answer_in(const std::string& text) {
  const auto line = ordered_json::parse(text, nullptr, false);
  if (!line.is_object()) return std::nullopt;
  Answer answer;
  answer.action = text_of(line, "action");
  answer.confirms = text_of(line, "answer") == confirm;
  answer.by = text_of(line, "by");
  const auto at = parse_iso_date(text_of(line, "at"));
  if (answer.action.empty() || !at) return std::nullopt;
  if (!answer.confirms && text_of(line, "answer") != refuse) return std::nullopt;
  answer.at = *at;
  return answer;
}

/// Root answers for a service that runs as another user.
void give_to_owner_of(const std::string& journal, int file) {
  struct stat owner {};
  if (geteuid() != 0 || stat(journal.c_str(), &owner) != 0) return;
  if (fchown(file, owner.st_uid, owner.st_gid) != 0) return;  // then the service says it
}

}  // namespace

std::optional<Failure> AnswerFile::append(const std::vector<Answer>& answers) const {
  const auto failed = [&] {
    return Failure{path_ + " cannot be written: " + std::strerror(errno)};
  };
  const Descriptor file{::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
  if (file.number < 0 || flock(file.number, LOCK_EX) != 0) return failed();
  struct stat before {};
  if (fstat(file.number, &before) != 0) return failed();
  std::string text;
  if (before.st_size == 0) {
    give_to_owner_of(path_.substr(0, path_.rfind('.')), file.number);
  } else {
    char last = '\n';  // a crash may have cut the last line off
    if (pread(file.number, &last, 1, before.st_size - 1) != 1) return failed();
    if (last != '\n') text += '\n';
  }
  for (const Answer& answer : answers) text += line_of(answer);
  const auto written = write(file.number, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size()) && fsync(file.number) == 0) return std::nullopt;
  const Failure failure = failed();
  const bool is_undone = ftruncate(file.number, before.st_size) == 0;
  return is_undone ? failure : Failure{failure.message + ", and has a part of the answers"};
}

Result<std::vector<Answer>> AnswerFile::read_new() {
  const auto failed = [&] { return Failure{path_ + " cannot be read: " + std::strerror(errno)}; };
  const Descriptor file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0 && errno != ENOENT) return failed();
  struct stat now {};
  if (file.number >= 0 && fstat(file.number, &now) != 0) return failed();
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (size < read_) read_ = 0;  // another file: an answer that is known changes nothing
  std::vector<Answer> answers;
  if (size == read_) return answers;
  std::string text(size - read_, '\0');
  const ssize_t got = pread(file.number, text.data(), text.size(), static_cast<off_t>(read_));
  if (got < 0) return failed();
  text.resize(static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    if (auto answer = answer_in(text.substr(begin, end - begin))) {
      answers.push_back(*std::move(answer));
    }
  }
  read_ += begin;
  return answers;
}

}  // namespace reeve::live
