// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
class OpPassManager;
class BufferManager {};
namespace string_utils {}
