import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { codeOf } from './crates.mjs';
import { measureFolder, overBudget, total } from './measure.mjs';

/** A line for each row: its label, and its numbers under their heads. */
function printTable(title, heads, rows) {
  const width = Math.max(title.length, ...rows.map(({ label }) => label.length));
  const line = (label, cells) =>
    console.log(label.padEnd(width) + cells.map((cell) => cell.padStart(12)).join(''));
  line(title, heads);
  for (const { label, numbers } of rows) {
    line(
      label,
      numbers.map((number) => number.toLocaleString('en')),
    );
  }
}

const CRATES_MAX = 30;

/** Which crates the code of the engine is of, where the build has kept their names. */
function printCrates() {
  const named = join(root, 'js', 'pkg', 'varve_named.wasm');
  if (!existsSync(named)) return;
  const rows = codeOf(named, toolEnvironment());
  const lines = rows.slice(0, CRATES_MAX).map(({ crate, first, second }) => {
    return { label: crate, numbers: [first, second] };
  });
  console.log('');
  printTable('code, raw bytes', ['first part', 'second'], lines);
}

await runMain(() => {
  const { folder, budget } = JSON.parse(readFileSync(join(root, 'size-budget.json'), 'utf8'));
  const built = join(root, folder);
  const files = existsSync(built) ? measureFolder(built) : [];
  const wasm = files.filter((row) => row.part.endsWith('.wasm'));
  if (wasm.length === 0 || wasm.length === files.length) {
    throw new Stop(
      `${folder} lacks built wasm or JavaScript: run \`npm run build:wasm && npm run build -w js\` first.`,
    );
  }
  const javascript = total(
    'javascript',
    files.filter((row) => !row.part.endsWith('.wasm')),
  );
  // Fetched by who reads the scripts of other databases, and by who asks for zstd.
  const isDialects = (row) => row.part === 'varve_dialect_bg.wasm';
  const isZstd = (row) => row.part === 'varve_zstd_bg.wasm';
  const isApart = (row) => isDialects(row) || isZstd(row);
  const dialects = total('dialects', files.filter(isDialects));
  const zstd = total('zstd', files.filter(isZstd));
  const download = total(
    'download',
    files.filter((row) => !isApart(row)),
  );
  const isSecond = (row) => row.part === 'varve_rest_bg.wasm';
  const first = total(
    'first',
    files.filter((row) => !isApart(row) && !isSecond(row)),
  );
  const lines = [...files, javascript, dialects, zstd, first, download].map((row) => {
    return { label: row.part, numbers: [row.raw, row.gzip, row.brotli] };
  });
  printTable('bytes', ['raw', 'gzip', 'brotli'], lines);
  printCrates();
  const complaints = overBudget({ javascript, dialects, zstd, first, download }, budget);
  for (const complaint of complaints) console.error(`Over budget: ${complaint}`);
  return complaints.length > 0 ? 1 : 0;
});
