import { VarveDB } from 'varvedb';
import { expect, test, vi } from 'vitest';

test('the example of the README does what it says', async () => {
  await VarveDB.destroy('idb://app');
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('./readme-example.js');
  expect(log.mock.calls).toEqual([[[{ name: 'salt' }, { name: 'tea' }]]]);
  log.mockRestore();
  await VarveDB.destroy('idb://app');
});
