//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of digests, names, files and frames.
//===----------------------------------------------------------------------===//

#include "helionc/Support/Digest.h"
#include "helionc/Support/EditDistance.h"
#include "helionc/Support/FileSystem.h"
#include "helionc/Support/Framing.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace helionc::support;

static std::string textOf(llvm::Error error) { return error ? llvm::toString(std::move(error)) : "ok"; }

TEST(Digest, IsSha256) {
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(digest(""), digest(llvm::StringRef("\0", 1)));
}

TEST(EditDistance, FindsTheNearestName) {
  EXPECT_EQ(didYouMean("num_warp", {"num_warps", "num_stages"}), "num_warps");
  EXPECT_EQ(didYouMean("BLOCK", {"block", "black"}), "block");
  EXPECT_EQ(didYouMean("xyz", {"num_warps"}), "");
  EXPECT_EQ(didYouMean("x", {}), "");
}

TEST(FileSystem, WritesWholeFilesAndLeavesNothingElse) {
  TempDirectory folder;
  ASSERT_NE(folder.path(), "");
  std::string path = folder.path() + "/file";
  EXPECT_EQ(textOf(writeFileAtomically(path, "one")), "ok");
  EXPECT_EQ(textOf(writeFileAtomically(path, "two")), "ok");
  auto back = readFile(path);
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(*back, "two");
  EXPECT_EQ(textOf(checkWritable(path)), "ok");
  std::error_code code;
  int entries = 0;
  for (llvm::sys::fs::directory_iterator it(folder.path(), code), end; it != end; it.increment(code))
    ++entries;
  EXPECT_EQ(entries, 1);
}

TEST(FileSystem, SaysWhyAPathCannotBeWritten) {
  TempDirectory folder;
  EXPECT_EQ(textOf(checkWritable(folder.path())), "cannot write '" + folder.path() + "': it is a directory");
  std::string missing = folder.path() + "/no/file";
  EXPECT_EQ(textOf(checkWritable(missing)),
            "cannot write '" + missing + "': there is no directory '" + folder.path() + "/no'");
  EXPECT_EQ(textOf(writeFileAtomically(missing, "x")), "cannot write '" + missing + "': No such file or directory");
  EXPECT_EQ(textOf(readFile(missing).takeError()), "cannot read '" + missing + "': No such file or directory");
}

TEST(FileSystem, ADeviceStaysADevice) {
  EXPECT_EQ(textOf(checkWritable("/dev/null")), "ok");
  EXPECT_EQ(textOf(writeFileAtomically("/dev/null", "gone")), "ok");
  struct stat status;
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(FileSystem, TemporaryFoldersArePrivateAndGo) {
  std::string path;
  {
    TempDirectory folder;
    path = folder.path();
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    ASSERT_EQ(textOf(writeFileAtomically(path + "/file", "x")), "ok");
  }
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}

namespace {
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    closeWriter();
    close(ends[0]);
  }
  void closeWriter() {
    if (ends[1] >= 0)
      close(ends[1]);
    ends[1] = -1;
  }
};
} // namespace

TEST(Framing, CarriesMessagesOfAnySize) {
  Pipe pipe;
  std::string large(1 << 20, 'x');
  std::thread writer([&] {
    EXPECT_EQ(textOf(writeFrame(pipe.ends[1], "")), "ok");
    EXPECT_EQ(textOf(writeFrame(pipe.ends[1], large)), "ok");
  });
  auto first = readFrame(pipe.ends[0], 5), second = readFrame(pipe.ends[0], 5);
  writer.join();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, "");
  EXPECT_EQ(*second, large);
}

TEST(Framing, TellsATimeoutFromAnEnd) {
  Pipe pipe;
  bool timedOut = false;
  // A header that promises more than comes.
  ASSERT_EQ(write(pipe.ends[1], "\5\0\0\0ab", 6), 6);
  EXPECT_EQ(textOf(readFrame(pipe.ends[0], 0.05, &timedOut).takeError()), "no answer in time");
  EXPECT_TRUE(timedOut);
  timedOut = false;
  pipe.closeWriter();
  EXPECT_EQ(textOf(readFrame(pipe.ends[0], 5, &timedOut).takeError()), "the other side is gone");
  EXPECT_FALSE(timedOut);
}

TEST(Framing, RefusesAbsurdLengths) {
  Pipe pipe;
  ASSERT_EQ(write(pipe.ends[1], "\377\377\377\377", 4), 4);
  EXPECT_EQ(textOf(readFrame(pipe.ends[0], 5).takeError()), "a message of an absurd length");
}
