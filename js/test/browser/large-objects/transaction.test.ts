import type { Queryable } from 'varvedb';
import { expect, test } from 'vitest';
import { create, rejection } from '../stores.js';
import { bytesOf, MIB, noise, pieces, same } from './bytes.js';

test('in a transaction: seen there, and undone with it', async () => {
  const db = await create();
  const bytes = 3 * MIB + 1;
  let oid = 0;
  const roundTrip = async (tx: Queryable) => {
    ({ oid } = await tx.largeObjects.write(pieces(bytes, 400_000).source));
    const copy = await tx.largeObjects.write(tx.largeObjects.read(oid));
    expect(copy.bytes).toBe(bytes);
    await tx.largeObjects.unlink(oid);
    return copy.oid;
  };
  const kept = await db.transaction(roundTrip);
  expect(await rejection(db.largeObjects.size(oid))).toMatchObject({ code: '42704' });
  const read = await bytesOf(db.largeObjects.read(kept));
  expect(same(read, noise(0, bytes))).toBe(true);

  const undone = await db.transaction(async (tx) => {
    const made = await tx.largeObjects.write(new Blob(['gone']));
    await tx.rollback();
    return made.oid;
  });
  expect(await rejection(db.largeObjects.size(undone))).toMatchObject({ code: '42704' });
});

test('a transaction goes on after a source that failed', async () => {
  const db = await create();
  const reason = new Error('unplugged');
  await db.transaction(async (tx) => {
    await tx.exec('CREATE TABLE t (x int)');
    const failing = (async function* () {
      yield* pieces(3 * MIB, MIB).source;
      throw reason;
    })();
    expect(await rejection(tx.largeObjects.write(failing))).toBe(reason);
    const stopped = tx.largeObjects.write(new Blob(['x']), { signal: AbortSignal.abort() });
    expect(await rejection(stopped)).toMatchObject({ code: '57014' });
    await tx.exec('INSERT INTO t VALUES (1)');
  });
  expect((await db.query('SELECT loid FROM _large_objects')).rows).toEqual([]);
  expect((await db.query('SELECT x FROM t')).rows).toEqual([{ x: 1 }]);
});
