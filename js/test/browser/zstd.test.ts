import { describe, expect, test } from 'vitest';
import { ZstdClient } from '../../dist/zstd-client.js';

const encoder = new TextEncoder();

function rows(count: number): Uint8Array[] {
  const row = (id: number) => ({
    id,
    mail: `user${id}@example.com`,
    state: id % 3 ? 'new' : 'paid',
  });
  return Array.from({ length: count }, (_, id) => encoder.encode(JSON.stringify(row(id * 37))));
}

function hex(bytes: Uint8Array | undefined): string {
  return Array.from(bytes ?? [], (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function total(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

describe('the zstd module', () => {
  test('is loaded by the first request, and frames have the golden bytes', async () => {
    const zstd = new ZstdClient();
    const varves = encoder.encode('varve '.repeat(50));
    const [standard, empty] = await zstd.compress([varves, new Uint8Array()], { level: 3 });
    expect(hex(standard?.subarray(0, 4))).toBe('28b52ffd');
    expect(hex(empty?.subarray(0, 4))).toBe('28b52ffd');
    const [compact] = await zstd.compress([varves], { level: 3, compact: true });
    expect(compact?.length).toBeLessThanOrEqual((standard?.length ?? 0) - 8);
    zstd.close();
  });

  test('trains a dictionary that small rows gain from', async () => {
    const zstd = new ZstdClient();
    const dictionary = await zstd.train(rows(2000), 4096);
    expect(hex(dictionary.subarray(0, 4))).toBe('37a430ec');
    const few = rows(100);
    const without = await zstd.compress(few, { level: 3, compact: true });
    const with_ = await zstd.compress(few, { level: 3, compact: true, dictionary });
    expect(with_.length).toBe(100);
    expect(total(with_) * 2).toBeLessThan(total(without));
    zstd.close();
  });

  test('says why it refuses', async () => {
    const zstd = new ZstdClient();
    await expect(zstd.compress(rows(1), { level: 20 })).rejects.toMatchObject({
      code: 'XX000',
      message: expect.stringContaining('level'),
    });
    await expect(zstd.train(rows(2), 4096)).rejects.toMatchObject({ code: 'XX000' });
    zstd.close();
  });
});

test('without its worker every request rejects, and a later one tries again', async () => {
  const urls = ['/no-such-worker.js', new URL('../../dist/zstd-worker.js', import.meta.url)];
  const zstd = new ZstdClient(() => new Worker(urls.shift() ?? '', { type: 'module' }));
  const calls = [zstd.compress(rows(1), { level: 1 }), zstd.train(rows(9), 512)];
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ status: 'rejected', reason: { code: 'worker_died' } });
  }
  expect((await zstd.compress(rows(3), { level: 1 })).length).toBe(3);
  const unanswered = zstd.compress(rows(1), { level: 1 });
  zstd.close();
  await expect(unanswered).rejects.toMatchObject({ code: 'closed' });
});
