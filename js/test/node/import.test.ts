import { VarveDB, VarveError } from 'varvedb';
import { expect, test } from 'vitest';

test('importing it on a server does nothing, and creating a database says why not', async () => {
  expect(globalThis.Worker).toBeUndefined();
  const error = await VarveDB.create('memory://').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(VarveError);
  expect(error).toMatchObject({ name: 'VarveError', code: 'unsupported_environment' });
  expect((error as VarveError).message).toContain('no web workers');
  await expect(VarveDB.destroy('idb://x')).rejects.toMatchObject({
    code: 'unsupported_environment',
  });
});

test('a database that could not be created rejects its calls, and can be closed', async () => {
  const db = new VarveDB('idb://x');
  await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'unsupported_environment' });
  expect(db).toMatchObject({ ready: false, closed: true });
  await db.close();
});
