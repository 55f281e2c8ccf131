"""What the program needs of the machine: files, tables, digests, processes; nothing of attention."""
