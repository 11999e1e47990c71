// Part of the helionc project
/// \file
/// Declares an option twice.


static const OptionSpec table[] = {
      {"Input", "arg", "NAME=VALUE", "bind an argument"},
      {"Output", "arg", "NAME", "again"},
};
