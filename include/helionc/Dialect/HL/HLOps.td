//===- Operations of the hl dialect ----------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HL_OPS
#define HELIONC_DIALECT_HL_OPS

include "helionc/Dialect/HL/HLDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class HL_Op<string mnemonic, list<Trait> traits = []> : Op<HL_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Kernels and their tuning parameters
//===----------------------------------------------------------------------===//

def HL_KernelOp : HL_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, SymbolTable]> {
  let summary = "one kernel: arguments, tuning parameters, loops";
  let description = [{
    Arguments are tensors and scalars in the order of the C interface: declared arguments, then outputs in return
    order, then temporaries. Argument attributes: `hl.name` (string), `hl.role` (`"in"`, `"out"`, `"inout"`, `"temp"` or
    `"scalar"`). Each top-level `hl.grid` is one launch; they run in order, each seeing what the earlier ones wrote.

    Once `--hl-instantiate-config` has run, the attribute `config` holds the configuration and no `hl.param` is left.

    ```mlir
    hl.kernel @copy(%x: !hl.tensor<[100], f32> {hl.name = "x", hl.role = "in"},
                    %out: !hl.tensor<[100], f32> {hl.name = "out", hl.role = "out"}) {
      hl.param @block_sizes.0 pow2 {min = 1, max = 128, default = 64, role = "block"}
      %c0 = arith.constant 0 : index
      %c100 = arith.constant 100 : index
      hl.grid (%t) = (%c0) to (%c100) step [@block_sizes.0] {
        %v = hl.load %x[%t] : !hl.tensor<[100], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
        hl.store %v, %out[%t] : !hl.tile<[@block_sizes.0], f32>, !hl.tensor<[100], f32>, !hl.span<@block_sizes.0>
      }
      hl.return
    }
    ```

    - C1: arguments are tensors or scalars. C2: no results. C3: every symbol that a type names is an `hl.param` of the
      kernel.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<DictionaryAttr>:$config);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The source name of argument `index` ("" when it has none).
    ::llvm::StringRef getArgName(unsigned index);
    /// "in", "out", "inout", "temp" or "scalar".
    ::llvm::StringRef getArgRole(unsigned index);
  }];
}

def HL_ReturnOp : HL_Op<"return", [Terminator, Pure, HasParent<"KernelOp">]> {
  let summary = "end of a kernel";
  let assemblyFormat = "attr-dict";
}

def HL_ParamOp : HL_Op<"param", [Symbol, HasParent<"KernelOp">]> {
  let summary = "a tuning parameter";
  let description = [{
    `kind` says which other attributes hold: `pow2` and `int` have `min` and `max` (both inclusive); `enum` has
    `choices` (strings or integers); `bool` none; `permutation` has `max` = how many things are ordered. `default` is
    the value taken where a configuration is silent. `role` groups parameters for analyses and for the prompt
    (`"block"`, `"warps"`, `"threads"`, …); `doc` explains it to a person or a model in a sentence.

    ```mlir
    hl.kernel @k() {
      hl.param @block_sizes.0 pow2 {min = 16, max = 128, default = 64, role = "block", doc = "rows of a tile"}
      hl.param @num_warps enum {choices = [1, 2, 4, 8], default = 4, role = "warps"}
      hl.return
    }
    ```

    - C1: the default is one of the values. C2: `pow2` bounds are powers of two. C3: `min` ≤ `max`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, HL_ParamKindAttr:$kind, OptionalAttr<I64Attr>:$min,
                       OptionalAttr<I64Attr>:$max, OptionalAttr<ArrayAttr>:$choices, AnyAttr:$default_value,
                       OptionalAttr<StrAttr>:$role, OptionalAttr<StrAttr>:$doc);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def HL_RequireOp : HL_Op<"require", [HasParent<"KernelOp">]> {
  let summary = "a condition that every valid configuration meets";
  let description = [{
    `condition` is an expression over parameters and integers in the grammar of `helionc/Tuning/Expr.h`; `reason` is
    what a person or a model is told when it does not hold.

    ```mlir
    hl.kernel @k() {
      hl.param @block_sizes.0 pow2 {min = 16, max = 128, default = 64}
      hl.require "block_sizes.0 * 4 <= 256", "the tile takes more than 256 bytes"
      hl.return
    }
    ```

    - C1: the condition parses and names only parameters of the kernel.
  }];
  let arguments = (ins StrAttr:$condition, StrAttr:$reason);
  let assemblyFormat = "$condition `,` $reason attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops and spans
//===----------------------------------------------------------------------===//

def HL_GridOp : HL_Op<"grid", [HasParent<"KernelOp">, SingleBlock, NoTerminator, AttrSizedOperandSegments]> {
  let summary = "a parallel loop nest over tiles: one launch";
  let description = [{
    Dim i walks from `lowers[i]` to `uppers[i]` (exclusive) in blocks of `steps[i]`; each program runs the body for one
    block of every dim. Programs run in any order and at the same time. The body's arguments are spans.

    - C1: as many bounds as steps and block arguments. C2: block argument i is `!hl.span<steps[i]>`.
    - C3: steps are positive integers or parameter names.
  }];
  let arguments = (ins Variadic<Index>:$lowers, Variadic<Index>:$uppers, ArrayAttr:$steps);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def HL_LoopOp : HL_Op<"loop", [SingleBlock, AttrSizedOperandSegments, RecursiveMemoryEffects]> {
  let summary = "a sequential loop nest over tiles, with values carried from one block to the next";
  let description = [{
    Like `hl.grid`, but the blocks run one after another, the last dim fastest. Values named by `iter` are carried; the
    body ends with `hl.yield` of the next ones. Block arguments: the spans, then the carried values.

    - C1–C3 as for `hl.grid`. C4: results, initial values, carried block arguments and yielded values have the same
      types.
  }];
  let arguments = (ins Variadic<Index>:$lowers, Variadic<Index>:$uppers, Variadic<HL_TileOrScalar>:$inits,
                       ArrayAttr:$steps);
  let results = (outs Variadic<HL_TileOrScalar>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def HL_IfOp : HL_Op<"if", [SingleBlock, RecursiveMemoryEffects, NoRegionArguments]> {
  let summary = "a branch on a scalar";
  let description = [{
    Both regions end with `hl.yield` of the results. C1: yields have the types of the results.
  }];
  let arguments = (ins I1:$condition);
  let results = (outs Variadic<HL_TileOrScalar>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition (`->` type($results)^)? $thenRegion `else` $elseRegion attr-dict";
  let hasVerifier = 1;
}

def HL_YieldOp : HL_Op<"yield", [Terminator, Pure, ReturnLike, ParentOneOf<["LoopOp", "MapOp", "IfOp"]>]> {
  let summary = "the values of a region";
  let arguments = (ins Variadic<HL_TileOrScalar>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def HL_BeginOp : HL_Op<"begin", [Pure]> {
  let summary = "the first index of a span";
  let arguments = (ins HL_SpanType:$span);
  let results = (outs Index:$result);
  let assemblyFormat = "$span attr-dict `:` type($span)";
}

def HL_EndOp : HL_Op<"end", [Pure]> {
  let summary = "one past the last real index of a span: min(begin + extent, upper bound of its loop)";
  let arguments = (ins HL_SpanType:$span);
  let results = (outs Index:$result);
  let assemblyFormat = "$span attr-dict `:` type($span)";
}

def HL_BlockIdOp : HL_Op<"block_id", [Pure]> {
  let summary = "which block of its loop a span is: 0, 1, …";
  let arguments = (ins HL_SpanType:$span);
  let results = (outs Index:$result);
  let assemblyFormat = "$span attr-dict `:` type($span)";
}

def HL_IndicesOp : HL_Op<"indices", [Pure]> {
  let summary = "the indices of a span as a tile of rank 1";
  let description = [{ C1: the result has the span's extent and an integer element type. }];
  let arguments = (ins HL_SpanType:$span);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = "$span attr-dict `:` type($span) `->` type($result)";
  let hasVerifier = 1;
}

def HL_ExtentOp : HL_Op<"extent", [Pure]> {
  let summary = "the value of a parameter, or an integer, as an index";
  let arguments = (ins AnyAttr:$value);
  let results = (outs Index:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def HL_ViewOp : HL_Op<"view", [Pure]> {
  let summary = "the same memory seen with another shape and other strides";
  let description = [{
    `offset` counts elements from the start of the source. The caller (LowerToHL) has proved the view to be right.

    C1: the element types are equal. C2: the view stays inside the source when both are static.
  }];
  let arguments = (ins HL_TensorType:$source, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs HL_TensorType:$result);
  let assemblyFormat = "$source (`offset` $offset^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HL_LoadOp : HL_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read a tile of a tensor";
  let description = [{
    One index a dim of the tensor: a span, a scalar (`index`), a tile of integers (gather), or nothing (`:`, the whole
    dim), told apart by `kinds`. The result has, in order, the extent of each span, the size of each whole dim, the dims
    of the gather tiles (all of one shape, at the place of the first), and nothing for a scalar.
    Elements in a span's padding, and those where `mask` (a tile of i1 of the result's shape) is false, are 0.

    Example: `%v = hl.load %x[%t, :] : !hl.tensor<[128, 64], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0, 64], f32>`

    - C1: one kind a dim. C2: the operand of each dim has the type of its kind. C3: the result's dims and element type
      are as said above.
  }];
  let arguments = (ins HL_TensorType:$source, Variadic<AnyType>:$indices, Optional<HL_TileType>:$mask,
                       DenseI32ArrayAttr:$kinds);
  let results = (outs HL_TileType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def HL_StoreOp : HL_Op<"store", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write a tile to a tensor";
  let description = [{
    Indices as for `hl.load`. Nothing is written in a span's padding or where `mask` is false.

    C1–C3 as for `hl.load`, with the stored value for the result.
  }];
  let arguments = (ins HL_TileType:$value, HL_TensorType:$dest, Variadic<AnyType>:$indices,
                       Optional<HL_TileType>:$mask, DenseI32ArrayAttr:$kinds);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def HL_FullOp : HL_Op<"full", [Pure]> {
  let summary = "a tile of one value";
  let description = [{ C1: the scalar's type is the tile's element type. }];
  let arguments = (ins HL_Scalar:$value);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def HL_ArangeOp : HL_Op<"arange", [Pure]> {
  let summary = "start, start + 1, … as a tile of rank 1";
  let arguments = (ins Index:$start);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = "$start attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def HL_MapOp : HL_Op<"map", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "an elementwise computation written on scalars";
  let description = [{
    The body runs once an element with that element of each input. It holds operations of arith and math on scalars
    and ends with one `hl.yield`. It may use scalars defined outside. No implicit broadcast: see `hl.broadcast`.

    ```mlir
    func.func @f(%a: !hl.tile<[4], f32>, %b: !hl.tile<[4], f32>) -> !hl.tile<[4], f32> {
      %0 = hl.map (%x = %a, %y = %b) : (!hl.tile<[4], f32>, !hl.tile<[4], f32>) -> !hl.tile<[4], f32> {
        %s = arith.addf %x, %y : f32
        hl.yield %s : f32
      }
      return %0 : !hl.tile<[4], f32>
    }
    ```

    - C1: at least one input. C2: inputs and result have the same dims. C3: block arguments have the inputs' element
      types, the yielded value the result's. C4: the body holds no operation with memory effects and no hl operation
      but `hl.yield`.
  }];
  let arguments = (ins Variadic<HL_TileType>:$inputs);
  let results = (outs HL_TileType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def HL_BroadcastOp : HL_Op<"broadcast", [Pure]> {
  let summary = "repeat along dims of size 1";
  let description = [{ C1: same rank and element type. C2: each dim is equal, or 1 in the source. }];
  let arguments = (ins HL_TileType:$source);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def HL_ReshapeOp : HL_Op<"reshape", [Pure]> {
  let summary = "insert or drop dims of size 1, or regroup dims, in row-major order";
  let description = [{
    C1: same element type. C2: the dims other than 1 are the same in the same order, or both tiles are concrete and
    have as many elements.
  }];
  let arguments = (ins HL_TileType:$source);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def HL_TransposeOp : HL_Op<"transpose", [Pure]> {
  let summary = "reorder dims: dim i of the result is dim permutation[i] of the source";
  let description = [{ C1: a permutation of the rank. C2: the result's dims follow from it. }];
  let arguments = (ins HL_TileType:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HL_ReduceOp : HL_Op<"reduce", [Pure]> {
  let summary = "combine the elements along one dim";
  let description = [{
    `max` and `min` propagate NaN. `argmax` and `argmin` give the first index of the extremum, or of the first NaN, as
    an integer tile. Sums of integers wrap.

    C1: `dim` is a dim of the source. C2: the result has the other dims. C3: the element types are equal, but for
    argmax/argmin, whose result is an integer.
  }];
  let arguments = (ins HL_ReduceKindAttr:$kind, HL_TileType:$source, I64Attr:$dim);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = "$kind $source `dim` $dim attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HL_DotOp : HL_Op<"dot", [Pure]> {
  let summary = "matrix product: acc + lhs · rhs, batched over leading dims";
  let description = [{
    lhs is [batch…, M, K], rhs [batch…, K, N], acc and result [batch…, M, N]. Products are summed in the element type of
    `acc` (f32 for floats; i32 for i8). `precision` applies to f32 operands: `tf32`, `tf32x3` or `ieee`.

    C1: dims agree as said. C2: lhs and rhs have the same element type. C3: acc and result have the same type.
  }];
  let arguments = (ins HL_TileType:$lhs, HL_TileType:$rhs, HL_TileType:$acc,
                       DefaultValuedAttr<StrAttr, "\"tf32\"">:$precision);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def HL_FillPaddingOp : HL_Op<"fill_padding", [Pure]> {
  let summary = "set the padding of some dims to a value";
  let description = [{
    Elements whose index along `dims[i]` lies in the padding of `spans[i]` become `value`; the rest stay.

    C1: one span a dim, of that dim's extent. C2: the value has the tile's element type. C3: source and result have the
    same type.
  }];
  let arguments = (ins HL_TileType:$source, HL_Scalar:$value, Variadic<HL_SpanType>:$spans,
                       DenseI64ArrayAttr:$dims);
  let results = (outs HL_TileType:$result);
  let assemblyFormat = [{
    $source `,` $value `spans` `(` $spans `)` `dims` $dims attr-dict
    `:` type($source) `,` type($value) `,` type($spans) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
