import {
  aBoolean,
  aCount,
  aFunction,
  anArray,
  anObject,
  aSignal,
  aString,
  checked,
  checkedOptions,
  checkedText,
  invalidArgument,
  type Kind,
  oneOf,
  reading,
  storable,
} from './check.js';
import { encryptionOption } from './encryption.js';
import { anImportSource } from './export/import-store.js';
import type {
  BatchOptions,
  BulkLoadOptions,
  CopyOptions,
  DumpOptions,
  EngineOptions,
  ExportOptions,
  MaintenanceOptions,
  Parser,
  Parsers,
  QueryOptions,
  RepairOptions,
  ScriptOptions,
  VarveDBOptions,
} from './interface.js';

/** The options of each call, and what they take. */

const aParser = aFunction<Parser>();

const parsers: Kind<Parsers> = {
  takes: 'an object of functions by the OIDs of types',
  is: (value): value is Parsers =>
    anObject.is(value) &&
    Object.entries(value).every(
      ([oid, parser]) => /^\d+$/.test(oid) && isMissingOr(aParser, parser),
    ),
};

function isMissingOr<T>(kind: Kind<T>, value: unknown): boolean {
  return value === undefined || kind.is(value);
}

const aCallback = aFunction<(given: unknown) => void>();

const names: Kind<readonly string[]> = {
  takes: 'an array of strings',
  is: (value): value is readonly string[] =>
    Array.isArray(value) && Array.from(value).every(aString.is),
};

const aCharacter: Kind<string> = {
  takes: 'one character',
  is: (value): value is string => typeof value === 'string' && [...value].length === 1,
};

export function queryOptions(given: unknown): QueryOptions {
  const options = checkedOptions<QueryOptions>(given, {
    rowMode: oneOf('object', 'array'),
    parsers,
    signal: aSignal,
    onNotice: aCallback,
  });
  return withCopiedParsers(options);
}

export function batchOptions(given: unknown): BatchOptions {
  return checkedOptions<BatchOptions>(given, { signal: aSignal });
}

export function copyOptions(given: unknown): CopyOptions {
  const options = checkedOptions<CopyOptions>(given, {
    columns: names,
    header: aBoolean,
    delimiter: aCharacter,
    null: aString,
    onProgress: aCallback,
    signal: aSignal,
  });
  const { columns, delimiter, null: nullText } = options;
  for (const [name, text] of Object.entries({ delimiter, null: nullText })) {
    if (text !== undefined) storable(text, name);
  }
  if (columns === undefined) return options;
  return { ...options, columns: checkedTexts('columns', columns) };
}

export function bulkLoadOptions(given: unknown): BulkLoadOptions {
  return checkedOptions<BulkLoadOptions>(given, {
    autoId: aBoolean,
    batchRows: aCount,
    onProgress: aCallback,
    signal: aSignal,
  });
}

export function exportOptions(given: unknown): ExportOptions {
  return checkedOptions<ExportOptions>(given, { since: someBytes, onContents: aCallback });
}

export function maintenanceOptions(given: unknown): MaintenanceOptions {
  return checkedOptions<MaintenanceOptions>(given, { budgetMs: aCount });
}

export function dumpOptions(given: unknown): DumpOptions {
  return checkedOptions<DumpOptions>(given, { only: oneOf('schema', 'data'), inserts: aBoolean });
}

const someBytes: Kind<Uint8Array> = {
  takes: 'a Uint8Array',
  is: (value): value is Uint8Array => value instanceof Uint8Array,
};

const wasm: Kind<NonNullable<EngineOptions['wasm']>> = {
  takes: 'an address, a URL, a Response or a WebAssembly.Module',
  is: (value): value is NonNullable<EngineOptions['wasm']> =>
    typeof value === 'string' ||
    (value instanceof URL && typeof value.href === 'string') ||
    (value instanceof Response && !value.bodyUsed) ||
    (value instanceof WebAssembly.Module && WebAssembly.Module.imports(value).length >= 0),
};

export function scriptOptions(given: unknown): ScriptOptions {
  const options = checkedOptions<ScriptOptions>(given, {
    dialect: oneOf('sqlite', 'mysql'),
    partial: aBoolean,
    dialectWasm: wasm,
    signal: aSignal,
    onNotice: aCallback,
  });
  const { dialect, partial, dialectWasm } = options;
  for (const [name, value] of Object.entries({ partial, dialectWasm })) {
    if (value !== undefined && dialect === undefined) {
      throw invalidArgument(`options.${name}`, 'given without a dialect', 'one beside it');
    }
  }
  return options;
}

const worker = aFunction<() => Worker>();

/** Where the data is, and the options of `create`. */
export function createOptions(
  dataDir: unknown,
  given: unknown,
): { readonly place: string | undefined; readonly options: VarveDBOptions } {
  const isPlace = dataDir === undefined || typeof dataDir === 'string';
  const first = isPlace ? dataDir : checked('dataDir', dataDir, placeOrOptions);
  if (typeof first === 'object' && given !== undefined) {
    throw invalidArgument('options', 'a second object', 'nothing beside the first argument');
  }
  const options = withCopiedParsers(
    checkedOptions<VarveDBOptions>(typeof first === 'object' ? first : given, {
      dataDir: aString,
      wasm,
      restWasm: wasm,
      zstdWasm: wasm,
      worker,
      memoryLimit: aCount,
      durability: oneOf('strict', 'relaxed', 'async'),
      mustExist: aBoolean,
      encryption: encryptionOption,
      parsers,
      loadDataDir: anImportSource,
    }),
  );
  if (options.loadDataDir !== undefined && options.mustExist) {
    throw invalidArgument('options.mustExist', 'true beside loadDataDir', 'false there');
  }
  if (typeof first === 'string' && options.dataDir !== undefined) {
    throw invalidArgument('options.dataDir', 'a second place', 'nothing beside the first argument');
  }
  return { place: typeof first === 'string' ? first : options.dataDir, options };
}

const placeOrOptions: Kind<object> = { ...anObject, takes: 'a string, or an object of options' };

/** The options of `destroy` and `preload`. */
export function engineOptions(given: unknown): EngineOptions {
  return checkedOptions<EngineOptions>(given, { wasm, restWasm: wasm, zstdWasm: wasm, worker });
}

export function repairOptions(given: unknown): RepairOptions {
  return checkedOptions<RepairOptions>(given, {
    wasm,
    restWasm: wasm,
    zstdWasm: wasm,
    worker,
    encryption: encryptionOption,
  });
}

function withCopiedParsers<T extends { readonly parsers?: Parsers | undefined }>(options: T): T {
  const { parsers: given } = options;
  if (given === undefined) return options;
  const copy = reading('parsers', given, parsers.takes, () => ({ ...given }));
  return { ...options, parsers: checked('parsers', copy, parsers) };
}

/** A copy of an array of strings that the database can hold. */
export function checkedTexts(name: string, value: unknown): string[] {
  const given = checked(name, value, anArray);
  return reading(name, value, names.takes, () =>
    Array.from(given, (text, index) => checkedText(`${name}[${index}]`, text)),
  );
}
