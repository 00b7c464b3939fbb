"""The `isonomy` command: parse and delegate."""


def main() -> None:
    """Placeholder until the commands are in."""
