"""``python -m attnhand``."""

from attnhand.cli import main

if __name__ == "__main__":
    main()
