def BadOp : Op<"bad"> {
  let description = [{
    Example:

    ```mlir
    this is no MLIR
    ```
  }];
def Bad : Pass<"hl-bad"> {}
