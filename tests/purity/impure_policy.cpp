// Everything a policy must not do, each once: the purity check must see every one of them.
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

extern "C" int Clp_readMps(void* model, const char* file, int keep_names, int ignore_errors);

namespace reeve::host {

int believed();  // never defined: a policy must not even name it

}  // namespace reeve::host

namespace reeve::policies {

const char* environment() {
  return std::getenv("HOME");
}
long clock() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
long c_clock() {
  return static_cast<long>(std::time(nullptr));
}
std::FILE* file() {
  return std::fopen("state", "r");
}
void stream() {
  std::ofstream{"state"} << 1;
}
unsigned random() {
  return std::random_device{}();
}
int c_random() {
  return std::rand();
}
void thread() {
  std::thread{[] {}}.join();
}
int socket() {
  return ::socket(AF_INET, SOCK_STREAM, 0);
}
int layer() {
  return host::believed();
}
void console() {
  std::cout << 1;
}
int solver_file(void* model) {
  return Clp_readMps(model, "programme.mps", 0, 0);
}
double locale_parser(const char* text) {
  return std::strtod(text, nullptr);
}

}  // namespace reeve::policies
