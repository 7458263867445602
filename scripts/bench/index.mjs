// Our codecs in wasm under Node beside the same natively: hashes, speeds, shares.
// usage: npm run bench -- codecs [--size S|M] [--profile wasm|release] [--json FILE] [--docs DIR] [NAME...]
//        npm run bench -- store [--size XS|S|M] [--json FILE] [--docs DIR] [ENGINE...]
//        npm run bench -- large [--gigabytes 2] [--json FILE] [--docs DIR]
//        npm run bench -- tsbs [--rows 1000000] [--json FILE] [--docs DIR]
//        npm run bench -- pages [--rows 1000000] [--runs 5] [--build NAME=FOLDER ...] [--no-peer] [--json FILE]
//                               [--docs DIR] [CASE...]
//        npm run bench -- pages --processor [--rows 1000000] [--runs 5] [--build NAME=FOLDER ...] [--json FILE]
//        Processor time of the engine's thread in all cases after the start.
//        npm run bench -- pages --encrypted [--rows 1000000] [--runs 5] [--build NAME=FOLDER] [--json FILE] [--docs DIR]
//                               [CASE...]
//        An encrypted database beside one in clear, in place of the peer.
//        npm run bench -- levels --into FOLDER [CRATE.LEVEL[+CRATE.LEVEL...] ...]
//        Each is a build of the package for `pages --build`; without any, one for each crate that is at level 3.

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { large } from './large.mjs';
import { levels } from './levels.mjs';
import { median } from './median.mjs';
import { buildBenchModule } from './module.mjs';
import { pages } from './pages.mjs';
import { sizesPage } from './sizes.mjs';
import { store } from './store.mjs';
import { tsbs } from './tsbs.mjs';

const OUTPUT_BYTES_MAX = 1 << 26;
/** Every function is compiled by the optimising compiler before it first runs. */
const NODE_FLAGS = ['--no-liftoff', '--no-wasm-tier-up'];
/** The sets whose decoding speed is told as one figure. */
const TIMED = /^D[13456](?![0-9])/;
const SHARE_MIN = 0.6;

function linesOf(command, args, env) {
  const done = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (done.status !== 0) throw new Stop(`${command} ${args.join(' ')} failed.`);
  return done.stdout.trim().split('\n');
}

/** One row a set: what both say, and whether their bytes are the same. */
export function compare(native, wasm) {
  const byName = new Map(native.map((set) => [set.name, set]));
  return wasm.map((set) => {
    const twin = byName.get(set.name);
    return {
      name: set.name,
      same: twin?.csv_blake3 === set.csv_blake3 && twin?.encoded_blake3 === set.encoded_blake3,
      hash: set.encoded_blake3,
      native: twin,
      wasm: set,
      share: set.decode_mb_per_s / twin?.decode_mb_per_s,
    };
  });
}

function table(rows) {
  const head =
    '| set | same bytes | stored, BLAKE3 | encode native | wasm | decode native | wasm | share |\n' +
    '| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n';
  const line = ({ name, same, hash, native, wasm, share }) => {
    const speeds = [
      native.encode_mb_per_s,
      wasm.encode_mb_per_s,
      native.decode_mb_per_s,
      wasm.decode_mb_per_s,
    ].map((speed) => Math.round(speed));
    const cells = [name, same ? 'yes' : '**NO**', `\`${hash.slice(0, 32)}\``, ...speeds];
    return `| ${cells.join(' | ')} | ${share.toFixed(2)} |\n`;
  };
  return head + rows.map(line).join('');
}

function summary(rows) {
  const timed = rows.filter(({ name }) => TIMED.test(name));
  const share = median(timed.map((row) => row.share));
  const verdict = share >= SHARE_MIN ? 'met' : '**missed**';
  const different = rows.filter(({ same }) => !same).map(({ name }) => name);
  const bytes =
    different.length === 0
      ? `Encoded bytes and data of all ${rows.length} sets are the same natively and in wasm: met.`
      : `Other bytes in wasm than natively: ${different.join(', ')}: **missed**.`;
  const aim = `Decoding in wasm over native, median over D1, D3 to D6: ${share.toFixed(2)}`;
  return `${bytes}\n\n${aim} (at least ${SHARE_MIN}): ${verdict}.\n`;
}

async function codecs({ size, profile, json, docs }, names) {
  const env = toolEnvironment();
  const folder = await buildBenchModule(profile);
  try {
    const script = join(root, 'scripts/bench/in-node.mjs');
    const inNode = linesOf('node', [...NODE_FLAGS, script, folder, size, ...names], env);
    const wasm = inNode.map((line) => JSON.parse(line));
    const cargo = ['run', '--quiet', '--release', '-p', 'varve-bench', '--'];
    const [line] = linesOf('cargo', [...cargo, 'ours', '--size', size, ...names], env);
    const rows = compare(JSON.parse(line).sets, wasm);
    const page = `${summary(rows)}\n${table(rows)}`;
    console.log(page);
    if (json) writeFileSync(json, `${JSON.stringify(rows, null, 2)}\n`);
    if (docs) {
      mkdirSync(docs, { recursive: true });
      const head =
        '# Codecs in wasm beside native\n\n' +
        `Written by \`npm run bench -- codecs\` (size ${size}, cargo profile \`${profile}\`, Node ${process.version}). ` +
        'Megabytes of decoded values a second of processor time on one core.\n\n';
      writeFileSync(join(docs, 'codecs-wasm.md'), head + page);
    }
    return rows.every(({ same }) => same) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      size: { type: 'string', default: 'S' },
      profile: { type: 'string', default: 'wasm' },
      json: { type: 'string' },
      docs: { type: 'string' },
      gigabytes: { type: 'string', default: '2' },
      rows: { type: 'string', default: '1000000' },
      runs: { type: 'string', default: '5' },
      build: { type: 'string', multiple: true },
      into: { type: 'string' },
      'no-peer': { type: 'boolean', default: false },
      processor: { type: 'boolean', default: false },
      encrypted: { type: 'boolean', default: false },
    },
  });
  const [command, ...names] = positionals;
  if (command === 'codecs') return codecs(values, names);
  if (command === 'sizes') return sizesPage(values);
  if (command === 'store') return store(values, names);
  if (command === 'large') return large(values);
  if (command === 'tsbs') return tsbs(values);
  if (command === 'pages') return pages(values, names);
  if (command === 'levels') return levels(values, names);
  throw new Stop(
    'usage: npm run bench -- codecs|sizes|store|large|tsbs|pages|levels [--size S|M] [--json FILE] [--docs DIR]',
  );
}

if (process.argv[1] === import.meta.filename) await runMain(main);
