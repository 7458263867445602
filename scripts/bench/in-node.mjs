// Runs in a Node whose wasm is compiled ahead: prints one JSON line a set. Arguments: folder, size, names.

import { loadBenchModule } from './module.mjs';

const PASS_MICROSECONDS = 5000;
const PASSES = 5;
const LONG_MICROSECONDS = 1_000_000;

/** Processor time of one call in microseconds, the median of several passes. */
function microseconds(work) {
  const timed = (repeats) => {
    const start = process.cpuUsage();
    for (let i = 0; i < repeats; i += 1) work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / repeats;
  };
  const first = timed(1);
  if (first > LONG_MICROSECONDS) return first;
  const repeats = Math.max(1, Math.ceil(PASS_MICROSECONDS / Math.max(1, first)));
  const passes = Array.from({ length: PASSES }, () => timed(repeats)).sort((a, b) => a - b);
  return passes[PASSES >> 1];
}

const [folder, size, ...only] = process.argv.slice(2);
const module = loadBenchModule(folder);
const wanted = (name) => only.length === 0 || only.some((start) => name.startsWith(start));

for (const name of module.setNames().filter(wanted)) {
  const set = module.BenchSet.generate(name, size);
  const bytes = set.encode();
  set.check();
  const decodedBytes = set.decodedBytes();
  const result = {
    name,
    rows: set.rows(),
    csv_blake3: set.csvHash(),
    encoded_blake3: set.encodedHash(),
    bytes,
    encode_mb_per_s: decodedBytes / microseconds(() => set.encode()),
    decode_mb_per_s: decodedBytes / microseconds(() => set.decodeFlat()),
    forms_mb_per_s: decodedBytes / microseconds(() => set.decodeForms()),
  };
  set.free();
  console.log(JSON.stringify(result));
}
