#include "tests/tidy/prose.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "tests/tidy/source_text.hpp"

namespace reeve::tidy {

namespace {

struct Word {
  std::string text;  // in lower case
  std::size_t line = 0;
};

/// Words that the project does not use, and the standard terms. A phrase may span lines.
struct Term {
  std::string_view phrase;
  std::string_view instead;
};

constexpr std::array terms{
    Term{"nobody", "the actor, or a passive"},
    Term{"somebody", "the actor"},
    Term{"whoever", "the actor"},
    Term{"whom", "the actor"},
    Term{"news", "event, observation"},
    Term{"luck", "random draws"},
    Term{"so many", "the number"},
    Term{"machines", "instances, nodes"},
    Term{"who waits", "pending job"},
    Term{"who is first", "the job at the head of the queue"},
    Term{"stand in line", "is queued"},
    Term{"stands in line", "is queued"},
    Term{"standing in line", "queued"},
    Term{"in the line", "in the queue"},
    Term{"goes before", "runs ahead of"},
    Term{"gives back", "returns"},
    Term{"stand still", "stall"},
    Term{"stands still", "stalls"},
    Term{"standing still", "stalled"},
    Term{"standstill", "stall"},
    Term{"leftover", "orphaned instance or alarm"},
    Term{"leftovers", "orphaned instances or alarms"},
    Term{"start-up", "startup"},
    Term{"start-ups", "startups"},
    Term{"is over", "has ended"},
    Term{"are over", "have ended"},
    Term{"in vain", "without effect"},
    Term{"told of", "notified of"},
    Term{"is told", "receives"},
    Term{"are told", "receive"},
    Term{"asked for", "requested"},
    Term{"asks for", "requests"},
    Term{"wished for", "proposed"},
    Term{"meet anew", "re-rendezvous"},
    Term{"read past", "ignored"},
    Term{"may be luck", "not significant"},
};

bool is_letter(char c) {  // bytes of UTF-8 as well
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & '\x80') != 0;
}

bool is_of_word(char c) {
  return is_letter(c) || c == '\'' || c == '-';
}

std::vector<Word> words_of(std::string_view prose) {
  std::vector<Word> words;
  std::size_t line = 1;
  bool inside = false;
  for (const char c : prose) {
    if (c == '\n') ++line;
    if (!is_of_word(c)) {
      inside = false;
      continue;
    }
    if (!inside) words.push_back({"", line});
    inside = true;
    words.back().text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::erase_if(words, [](const Word& word) {
    return std::none_of(word.text.begin(), word.text.end(), is_letter);
  });
  return words;
}

/// Whether the phrase begins at that word.
bool begins_at(std::span<const Word> words, std::string_view phrase) {
  for (std::size_t i = 0; !phrase.empty(); ++i) {
    const std::string_view first = phrase.substr(0, phrase.find(' '));
    if (i == words.size()) return false;
    const std::string& word = words[i].text;
    if (word != first && word != std::string{first} + "'s") return false;
    phrase.remove_prefix(std::min(phrase.size(), first.size() + 1));
  }
  return true;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == line.npos;
}

/// A list item begins a new paragraph: "* x", "12. x".
bool is_item(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with("* ") || line.starts_with("- ")) return true;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && line.substr(digits).starts_with(". ");
}

void blank_prose(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

/// Fenced blocks and comments of HTML.
void blank_blocks(std::string& text) {
  const std::string original = text;
  std::size_t at = 0;
  bool code = false;
  for (const std::string_view line : lines_of(original)) {
    const bool fence = line.starts_with("```");
    if (fence || code || line.starts_with("<!--")) blank_prose(text, at, at + line.size());
    if (fence) code = !code;
    at += line.size() + 1;
  }
}

/// A span of code is one word, whatever is in it; it ends with its paragraph at the latest.
void join_code_spans(std::string& text) {
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      code = !code;
      text[i] = 'x';
    } else if (text[i] == '\n') {
      if (i + 1 < text.size() && text[i + 1] == '\n') code = false;
    } else if (code) {
      text[i] = 'x';
    }
  }
}

void blank_link_targets(std::string& text) {
  for (std::size_t at = text.find("]("); at != text.npos; at = text.find("](", at + 1)) {
    blank_prose(text, at, text.find(')', at) + 1);
  }
}

/// Whether a sentence ends at that character: "3.5" and "a.csv" have no end.
bool ends_sentence(std::string_view text, std::size_t at) {
  if (std::string_view{".!?"}.find(text[at]) == std::string_view::npos) return false;
  const std::size_t next = text.find_first_not_of("*\")", at + 1);
  return next == text.npos || std::isspace(static_cast<unsigned char>(text[next])) != 0;
}

/// Adds the number of words of each sentence of one paragraph.
void measure(std::string_view paragraph, std::vector<std::size_t>& lengths) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= paragraph.size(); ++i) {
    if (i < paragraph.size() && !ends_sentence(paragraph, i)) continue;
    const std::size_t words = words_of(paragraph.substr(begin, i - begin)).size();
    if (words > 2) lengths.push_back(words);
    begin = i + 1;
  }
}

}  // namespace

std::string prose_of(std::string_view markdown) {
  std::string text{markdown};
  blank_blocks(text);
  join_code_spans(text);
  blank_link_targets(text);
  return text;
}

std::vector<Dialect> dialect_in(std::string_view markdown) {
  const std::vector<Word> words = words_of(prose_of(markdown));
  std::vector<Dialect> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text == "machines" && i > 0 && words[i - 1].text == "state") continue;
    for (const Term& term : terms) {
      if (!begins_at(std::span{words}.subspan(i), term.phrase)) continue;
      found.push_back({words[i].line, term.phrase, term.instead});
    }
  }
  return found;
}

std::vector<std::size_t> sentence_lengths(std::string_view markdown) {
  std::vector<std::size_t> lengths;
  std::string paragraph;
  const std::string prose = prose_of(markdown);
  for (const std::string_view line : lines_of(prose)) {
    const bool apart = is_blank(line) || line.starts_with('#') || line.starts_with('|');
    if (apart || is_item(line)) {
      measure(paragraph, lengths);
      paragraph.clear();
    }
    if (!apart) paragraph += std::string{line} + '\n';
  }
  measure(paragraph, lengths);
  return lengths;
}

SentenceLengths summary_of(std::vector<std::size_t> lengths) {
  if (lengths.empty()) return {};
  std::sort(lengths.begin(), lengths.end());
  return {lengths.size(), lengths[lengths.size() / 2], lengths[lengths.size() * 95 / 100]};
}

}  // namespace reeve::tidy
