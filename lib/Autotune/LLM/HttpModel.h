//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What all models behind an HTTP endpoint share: faults, probing, keeping the key out of texts.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_AUTOTUNE_LLM_HTTPMODEL_H
#define HELIONC_LIB_AUTOTUNE_LLM_HTTPMODEL_H

#include "helionc/Autotune/LLM/Models.h"

#include "llvm/Support/JSON.h"

namespace helionc::autotune {

/// A protocol is a subclass: where to post, with which headers, what body, how to read the answer.
class HttpModel : public LanguageModel {
public:
  HttpModel(std::unique_ptr<HttpClient> client, std::string base, std::string model, std::string key);
  std::string name() const override { return model; }
  std::optional<ModelFault> probe(const std::atomic<bool> &cancel) override;
  ModelReply complete(const ModelRequest &request, const std::atomic<bool> &cancel) override;

protected:
  virtual std::string path() const = 0;
  virtual std::vector<std::string> keyHeaders() const = 0;
  virtual llvm::json::Object body(const ModelRequest &request) const = 0;
  /// Reads an answer; nothing when it has not the protocol's form.
  virtual std::optional<Completion> decode(const llvm::json::Object &answer) const = 0;
  /// Some endpoints refuse a field that others need. True when a field was changed and asking again makes sense.
  virtual bool dropRefusedField(llvm::StringRef answer) { return false; }

  std::string base, model, key;

private:
  ModelReply ask(const ModelRequest &request, const std::atomic<bool> &cancel);
  ModelReply read(const std::string &answer) const;
  ModelFault fault(const HttpReply &reply) const;
  std::string excerpt(const std::string &answer) const;

  std::unique_ptr<HttpClient> client;
};

/// `text` as JSON may hold it.
std::string jsonText(const std::string &text);

} // namespace helionc::autotune

#endif // HELIONC_LIB_AUTOTUNE_LLM_HTTPMODEL_H
