// Examples of the test suite that AWS publishes for its signatures: one key, one instant.

#include "live/aws/sigv4.hpp"

#include <gtest/gtest.h>

#include "live/aws/timestamps.hpp"
#include "live/aws/uri.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

using policy::Instant;

const Instant suite_time = *parse_amz_date("20150830T123600Z");

AccessKey suite_key() {
  return {"AKIDEXAMPLE", Secret{std::string_view{"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}}, {}};
}

SigningScope suite_scope() {
  return {"us-east-1", "service", suite_time};
}

Request suite_request(std::string method, std::string_view target) {
  Request request;
  request.method = std::move(method);
  request.host = "example.amazonaws.com";
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query = parse_query(target.substr(std::min(mark + 1, target.size())));
  return request;
}

std::string suite_authorization(Request request, const std::string& names) {
  sign(request, suite_key(), suite_scope());
  const std::string text = header_of(request, "authorization");
  const std::string prefix =
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
      "SignedHeaders=" +
      names + ", Signature=";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string suite_signature(std::string method, std::string_view target) {
  return suite_authorization(suite_request(std::move(method), target), "host;x-amz-date");
}

constexpr std::string_view vanilla =
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";

TEST(Sigv4Suite, Vanilla) {
  Request request = suite_request("GET", "/");
  request.headers.push_back({"X-Amz-Date", "20150830T123600Z"});
  const std::vector<std::string> names = signed_header_names(request);
  const std::string canonical = canonical_request(request, "service", names);
  EXPECT_EQ(canonical,
            "GET\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\n"
            "host;x-amz-date\n"
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(string_to_sign(canonical, suite_scope()),
            "AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/service/aws4_request\n"
            "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63");
  EXPECT_EQ(suite_signature("GET", "/"), vanilla);
  EXPECT_EQ(suite_signature("POST", "/"),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
}

TEST(Sigv4Suite, Query) {
  const std::string ordered = "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500";
  EXPECT_EQ(suite_signature("GET", "/?Param1=value1&Param2=value2"), ordered);
  EXPECT_EQ(suite_signature("GET", "/?Param2=value2&Param1=value1"), ordered);
  EXPECT_EQ(suite_signature("GET", "/?Param1=value2&Param1=Value1"),
            "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1");
  EXPECT_EQ(suite_signature("GET",
                            "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
                            "vwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                            "qrstuvwxyz"),
            "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197");
  EXPECT_EQ(suite_signature("GET", "/?\u1234=bar"),
            "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04");
  EXPECT_EQ(suite_signature("POST", "/?Param1=value1"),
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11");
}

TEST(Sigv4Suite, PathsAreNormalizedAndEncodedAgain) {
  for (const char* path : {"//", "/./", "/example/..", "/example1/example2/../.."}) {
    EXPECT_EQ(suite_signature("GET", path), vanilla) << path;
  }
  EXPECT_EQ(suite_signature("GET", "//example//"),
            "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84");
  EXPECT_EQ(suite_signature("GET", "/./example"),
            "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5");
  EXPECT_EQ(suite_signature("GET", "/example space/"),
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741");
  EXPECT_EQ(suite_signature("GET", "/\u1234"),
            "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85");
  EXPECT_EQ(suite_signature("GET",
                            "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"
                            "wxyz"),
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
  Request object = suite_request("GET", "/a%20b//../c");
  EXPECT_TRUE(canonical_request(object, "s3", {}).starts_with("GET\n/a%20b//../c\n"));
  EXPECT_TRUE(canonical_request(object, "batch", {}).starts_with("GET\n/a%2520b/c\n") == false);
  EXPECT_TRUE(canonical_request(object, "batch", {}).starts_with("GET\n/c\n"));
}

TEST(Sigv4Suite, Headers) {
  Request repeated = suite_request("GET", "/");
  for (const char* value : {"value2", "value2", "value1"}) {
    repeated.headers.push_back({"My-Header1", value});
  }
  EXPECT_EQ(suite_authorization(repeated, "host;my-header1;x-amz-date"),
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea");
  Request spaced = suite_request("GET", "/");
  spaced.headers = {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}};
  EXPECT_EQ(suite_authorization(spaced, "host;my-header1;my-header2;x-amz-date"),
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
}

TEST(Sigv4Suite, FormAndSessionToken) {
  Request form = suite_request("POST", "/");
  form.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  form.body = "Param1=value1";
  EXPECT_EQ(suite_authorization(form, "content-type;host;x-amz-date"),
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
  AccessKey key = suite_key();
  key.session_token = Secret{std::string_view{
      "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSP"
      "fIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT"
      "7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlz"
      "m8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="}};
  Request token = suite_request("POST", "/");
  sign(token, key, suite_scope());
  EXPECT_TRUE(header_of(token, "authorization")
                  .ends_with("SignedHeaders=host;x-amz-date;x-amz-security-token, Signature="
                             "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"));
}

Request signed_request(SigningScope scope = suite_scope()) {
  Request request = suite_request("POST", "/v1/tags/arn%3Aaws%3Abatch?a&b=c d");
  request.headers = {{"Content-Type", "application/json"}, {"X-Amz-Target", "A.B"}};
  request.body = "{}";
  sign(request, suite_key(), scope);
  return request;
}

std::optional<SignatureFault> fault_in(const Request& request) {
  const FindKey find_key = [](std::string_view id) {
    return id == "AKIDEXAMPLE" ? std::optional{suite_key()} : std::nullopt;
  };
  return verify(request, find_key, suite_scope());
}

TEST(Sigv4Verify, AcceptsWhatWasSigned) {
  EXPECT_EQ(fault_in(signed_request()), std::nullopt);
  Request again = signed_request();
  sign(again, suite_key(), suite_scope());
  EXPECT_EQ(again.headers, signed_request().headers);
  again.headers.push_back({"User-Agent", "proxy"});
  EXPECT_EQ(fault_in(again), std::nullopt);
}

TEST(Sigv4Verify, RefusesEachChange) {
  const auto fault_after = [](auto change) {
    Request request = signed_request();
    change(request);
    return fault_in(request);
  };
  const auto set = [](Request& request, const char* name, const std::string& value) {
    remove_header(request.headers, name);
    request.headers.push_back({name, value});
  };
  EXPECT_EQ(fault_after([](Request& r) { r.body = "{ }"; }), SignatureFault::mismatch);
  EXPECT_EQ(fault_after([](Request& r) { r.path += "x"; }), SignatureFault::mismatch);
  EXPECT_EQ(fault_after([](Request& r) { r.query.pop_back(); }), SignatureFault::mismatch);
  EXPECT_EQ(fault_after([](Request& r) { r.host = "other"; }), SignatureFault::mismatch);
  EXPECT_EQ(fault_after([&](Request& r) { set(r, "X-Amz-Target", "C.D"); }),
            SignatureFault::mismatch);
  EXPECT_EQ(fault_after([&](Request& r) { set(r, "X-Amz-New", "1"); }),
            SignatureFault::unsigned_header);
  EXPECT_EQ(fault_after([&](Request& r) { set(r, "X-Amz-Security-Token", "t"); }),
            SignatureFault::wrong_token);
  EXPECT_EQ(fault_after([](Request& r) { remove_header(r.headers, "authorization"); }),
            SignatureFault::missing);
  for (const char* text : {"", "AWS4-HMAC-SHA256", "Basic abc", "AWS4-HMAC-SHA256 Credential",
                           "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=;, Signature="}) {
    EXPECT_EQ(fault_after([&](Request& r) { set(r, "Authorization", text); }),
              SignatureFault::incomplete)
        << text;
  }
  EXPECT_EQ(fault_after([&](Request& r) { set(r, "X-Amz-Date", "20150830"); }),
            SignatureFault::incomplete);
  EXPECT_EQ(fault_after([](Request& r) {
              sign(r, {"OTHER", suite_key().secret, {}}, suite_scope());
            }),
            SignatureFault::unknown_key);
  EXPECT_EQ(fault_in(signed_request({"us-east-2", "service", suite_time})),
            SignatureFault::wrong_scope);
  const auto late = suite_time + std::chrono::seconds{301};
  EXPECT_EQ(fault_in(signed_request({"us-east-1", "service", late})), SignatureFault::wrong_time);
  Request object = signed_request();
  object.headers.push_back({"X-Amz-Content-SHA256", sha256_hex("other")});
  sign(object, suite_key(), suite_scope());
  EXPECT_EQ(fault_in(object), SignatureFault::wrong_body);
}

}  // namespace
}  // namespace reeve::live
