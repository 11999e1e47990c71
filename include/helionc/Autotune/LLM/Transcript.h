//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The conversation with a model on disk, for reading and for replay.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_TRANSCRIPT_H
#define HELIONC_AUTOTUNE_LLM_TRANSCRIPT_H

#include "helionc/Autotune/LLM/LanguageModel.h"

#include "llvm/Support/Error.h"

namespace helionc::autotune {

/// One exchange.
struct TranscriptEntry {
  std::string model;
  bool isLanguageModel = true;
  std::vector<Message> messages;
  ModelReply reply;
};

/// Appends exchanges to a file of JSON lines, keys taken out.
class TranscriptWriter {
public:
  /// Truncates `path`. `secret` never reaches the file.
  static llvm::Expected<TranscriptWriter> create(llvm::StringRef path, std::string secret);
  llvm::Error append(const TranscriptEntry &entry);

private:
  TranscriptWriter(std::string path, std::string secret) : path(std::move(path)), secret(std::move(secret)) {}
  std::string path, secret;
};

/// Reads a transcript; the error names the line that is none.
llvm::Expected<std::vector<TranscriptEntry>> readTranscript(llvm::StringRef path);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_TRANSCRIPT_H
