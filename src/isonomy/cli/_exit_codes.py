"""What a command tells the shell; 0 where all is fine."""

from __future__ import annotations

# What was found does not pass a gate, such as --fail-on-dictator.
EXIT_GATE = 1
# A judge left questions without an answer; the same command asks them again.
EXIT_UNANSWERED = 1
# The user's own, told in a line or two.
EXIT_MISTAKE = 2
# Ours.
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
# As of programs that the system ends when whoever read their output has closed it.
EXIT_BROKEN_PIPE = 141
