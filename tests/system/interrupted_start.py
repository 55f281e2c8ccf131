"""What a fork server loads in a test: Ctrl-C comes while it does."""

import os
import signal

os.kill(os.getpid(), signal.SIGINT)
