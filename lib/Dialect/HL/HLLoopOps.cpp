//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loops, spans and branches of the hl dialect.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace helionc::hl;

//===----------------------------------------------------------------------===//
// Loop headers: (%a, %b) = (%lo, …) to (%hi, …) step [@p, 4]
//===----------------------------------------------------------------------===//

namespace {
struct LoopHeader {
  SmallVector<OpAsmParser::Argument> spans;
  SmallVector<OpAsmParser::UnresolvedOperand> lowers, uppers;
  SmallVector<Attribute> steps;
};
} // namespace

static ParseResult parseHeader(OpAsmParser &parser, LoopHeader &header) {
  auto parseStep = [&]() -> ParseResult {
    int64_t value;
    OptionalParseResult integer = parser.parseOptionalInteger(value);
    if (integer.has_value()) {
      header.steps.push_back(parser.getBuilder().getI64IntegerAttr(value));
      return *integer;
    }
    StringAttr name;
    if (parser.parseSymbolName(name))
      return failure();
    header.steps.push_back(FlatSymbolRefAttr::get(name));
    return success();
  };
  if (parser.parseArgumentList(header.spans, OpAsmParser::Delimiter::Paren) || parser.parseEqual() ||
      parser.parseOperandList(header.lowers, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("to") ||
      parser.parseOperandList(header.uppers, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("step") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseStep))
    return failure();
  if (header.spans.size() != header.steps.size())
    return parser.emitError(parser.getNameLoc()) << "C1: expected as many steps as spans";
  for (auto [span, step] : llvm::zip(header.spans, header.steps)) {
    span.type = parser.getChecked<SpanType>(parser.getNameLoc(), parser.getContext(), step);
    if (!span.type)
      return failure();
  }
  return success();
}

static void printHeader(OpAsmPrinter &printer, ValueRange spans, ValueRange lowers, ValueRange uppers,
                        ArrayAttr steps) {
  printer << " (" << spans << ") = (" << lowers << ") to (" << uppers << ") step [";
  llvm::interleaveComma(steps, printer, [&](Attribute step) {
    if (auto integer = dyn_cast<IntegerAttr>(step))
      printer << integer.getInt();
    else
      printer << step;
  });
  printer << ']';
}

static LogicalResult verifyHeader(Operation *op, ValueRange lowers, ValueRange uppers, ArrayAttr steps,
                                  ValueRange spans) {
  if (lowers.size() != steps.size() || uppers.size() != steps.size() || spans.size() != steps.size())
    return op->emitOpError() << "C1: " << lowers.size() << " lower bounds, " << uppers.size() << " upper bounds, "
                             << steps.size() << " steps and " << spans.size() << " spans";
  for (auto [span, step] : llvm::zip(spans, steps)) {
    if (auto integer = dyn_cast<IntegerAttr>(step); integer ? integer.getInt() <= 0 : !isa<FlatSymbolRefAttr>(step))
      return op->emitOpError() << "C3: a step must be a positive integer or a parameter, not " << step;
    if (auto type = dyn_cast<SpanType>(span.getType()); !type || type.getExtent() != step)
      return op->emitOpError() << "C2: a span of type " << span.getType() << " for the step " << step;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// GridOp
//===----------------------------------------------------------------------===//

static ParseResult resolveBounds(OpAsmParser &parser, OperationState &result, LoopHeader &header) {
  Type index = parser.getBuilder().getIndexType();
  return failure(parser.resolveOperands(header.lowers, index, result.operands) ||
                 parser.resolveOperands(header.uppers, index, result.operands));
}

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  LoopHeader header;
  if (parseHeader(parser, header) || resolveBounds(parser, result, header))
    return failure();
  result.addAttribute(getStepsAttrName(result.name), parser.getBuilder().getArrayAttr(header.steps));
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {static_cast<int32_t>(header.lowers.size()), static_cast<int32_t>(header.uppers.size())}));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), header.spans))
    return failure();
  if (result.regions.front()->empty())
    return parser.emitError(parser.getNameLoc()) << "expected a body";
  return success();
}

void GridOp::print(OpAsmPrinter &printer) {
  printHeader(printer, getBody().getArguments(), getLowers(), getUppers(), getSteps());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getStepsAttrName(), getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult GridOp::verify() {
  return verifyHeader(*this, getLowers(), getUppers(), getSteps(), getBody().getArguments());
}

//===----------------------------------------------------------------------===//
// LoopOp
//===----------------------------------------------------------------------===//

static ParseResult parseCarried(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inits, SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword("iter")))
    return success();
  if (parser.parseAssignmentList(arguments, inits) || parser.parseArrowTypeList(types))
    return failure();
  if (arguments.size() != types.size())
    return parser.emitError(parser.getNameLoc()) << "C4: expected as many types as carried values";
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  return success();
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  LoopHeader header;
  SmallVector<OpAsmParser::Argument> carried;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  if (parseHeader(parser, header) || resolveBounds(parser, result, header) ||
      parseCarried(parser, carried, inits, result.types) ||
      parser.resolveOperands(inits, result.types, parser.getNameLoc(), result.operands))
    return failure();
  result.addAttribute(getStepsAttrName(result.name), parser.getBuilder().getArrayAttr(header.steps));
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr({static_cast<int32_t>(header.lowers.size()),
                                                                static_cast<int32_t>(header.uppers.size()),
                                                                static_cast<int32_t>(inits.size())}));
  SmallVector<OpAsmParser::Argument> arguments(header.spans);
  arguments.append(carried);
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  Region &body = *result.regions.front();
  if (body.empty())
    return parser.emitError(parser.getNameLoc()) << "expected a body";
  if (body.front().empty() || !isa<YieldOp>(body.front().back())) {
    // The region has no parent yet to take the context from.
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&body.front());
    YieldOp::create(builder, result.location, ValueRange());
  }
  return success();
}

void LoopOp::print(OpAsmPrinter &printer) {
  unsigned dims = getSteps().size();
  auto arguments = getBody().getArguments();
  printHeader(printer, arguments.take_front(dims), getLowers(), getUppers(), getSteps());
  if (!getInits().empty()) {
    printer << " iter(";
    llvm::interleaveComma(llvm::zip(arguments.drop_front(dims), getInits()), printer,
                          [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ") -> (" << getResultTypes() << ')';
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getStepsAttrName(), getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/!getInits().empty());
}

LogicalResult LoopOp::verify() {
  unsigned dims = getSteps().size();
  auto arguments = getBody().getArguments();
  if (arguments.size() != dims + getInits().size())
    return emitOpError() << "C1, C4: " << arguments.size() << " block arguments for " << dims << " spans and "
                         << getInits().size() << " carried values";
  if (failed(verifyHeader(*this, getLowers(), getUppers(), getSteps(), arguments.take_front(dims))))
    return failure();
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError() << "must end with hl.yield";
  TypeRange carried = ValueRange(arguments.drop_front(dims)).getTypes();
  if (getInits().getTypes() != carried || getResultTypes() != carried || yield.getValues().getTypes() != carried)
    return emitOpError() << "C4: initial, carried, yielded and result types differ";
  return success();
}

//===----------------------------------------------------------------------===//
// IfOp, IndicesOp, ExtentOp
//===----------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  for (Region *region : {&getThenRegion(), &getElseRegion()}) {
    auto yield = dyn_cast<YieldOp>(region->front().getTerminator());
    if (!yield || yield.getValues().getTypes() != getResultTypes())
      return emitOpError() << "C1: both regions must yield values of the result types";
  }
  return success();
}

LogicalResult IndicesOp::verify() {
  TileType tile = getResult().getType();
  if (tile.getRank() != 1 || tile.getDims()[0] != getSpan().getType().getExtent() ||
      !tile.getElementType().isIntOrIndex())
    return emitOpError() << "C1: the result must be an integer tile of the span's extent, not " << tile;
  return success();
}

OpFoldResult ExtentOp::fold(FoldAdaptor adaptor) {
  if (auto integer = dyn_cast<IntegerAttr>(getValue()))
    return IntegerAttr::get(IndexType::get(getContext()), integer.getInt());
  return {};
}

LogicalResult ExtentOp::verify() {
  if (!isa<FlatSymbolRefAttr, IntegerAttr>(getValue()))
    return emitOpError() << "the value must be an integer or a parameter, not " << getValue();
  return success();
}
