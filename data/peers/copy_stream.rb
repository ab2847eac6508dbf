# SPDX-License-Identifier: MIT
# IO.copy_stream, what Nutter's Ruby of 2008 had natively and JRuby by a transfer between channels.
IO.copy_stream($stdin, $stdout)
