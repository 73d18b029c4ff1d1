#include "live/aws/curl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace reeve::live {

namespace {

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<CurlLibrary> load_curl(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);  // for the rest of the process
  if (library == nullptr) {
    return Failure{fmt::format(
        "{} cannot be loaded: install the package libcurl4 (Debian, Ubuntu) or libcurl (Amazon "
        "Linux, Fedora)",
        file)};
  }
  CurlLibrary curl;
  const bool whole = look_up(library, "curl_global_init", curl.global_init) &&
                     look_up(library, "curl_easy_init", curl.easy_init) &&
                     look_up(library, "curl_easy_reset", curl.easy_reset) &&
                     look_up(library, "curl_easy_setopt", curl.easy_setopt) &&
                     look_up(library, "curl_easy_getinfo", curl.easy_getinfo) &&
                     look_up(library, "curl_easy_perform", curl.easy_perform) &&
                     look_up(library, "curl_easy_cleanup", curl.easy_cleanup) &&
                     look_up(library, "curl_easy_strerror", curl.easy_strerror) &&
                     look_up(library, "curl_slist_append", curl.slist_append) &&
                     look_up(library, "curl_slist_free_all", curl.slist_free_all);
  if (!whole || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return Failure{fmt::format("{} is no libcurl that reeve can use: update the package", file)};
  }
  return curl;
}

const Result<CurlLibrary>& curl_library() {
  static const Result<CurlLibrary> library = load_curl("libcurl.so.4");
  return library;
}

}  // namespace reeve::live
