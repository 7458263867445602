import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { runMain, Stop } from '../lib/stop.mjs';
import { codeOf } from './crates.mjs';
import { measureFolder, overBudget, total } from './measure.mjs';

function printTable(rows) {
  const width = Math.max(...rows.map((row) => row.part.length));
  const cell = (value) => value.toLocaleString('en').padStart(12);
  console.log(
    `${'bytes'.padEnd(width)}${['raw', 'gzip', 'brotli'].map((head) => head.padStart(12)).join('')}`,
  );
  for (const { part, raw, gzip, brotli } of rows) {
    console.log(`${part.padEnd(width)}${cell(raw)}${cell(gzip)}${cell(brotli)}`);
  }
}

const CRATES_MAX = 30;

/** Which crates the code of the engine is of, where the build has kept their names. */
function printCrates() {
  const named = join(root, 'js', 'pkg', 'varve_named.wasm');
  if (!existsSync(named)) return;
  const rows = codeOf(named, toolEnvironment());
  const cell = (value) => value.toLocaleString('en').padStart(12);
  console.log(
    `\n${'code, raw bytes'.padEnd(24)}${['first part', 'second'].map((head) => head.padStart(12)).join('')}`,
  );
  for (const { crate, first, second } of rows.slice(0, CRATES_MAX)) {
    console.log(`${crate.padEnd(24)}${cell(first)}${cell(second)}`);
  }
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
  // Fetched by who reads the scripts of other databases, and by nobody else.
  const isApart = (row) => row.part === 'varve_dialect_bg.wasm';
  const dialects = total('dialects', files.filter(isApart));
  const download = total(
    'download',
    files.filter((row) => !isApart(row)),
  );
  const isSecond = (row) => row.part === 'varve_rest_bg.wasm';
  const first = total(
    'first',
    files.filter((row) => !isApart(row) && !isSecond(row)),
  );
  printTable([...files, javascript, dialects, first, download]);
  printCrates();
  const complaints = overBudget({ javascript, dialects, first, download }, budget);
  for (const complaint of complaints) console.error(`Over budget: ${complaint}`);
  return complaints.length > 0 ? 1 : 0;
});
