// SPDX-License-Identifier: MIT
// The loop of tools/ifstream-bytewise.cpp and nothing else: what tests/overhead.sh compares the tool with.
#include <stdio.h>

#include <ext/stdio_filebuf.h>
#include <istream>
#include <ostream>

int main() {
  __gnu_cxx::stdio_filebuf<char> from(0, std::ios::in | std::ios::binary);
  __gnu_cxx::stdio_filebuf<char> to(1, std::ios::out | std::ios::binary);
  std::istream in(&from);
  std::ostream out(&to);
  int c;
  while ((c = in.get()) != EOF)
    if (!out.put(static_cast<char>(c))) return 1;
  return in.bad() || !out.flush();
}
