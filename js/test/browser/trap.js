// (module (func (export "trap") unreachable))
const bytes = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0,
  10, 5, 1, 3, 0, 0, 11,
];
const { trap } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports;

addEventListener('message', ({ data }) => {
  if (data.args.sql === 'TRAP IN BACKGROUND') queueMicrotask(trap);
  if (data.args.sql === 'TRAP IN CALL') trap();
});
