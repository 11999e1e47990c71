// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
#define GEN_PASS_DEF_FOUND
