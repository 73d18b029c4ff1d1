#include "app/live/interruptible_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/study/interruption.hpp"

namespace reeve::app {

InterruptibleInput::InterruptibleInput(const std::string& file) {
  if (file == "-") {
    descriptor_ = STDIN_FILENO;
    return;
  }
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  owns_ = descriptor_ >= 0;
  struct stat status {};
  if (owns_ && ::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    descriptor_ = -1;
    owns_ = false;
  }
}

InterruptibleInput::~InterruptibleInput() {
  if (owns_) ::close(descriptor_);
}

InterruptibleInput::int_type InterruptibleInput::underflow() {
  constexpr int look_each_ms = 200;
  while (!interruption()) {
    pollfd waits{descriptor_, POLLIN, 0};
    const int ready = ::poll(&waits, 1, look_each_ms);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(descriptor_, buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failure_ = std::strerror(errno);
    if (got <= 0) break;
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
    return traits_type::to_int_type(buffer_.front());
  }
  return traits_type::eof();
}

}  // namespace reeve::app
