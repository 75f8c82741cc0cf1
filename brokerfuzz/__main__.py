"""`python -m brokerfuzz` is `brokerfuzz`."""

from brokerfuzz.cli import main

if __name__ == "__main__":
    main()
