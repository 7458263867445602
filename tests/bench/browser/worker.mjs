// The worker in which an engine and its measurements run.

import { runCases } from './cases.mjs';
import { ordersOf } from './orders.mjs';
import { RawIndexedDb } from './raw-indexeddb.mjs';
import { SqliteWasm } from './sqlite.mjs';
import { VarveFromPage, VarveInside } from './varve.mjs';
import { WaSqlite } from './wa-sqlite.mjs';

const ENGINES = {
  'VarveDB in its worker': VarveInside,
  'VarveDB from the page': VarveFromPage,
  'sqlite-wasm': SqliteWasm,
  'wa-sqlite': WaSqlite,
  'raw IndexedDB': RawIndexedDb,
};

/** Measures one engine; each run has a fresh profile. */
globalThis.bench = async (name, { size, updates, smallCommits }) => {
  const engine = await ENGINES[name].create();
  const figures = await runCases(engine, await ordersOf(size), { updates, smallCommits });
  await engine.close();
  return figures;
};
postMessage('ready');
