import { filesUnder } from '../lib/hash.mjs';
import { root } from '../lib/paths.mjs';
import { cargoTest, nodeTest, oneCheck, playwright, vitest } from './counts.mjs';

const wasm = ['--target', 'wasm32-unknown-unknown'];
const wasmCrates = [
  'varve-kv-idb',
  'varve-wasm',
  'varve-wasm-dialect',
  'varve-wasm-zstd',
  'varve-tests-format',
  'varve-tests-zstd',
  'varve-bench',
].flatMap((name) => ['-p', name]);
// Named one by one: what `node --test` makes of a folder or a pattern differs between Node versions.
const scriptTests = filesUnder(root, ['scripts']).filter((path) => path.endsWith('.test.mjs'));
const denyWarnings = ['--', '-D', 'warnings'];

/**
 * Every suite, cheap ones first: the first failure shows early, and RocksDB's build (11 minutes when
 * nothing is cached) starts after all that does not need it.
 */
export const suites = [
  { name: 'scripts', command: ['node', '--test', ...scriptTests], count: nodeTest },
  { name: 'rustfmt', command: ['cargo', 'fmt', '--all', '--check'], count: oneCheck },
  { name: 'biome', command: ['biome', 'ci'], count: oneCheck },
  { name: 'tidy', command: ['cargo', 'run', '-q', '-p', 'xtask', '--', 'tidy'], count: oneCheck },
  { name: 'wasm modules', command: ['node', 'scripts/build/wasm.mjs'], count: oneCheck },
  { name: 'package build', command: ['npm', 'run', 'build', '-w', 'js'], count: oneCheck },
  { name: 'demo build', command: ['npm', 'run', 'build', '-w', 'demo'], count: oneCheck },
  { name: 'types', command: ['npm', 'run', 'typecheck', '--workspaces'], count: oneCheck },
  {
    name: 'first part of the engine',
    command: ['npm', 'run', 'profile', '--', '--check'],
    count: oneCheck,
  },
  { name: 'size', command: ['npm', 'run', 'size'], count: oneCheck },
  {
    name: 'clippy on wasm',
    command: ['cargo', 'clippy', ...wasm, ...wasmCrates, '--all-targets', ...denyWarnings],
    count: oneCheck,
  },
  {
    // The shipped module needs RUSTC_BOOTSTRAP to be small, and nothing else: no feature of the language may.
    // It is checked in the folder of the development builds, which that module does not share.
    name: 'engine without RUSTC_BOOTSTRAP',
    command: ['env', '-u', 'RUSTC_BOOTSTRAP', 'cargo', 'check', ...wasm, '-p', 'varve-wasm'],
    count: oneCheck,
  },
  {
    name: 'formats in wasm',
    command: ['node', '--test', 'tests/format.test.mjs', 'tests/zstd.test.mjs'],
    count: nodeTest,
  },
  {
    name: 'codecs in wasm',
    command: ['node', '--test', 'tests/bench.test.mjs'],
    count: nodeTest,
  },
  {
    name: 'IndexedDB in Chromium',
    command: ['node', '--test', 'tests/browser/kv.test.mjs'],
    count: nodeTest,
  },
  { name: 'package in Chromium', command: ['npm', 'test', '-w', 'js'], count: vitest },
  { name: 'demo in Chromium', command: ['npm', 'test', '-w', 'tests/browser'], count: playwright },
  {
    name: 'clippy',
    command: ['cargo', 'clippy', '--workspace', '--all-targets', ...denyWarnings],
    count: oneCheck,
    minutesMax: 45,
  },
  {
    name: 'native',
    command: ['cargo', 'test', '--workspace', '--no-fail-fast'],
    count: cargoTest,
    minutesMax: 45,
  },
  {
    name: 'SQL in Chromium',
    // The whole workspace is named, because with fewer crates cargo chooses other features and RocksDB is built again.
    command: [
      'env',
      'VARVE_SLT_ENGINES=idb,idb-stubs,idb-failing',
      ...['cargo', 'test', '--workspace', '--test', 'slt'],
    ],
    count: cargoTest,
  },
];
