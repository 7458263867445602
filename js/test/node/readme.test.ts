import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, '..', ...path), 'utf8');

test('the first example of the README is the one that is tested', () => {
  const [, example = ''] = /^```ts\n(.*?)^```/ms.exec(read('..', 'README.md')) ?? [];
  expect(example).toBe(read('browser', 'readme-example.ts'));
});
