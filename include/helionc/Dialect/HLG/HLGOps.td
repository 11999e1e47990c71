//===- Operations of the hlg dialect ----------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HLG_OPS
#define HELIONC_DIALECT_HLG_OPS

include "helionc/Dialect/HLG/HLGDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

class HLG_Op<string mnemonic, list<Trait> traits = []> : Op<HLG_Dialect, mnemonic, traits>;
def HLG_Scalar : AnyTypeOf<[AnySignlessInteger, Index, AnyFloat]>;

def HLG_ProgramIdOp : HLG_Op<"program_id", [Pure]> {
  let summary = "which block of the launch this is";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def HLG_LoadOp : HLG_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "read a tile from global memory";
  let description = [{
    Element i of the tile is at `pointer[base + sum of i[d] * strides[d]]`. Elements with i[d] >= limits[d] for some d, and
    those where `mask` is false, are 0 and are not read. `vector` elements that are neighbours along the dim of stride 1 may
    be read at once: the address is aligned to them and the limit does not cut them.

    C1: one limit and one stride a dim.
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<1>:$pointer, Index:$base, Variadic<Index>:$limits, Optional<HLG_RegType>:$mask,
                       DenseI64ArrayAttr:$strides, I64Attr:$vector);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = [{
    $pointer `[` $base `]` `limits` `(` $limits `)` (`mask` $mask^ `:` type($mask))? `strides` $strides `vector` $vector
    attr-dict `:` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def HLG_StoreOp : HLG_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "write a tile to global memory";
  let description = [{ As `hlg.load`; of several copies of an element one is written. C1: one limit and one stride a dim. }];
  let arguments = (ins HLG_RegType:$value, LLVM_PointerInAddressSpace<1>:$pointer, Index:$base, Variadic<Index>:$limits,
                       Optional<HLG_RegType>:$mask, DenseI64ArrayAttr:$strides, I64Attr:$vector);
  let assemblyFormat = [{
    $value `,` $pointer `[` $base `]` `limits` `(` $limits `)` (`mask` $mask^ `:` type($mask))? `strides` $strides
    `vector` $vector attr-dict `:` type($value) `,` type($pointer)
  }];
  let hasVerifier = 1;
}

def HLG_FullOp : HLG_Op<"full", [Pure]> {
  let summary = "a tile of one value";
  let arguments = (ins HLG_Scalar:$value);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

def HLG_IotaOp : HLG_Op<"iota", [Pure]> {
  let summary = "start plus the index along a dim";
  let arguments = (ins Index:$start, I64Attr:$dim);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = "$start `dim` $dim attr-dict `->` type($result)";
}

def HLG_MapOp : HLG_Op<"map", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "an elementwise computation written on scalars";
  let description = [{ C1: inputs and result have one shape and one layout. C2: ends with `hlg.yield` of one scalar. }];
  let arguments = (ins Variadic<HLG_RegType>:$inputs);
  let results = (outs HLG_RegType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, $result) $body";
  let hasVerifier = 1;
}

def HLG_YieldOp : HLG_Op<"yield", [Terminator, Pure, ReturnLike, HasParent<"MapOp">]> {
  let summary = "the value of a map's body";
  let arguments = (ins HLG_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def HLG_BroadcastOp : HLG_Op<"broadcast", [Pure]> {
  let summary = "repeat along dims of size 1; no data moves";
  let description = [{ C1: the source's layout is the result's without the repeated dims. }];
  let arguments = (ins HLG_RegType:$source);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HLG_ViewOp : HLG_Op<"view", [Pure]> {
  let summary = "the same registers seen with dims of 1 added or dropped, or dims reordered; no data moves";
  let description = [{
    With `order`, dim i of the result is dim order[i] of the source; without, dims of 1 come and go.

    C1: as many registers on both sides. C2: `order` is a permutation, and the result's layout is the source's with its
    dims in that order.
  }];
  let arguments = (ins HLG_RegType:$source, OptionalAttr<DenseI64ArrayAttr>:$order);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = "$source (`order` $order^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HLG_BarrierOp : HLG_Op<"barrier"> {
  let summary = "the block's threads wait for one another and see what each wrote to global memory";
  let description = [{
    Between accesses to one tensor by different threads, where one of them writes. All threads take part.
  }];
  let assemblyFormat = "attr-dict";
}

def HLG_ConvertLayoutOp : HLG_Op<"convert_layout"> {
  let summary = "the same tile in another layout, through shared memory";
  let description = [{ C1: same shape and element type. All threads take part. }];
  let arguments = (ins HLG_RegType:$source);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HLG_ReduceOp : HLG_Op<"reduce"> {
  let summary = "combine the elements along one dim";
  let description = [{
    First the registers of a thread, then lanes by shuffles, then warps through shared memory. Every copy of an element of
    the result is there. `kind` as for `hl.reduce`.

    C1: the result has the other dims and the source's layout without the reduced one.
  }];
  let arguments = (ins StrAttr:$kind, HLG_RegType:$source, I64Attr:$dim);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = "$kind $source `dim` $dim attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HLG_DotOp : HLG_Op<"dot"> {
  let summary = "acc + lhs · rhs with multiply-adds of single threads, operands through shared memory";
  let description = [{ Shapes as for `hl.dot`. C1: acc and result have the same type. }];
  let arguments = (ins HLG_RegType:$lhs, HLG_RegType:$rhs, HLG_RegType:$acc);
  let results = (outs HLG_RegType:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::mlir::Value":$acc), [{
    build($_builder, $_state, acc.getType(), lhs, rhs, acc);
  }]>];
  let hasVerifier = 1;
}

#endif
