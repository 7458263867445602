import type {
  CopyResult,
  Database,
  ErrorCode,
  ErrorKind,
  Failure,
  Field,
  ImportSource,
  Opened,
  Results,
  Transaction,
  VarveDBOptions,
} from 'varvedb';
import { VarveDB, VarveError } from 'varvedb';
import { expectTypeOf, test } from 'vitest';

test('types of the package', () => {
  const db = {} as VarveDB;
  expectTypeOf(VarveDB.create).returns.resolves.toEqualTypeOf<VarveDB>();
  expectTypeOf(VarveDB.create).parameter(0).toEqualTypeOf<string | VarveDBOptions | undefined>();
  expectTypeOf(VarveDB.destroy).returns.resolves.toBeVoid();
  expectTypeOf(db).toExtend<Database>();
  expectTypeOf(db).toExtend<AsyncDisposable>();

  expectTypeOf(db.query('')).resolves.toEqualTypeOf<Results<Record<string, unknown>>>();
  const typed = db.query<{ id: number }>('', [1, 'a', null, new Date()], { rowMode: 'object' });
  expectTypeOf(typed).resolves.toHaveProperty('rows').toEqualTypeOf<{ id: number }[]>();
  expectTypeOf(db.query<[number]>('', null, { rowMode: 'array' }))
    .resolves.toHaveProperty('rows')
    .toEqualTypeOf<[number][]>();
  expectTypeOf(db.sql<{ id: number }>`SELECT ${1}`).resolves.toEqualTypeOf<
    Results<{ id: number }>
  >();
  expectTypeOf(db.exec('')).resolves.toEqualTypeOf<Results[]>();
  expectTypeOf<Results>().toHaveProperty('fields').toEqualTypeOf<readonly Field[]>();
  expectTypeOf<Results>().toHaveProperty('rowCount').toEqualTypeOf<number | undefined>();

  expectTypeOf(
    db.transaction(async (tx) => (await tx.query<1>('')).rows[0]),
  ).resolves.toEqualTypeOf<1 | undefined>();
  expectTypeOf(db.transaction<void>)
    .parameter(0)
    .parameter(0)
    .toEqualTypeOf<Transaction>();
  expectTypeOf(db.executeBatch(['SELECT 1'])).resolves.toEqualTypeOf<number>();
  expectTypeOf<VarveDBOptions['durability']>().toEqualTypeOf<
    'strict' | 'relaxed' | 'async' | undefined
  >();
  expectTypeOf(db.on('storage:full', ({ quota }) => quota?.toFixed())).toEqualTypeOf<() => void>();
  // @ts-expect-error: no such event
  void db.on('storage:empty', () => undefined);
  expectTypeOf(db.opened).toEqualTypeOf<Opened | undefined>();
  expectTypeOf(db.copyFrom('t', new Blob())).resolves.toEqualTypeOf<CopyResult>();

  expectTypeOf(VarveDB.import).returns.resolves.toEqualTypeOf<VarveDB>();
  expectTypeOf(VarveDB.import).parameter(0).toEqualTypeOf<ImportSource>();
  expectTypeOf(db.export()).toEqualTypeOf<ReadableStream<Uint8Array<ArrayBuffer>>>();
  expectTypeOf(db.dumpSql({ only: 'data' })).resolves.toEqualTypeOf<Blob>();
  expectTypeOf(db.dumpDataDir('gzip')).resolves.toEqualTypeOf<File>();

  const error = new VarveError({ code: '42601', message: '' });
  expectTypeOf(error).toExtend<Error>();
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
  expectTypeOf(error.kind).toEqualTypeOf<ErrorKind>();
  expectTypeOf(error.failure).toEqualTypeOf<Failure | undefined>();
  expectTypeOf(error.statementIndex).toEqualTypeOf<number | undefined>();
  expectTypeOf(error.position).toEqualTypeOf<number | undefined>();

  // @ts-expect-error: only two row modes
  void db.query('', [], { rowMode: 'columns' });
  // @ts-expect-error: rows of unknown shape have values of unknown type
  void db.query('').then(({ rows: [row] }) => row?.x.length);
  // @ts-expect-error: results are not to be changed
  void db.query('').then((result) => (result.command = 'x'));
});
