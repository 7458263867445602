//! Kernels of the function table.
