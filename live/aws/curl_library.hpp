// The library libcurl, loaded when it is first needed: the program needs no shared library.
#pragma once

#include <curl/curl.h>

#include "live/aws/failure.hpp"

namespace reeve::live {

/// The functions of libcurl that reeve calls.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

/// Loads a library by its file name.  The failure names the package that has it.
Result<CurlLibrary> load_curl(const char* file);

/// `libcurl.so.4`, loaded once.
const Result<CurlLibrary>& curl_library();

}  // namespace reeve::live
