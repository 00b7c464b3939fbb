"""What may happen to a running program: kills, interrupts, full disks, other writers, threads."""
