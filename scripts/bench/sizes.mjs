import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { functionsOf, without } from '../lib/wasm-code.mjs';
import { measure } from '../size/measure.mjs';
import { buildSizeModule } from './module.mjs';

const LIMIT_BROTLI = 150_000;
const OWN = 'varve_codec::';

/** What a reader knows a function by: the codec's file, or the crate it is from. */
export function partOf(name) {
  const own = name.indexOf(OWN);
  if (own >= 0) {
    const path = name.slice(own + OWN.length).split(/[^\w:]/, 1)[0];
    const [folder, file] = path.split('::');
    const nested = ['integers', 'strings', 'stage', 'compute', 'entropy', 'block'].includes(folder);
    const isFile = nested && file !== undefined && /^[a-z_0-9]+$/.test(file);
    return isFile ? `${folder}/${file}` : folder;
  }
  const other = /(structured_zstd|lz4_flex|alloc|core|std|dlmalloc|wasm_bindgen)(?:::|\b)/.exec(
    name,
  );
  return other ? other[1] : 'other';
}

/** Raw bytes of the functions of each part, and what they add to the module under brotli. */
export function sizesOf(wasm) {
  const functions = functionsOf(wasm);
  const whole = measure(without(wasm, functions, () => false));
  const parts = new Map();
  for (const { name, body } of functions) {
    const part = partOf(name);
    parts.set(part, (parts.get(part) ?? 0) + body.length);
  }
  const rows = [...parts].map(([part, raw]) => {
    const rest = measure(without(wasm, functions, ({ name }) => partOf(name) === part));
    return { part, raw, brotli: whole.brotli - rest.brotli };
  });
  return { whole, rows: rows.sort((a, b) => b.brotli - a.brotli) };
}

/** Prints what each codec adds to the download, and writes it beside the other benchmarks. */
export async function sizesPage({ profile, json, docs }) {
  const path = await buildSizeModule(profile);
  const { whole, rows } = sizesOf(readFileSync(path));
  rmSync(dirname(path), { recursive: true, force: true });
  const number = (value) => value.toLocaleString('en');
  const met = whole.brotli <= LIMIT_BROTLI ? 'met' : '**missed**';
  const page =
    '# What each codec adds to the download\n\n' +
    `Written by \`npm run bench -- sizes\` (cargo profile \`${profile}\`): \`varve-codec\` alone as a wasm module, without the zstd encoder. ` +
    'The bytes of a part are what the module shrinks by when its functions are emptied; what is inlined counts where it is inlined.\n\n' +
    `The whole: ${number(whole.raw)} bytes raw, ${number(whole.brotli)} brotli (at most ${number(LIMIT_BROTLI)}): ${met}.\n\n` +
    '| part | raw | brotli |\n| --- | ---: | ---: |\n' +
    rows
      .map(({ part, raw, brotli }) => `| ${part} | ${number(raw)} | ${number(brotli)} |\n`)
      .join('');
  console.log(page);
  if (json) writeFileSync(json, `${JSON.stringify({ whole, rows }, null, 2)}\n`);
  if (docs) {
    mkdirSync(docs, { recursive: true });
    writeFileSync(join(docs, 'codecs-sizes.md'), page);
  }
  return whole.brotli <= LIMIT_BROTLI ? 0 : 1;
}
