// SPDX-License-Identifier: MIT
// The loops of tools/copy-files.cpp --target new and nothing else, each method's: what tests/overhead.sh compares the tool
// with. bare-copy-files COPIES METHOD SOURCE DESTINATION
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

alignas(4096) static char array[BUFSIZ];

static bool by_descriptors(char method, const char* source, const char* destination) {
  const int in = open(source, O_RDONLY);
  const int out = open(destination, O_WRONLY | O_CREAT | O_EXCL, 0666);
  ssize_t n = 0;
  if (in < 0 || out < 0) return false;
  if (method == 'r')
    while ((n = read(in, array, sizeof array)) > 0)
      if (write(out, array, static_cast<size_t>(n)) != n) return false;
  if (method == 's')
    while ((n = sendfile(out, in, nullptr, sizeof array)) > 0) {
    }
  if (method == 'c')
    while ((n = copy_file_range(in, nullptr, out, nullptr, sizeof array, 0)) > 0) {
    }
  return n == 0 && close(in) == 0 && close(out) == 0;
}

static bool by_streams(const char* source, const char* destination) {
  FILE* in = fopen(source, "r");
  FILE* out = fopen(destination, "wx");
  size_t n;
  if (!in || !out) return false;
  do {
    n = fread(array, 1, sizeof array, in);
    if (fwrite(array, 1, n, out) != n) return false;
  } while (n == sizeof array);
  return fclose(in) == 0 && fclose(out) == 0;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  memset(array, 1, sizeof array);
  const char method = strcmp(argv[2], "stdio") == 0 ? 0 : argv[2][0];
  for (long left = atol(argv[1]); left > 0; left--) {
    unlink(argv[4]);
    if (!(method == 0 ? by_streams(argv[3], argv[4]) : by_descriptors(method, argv[3], argv[4]))) return 1;
  }
  return 0;
}
