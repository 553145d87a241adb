"""`python -m waymeet` is the command `waymeet`."""

from waymeet.interfaces.cli import main

if __name__ == "__main__":
    main()
