import { VarveDB, VarveError } from 'varvedb';
import { describe, expect, test } from 'vitest';
import { create, rejection } from './stores.js';

const workerUrl = new URL('../../dist/worker.js', import.meta.url);
const crashingUrl = new URL('./crashing-worker.js', import.meta.url);

async function failure(promise: Promise<unknown>): Promise<VarveError> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(VarveError);
  return error as VarveError;
}

describe('an engine that does not load', () => {
  const answers = [
    ['is missing', '/no-such-file.wasm', 404, 'no file', '404'],
    ['is a page', '/page', 200, '<!doctype html><title>app</title>', 'returned HTML'],
    ['is damaged', '/damaged.wasm', 200, '\0asm\x01\0\0\0\x07garbage', 'could not be compiled'],
    ['is something else', '/x', 200, 'hello', 'returned something else'],
  ] as const;

  test.for(answers)('%s', async ([, path, status, body, words]) => {
    const url = `data:application/octet-stream;base64,${btoa(body)}`;
    const wasm = status === 200 ? url : new URL(path, location.href);
    const { code, kind, message } = await failure(VarveDB.create('memory://', { wasm }));
    expect({ code, kind }).toEqual({ code: 'wasm_load_failed', kind: 'unavailable' });
    expect(message).toContain(status === 200 ? words : '');
  });

  test('a response is read, and its address is in the error', async () => {
    const response = new Response('<html></html>', { status: 200 });
    const { code, message } = await failure(VarveDB.create('memory://', { wasm: response }));
    expect(code).toBe('wasm_load_failed');
    expect(message).toContain('returned HTML');
  });

  test('calls made before it failed reject too, and so do later ones', async () => {
    const db = new VarveDB('memory://', { wasm: 'data:,x' });
    const calls = [
      db.query('SELECT 1'),
      db.exec('SELECT 1'),
      db.transaction(() => 1),
      db.waitReady,
    ];
    const errors = await Promise.all(calls.map(failure));
    errors.push(await failure(db.sql`SELECT 1`));
    expect(errors.map(({ code }) => code)).toEqual(Array(5).fill('wasm_load_failed'));
    expect(db).toMatchObject({ ready: false, closed: true });
    await db.close();
  });
});

test('the engine may come as an address, a module or a response', async () => {
  const url = new URL('../../dist/varve_bg.wasm', import.meta.url);
  const module = await WebAssembly.compileStreaming(fetch(url));
  for (const wasm of [url, url.href, module, await fetch(url)]) {
    const db = await create('memory://', { wasm });
    expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  }
});

describe('a worker that dies', () => {
  test('its script cannot be loaded', async () => {
    const worker = () => new Worker('/no-such-worker.js', { type: 'module' });
    const { code, hint } = await failure(VarveDB.create('memory://', { worker }));
    expect(code).toBe('worker_died');
    expect(hint).toContain('worker');
  });

  test('it is terminated: every pending call rejects, and every later one', async () => {
    let worker: Worker | undefined;
    const db = await create('memory://', {
      worker: () => {
        worker = new Worker(workerUrl, { type: 'module' });
        return worker;
      },
    });
    worker?.terminate();
    const pending = [db.query('SELECT 1'), db.exec('SELECT 1'), db.copyFrom('t', 'x')];
    const errors = await Promise.all(pending.map(failure));
    errors.push(await failure(db.query('SELECT 2')));
    expect(errors.map(({ code }) => code)).toEqual(Array(4).fill('worker_died'));
    expect(errors[0]?.query).toBe('SELECT 1');
    expect(db).toMatchObject({ ready: false, closed: true });
    await db.close();
  });

  test.for(['TRAP IN CALL', 'TRAP IN BACKGROUND'])('the engine crashes: %s', async (sql) => {
    const worker = () => new Worker(crashingUrl, { type: 'module' });
    const db = await create('memory://', { worker });
    expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    const errors = await Promise.all([db.query(sql), db.query('SELECT 1')].map(failure));
    expect(errors.map(({ code }) => code)).toEqual(['worker_died', 'worker_died']);
    expect(errors[0]?.detail).toMatch(/unreachable/);
    expect((await failure(db.query('SELECT 1'))).code).toBe('worker_died');
  });

  test('a transaction rejects and lets those go that wait for it', async () => {
    let worker: Worker | undefined;
    const db = await create('memory://', {
      worker: () => {
        worker = new Worker(workerUrl, { type: 'module' });
        return worker;
      },
    });
    const calls = [
      db.transaction(async (tx) => {
        await tx.query('SELECT 1');
        worker?.terminate();
        await tx.query('SELECT 2');
      }),
      db.query('SELECT 3'),
    ];
    const errors = await Promise.all(calls.map(failure));
    expect(errors.map(({ code }) => code)).toEqual(['worker_died', 'worker_died']);
  });
});
