import type { Notice, VarveError } from 'varvedb';
import { expect, test } from 'vitest';
import { create, rejection } from './stores.js';

const SQLITE = `PRAGMA foreign_keys=OFF;
CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(3), active BOOLEAN DEFAULT 1);
INSERT INTO item VALUES(4,'longer',0);
`;

async function refusal(call: Promise<unknown>): Promise<VarveError> {
  return (await rejection(call)) as VarveError;
}

test('a dump of SQLite is run', async () => {
  const db = await create();
  const notices: Notice[] = [];
  const onNotice = (notice: Notice) => notices.push(notice);
  const done = await db.execScript(SQLITE, { dialect: 'sqlite', onNotice });
  expect(done).toEqual({ statements: 3, copied: 0, ignored: ['PRAGMA foreign_keys=OFF'] });
  expect(notices[0]?.message).toBe('line 1: PRAGMA foreign_keys=OFF changes nothing here');
  const { rows } = await db.query("INSERT INTO item (name) VALUES ('x') RETURNING *");
  expect(rows).toEqual([{ id: 5, name: 'x', active: true }]);
});

test('a dump of MySQL is run', async () => {
  const db = await create();
  const script =
    "CREATE TABLE `a` (`id` int NOT NULL, `t` text) ENGINE=InnoDB;\nINSERT INTO `a` VALUES (1,'it\\'s');";
  await db.execScript(script, { dialect: 'mysql' });
  expect((await db.query('SELECT * FROM a')).rows).toEqual([{ id: 1, t: "it's" }]);
});

test('what cannot be translated, or fails, leaves nothing unless asked', async () => {
  const db = await create();
  const virtual = `${SQLITE}CREATE VIRTUAL TABLE words USING fts5(a);\n`;
  const refused = await refusal(db.execScript(virtual, { dialect: 'sqlite' }));
  expect(refused.code).toBe('0A000');
  expect(refused.message).toContain('line 4: a virtual table');
  const twice = `${SQLITE}INSERT INTO item VALUES(4,'twice',1);\n`;
  const failed = await refusal(db.execScript(twice, { dialect: 'sqlite' }));
  expect(failed.code).toBe('23505');
  expect(failed.message).toMatch(/^line 4: /);
  const tables = "SELECT count(*)::int AS n FROM pg_class WHERE relname = 'item'";
  expect((await db.query(tables)).rows).toEqual([{ n: 0 }]);

  const warnings: string[] = [];
  const onNotice = ({ severity, message }: Notice) => {
    if (severity === 'WARNING') warnings.push(message);
  };
  const all = `${virtual}INSERT INTO item VALUES(4,'twice',1);\n`;
  await db.execScript(all, { dialect: 'sqlite', partial: true, onNotice });
  expect(warnings.map((warning) => warning.slice(0, 7))).toEqual(['line 4:', 'line 5:']);
  expect((await db.query('SELECT name FROM item')).rows).toEqual([{ name: 'longer' }]);
});

test('a dialect that is unknown is refused', async () => {
  const db = await create();
  const dialect = 'oracle' as 'sqlite';
  expect((await refusal(db.execScript('', { dialect }))).code).toBe('invalid_argument');
  expect((await refusal(db.execScript('', { partial: true }))).code).toBe('invalid_argument');
});
