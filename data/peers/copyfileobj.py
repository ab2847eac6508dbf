# SPDX-License-Identifier: MIT
# shutil.copyfileobj between the binary streams that every Python program has.
import shutil
import sys

shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)
sys.stdout.buffer.flush()
