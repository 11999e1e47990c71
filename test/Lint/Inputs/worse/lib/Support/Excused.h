// No banner either.
