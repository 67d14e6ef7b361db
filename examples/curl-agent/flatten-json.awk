# Reads one JSON document and prints a line "path<TAB>value" for each string, number and word in it:
#   {"commands": [{"action": "scale"}]}  ->  .commands.0.action<TAB>scale
# A string keeps its escapes, so that a document inside of a string (an agent's config) can't be taken for the
# reply itself. Prints nothing and ends with 1 when the document is none or is cut short: replies come through
# proxies, which have pages of their own. Plain POSIX awk.

{ text = text $0 "\n" }

END {
  value("", token())
  if (text !~ /^[ \t\r\n]*$/) fail()
  printf "%s", lines
}

function fail() { exit failed = 1 }

function token(found) {
  if (!match(text, /^[ \t\r\n]*("([^"\\]|\\.)*"|[][{}:,]|[^][{}:," \t\r\n]+)/)) fail()
  found = substr(text, 1, RLENGTH)
  text = substr(text, RLENGTH + 1)
  sub(/^[ \t\r\n]+/, "", found)
  return found
}

# The value that begins with this token, which was read already.
function value(path, begin, key, count, next_token) {
  if (begin == "{") {
    next_token = token()
    while (next_token != "}") {
      key = unquoted(next_token)
      if (token() != ":") fail()
      value(path "." key, token())
      next_token = following("}")
    }
  } else if (begin == "[") {
    count = 0
    next_token = token()
    while (next_token != "]") {
      value(path "." count++, next_token)
      next_token = following("]")
    }
  } else if (begin ~ /^"/) lines = lines path "\t" unquoted(begin) "\n"
  else if (begin ~ /^(true|false|null|-?[0-9][0-9.eE+-]*)$/) lines = lines path "\t" begin "\n"
  else fail()
}

# After a member: what comes after the comma, or the closing bracket.
function following(closing, next_token) {
  next_token = token()
  if (next_token == closing) return closing
  if (next_token != ",") fail()
  next_token = token()
  if (next_token == closing) fail()
  return next_token
}

function unquoted(string) {
  if (string !~ /^".*"$/) fail()
  return substr(string, 2, length(string) - 2)
}
