//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Transcripts as JSON lines.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/Transcript.h"

#include "helionc/Autotune/LLM/Redaction.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::autotune;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr llvm::StringLiteral finishNames[] = {"stop", "length", "refused", "other"};
static constexpr llvm::StringLiteral faultNames[] = {"config", "passing", "cancelled"};

StringRef helionc::autotune::toText(FinishReason reason) { return finishNames[size_t(reason)]; }

static std::string utf8(const std::string &text) { return json::isUTF8(text) ? text : json::fixUTF8(text); }

static json::Object entryToJson(const TranscriptEntry &entry) {
  json::Array messages;
  for (const Message &message : entry.messages)
    messages.push_back(json::Object{{"role", utf8(message.role)}, {"text", utf8(message.text)}});
  json::Object object{
      {"model", utf8(entry.model)}, {"language_model", entry.isLanguageModel}, {"messages", std::move(messages)}};
  if (auto *completion = std::get_if<Completion>(&entry.reply)) {
    object["reply"] = utf8(completion->text);
    object["finish"] = autotune::toText(completion->finish);
    object["input_tokens"] = completion->inputTokens;
    object["output_tokens"] = completion->outputTokens;
    object["seconds"] = completion->seconds;
  } else {
    const auto &fault = std::get<ModelFault>(entry.reply);
    object["fault"] = faultNames[size_t(fault.kind)];
    object["error"] = utf8(fault.message);
  }
  return object;
}

llvm::Expected<TranscriptWriter> TranscriptWriter::create(StringRef path, std::string secret) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::OF_Text);
  if (error)
    return llvm::createStringError(error, "cannot write the transcript '" + path + "': " + error.message());
  return TranscriptWriter(path.str(), std::move(secret));
}

llvm::Error TranscriptWriter::append(const TranscriptEntry &entry) {
  TranscriptEntry clean = entry;
  for (Message &message : clean.messages)
    message.text = redact(message.text, secret);
  if (auto *completion = std::get_if<Completion>(&clean.reply))
    completion->text = redact(completion->text, secret);
  else
    std::get<ModelFault>(clean.reply).message = redact(std::get<ModelFault>(clean.reply).message, secret);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::OF_Append);
  if (!error) {
    stream << json::Value(entryToJson(clean)) << "\n";
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? llvm::createStringError(error, "cannot write the transcript '" + path + "': " + error.message())
               : llvm::Error::success();
}

static std::optional<TranscriptEntry> entryFromJson(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return std::nullopt;
  TranscriptEntry entry;
  entry.model = object->getString("model").value_or("").str();
  entry.isLanguageModel = object->getBoolean("language_model").value_or(true);
  if (const json::Array *messages = object->getArray("messages"))
    for (const json::Value &message : *messages)
      if (const json::Object *parts = message.getAsObject())
        entry.messages.push_back(
            {parts->getString("role").value_or("").str(), parts->getString("text").value_or("").str()});
  if (std::optional<StringRef> text = object->getString("reply")) {
    Completion completion;
    completion.text = text->str();
    auto finish = llvm::find(finishNames, object->getString("finish").value_or("stop"));
    completion.finish =
        finish == std::end(finishNames) ? FinishReason::Other : FinishReason(finish - std::begin(finishNames));
    completion.inputTokens = std::max<int64_t>(0, object->getInteger("input_tokens").value_or(0));
    completion.outputTokens = std::max<int64_t>(0, object->getInteger("output_tokens").value_or(0));
    completion.seconds = object->getNumber("seconds").value_or(0);
    entry.reply = std::move(completion);
    return entry;
  }
  auto kind = llvm::find(faultNames, object->getString("fault").value_or(""));
  if (kind == std::end(faultNames))
    return std::nullopt;
  entry.reply = ModelFault{ModelFault::Kind(kind - std::begin(faultNames)),
                           object->getString("error").value_or("").str(), std::nullopt};
  return entry;
}

llvm::Expected<std::vector<TranscriptEntry>> helionc::autotune::readTranscript(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read the transcript '" + path + "': " + buffer.getError().message());
  std::vector<TranscriptEntry> entries;
  StringRef rest = (*buffer)->getBuffer();
  for (size_t number = 1; !rest.empty(); ++number) {
    auto [line, next] = rest.split('\n');
    rest = next;
    if (line.trim().empty())
      continue;
    llvm::Expected<json::Value> parsed = tuning::parseUntrustedJson(line, /*maxBytes=*/16 << 20);
    std::optional<TranscriptEntry> entry = parsed ? entryFromJson(*parsed) : std::nullopt;
    if (!parsed)
      llvm::consumeError(parsed.takeError());
    if (!entry)
      return llvm::createStringError("line " + llvm::Twine(number) + " of the transcript '" + path +
                                     "' is no exchange with a model");
    entries.push_back(std::move(*entry));
  }
  return entries;
}
