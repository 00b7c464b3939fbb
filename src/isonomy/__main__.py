"""`python -m isonomy`: the command `isonomy`."""

from isonomy.cli import main

if __name__ == "__main__":
    main()
