// No banner.
