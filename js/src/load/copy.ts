import { abortable } from '../canceled.js';
import { checked, checkedText, described, invalidArgument, type Kind, storable } from '../check.js';
import type { CopyOptions, CopyResult, CopySource } from '../interface.js';
import { copyOptions } from '../options.js';
import type { WorkerClient } from '../worker-client.js';

/** Large files are given to the engine in pieces of this size, each followed by a word of progress. */
const CHUNK_BYTES = 256 * 1024;

const aSource: Kind<CopySource> = {
  takes: 'a string, a Blob, or a ReadableStream that nothing else reads',
  is: (value): value is CopySource =>
    typeof value === 'string' ||
    (value instanceof Blob && value.size >= 0) ||
    (value instanceof ReadableStream && !value.locked),
};

/** An import that is checked. */
export interface CopyCall {
  readonly sql: string;
  readonly source: CopySource;
  readonly options: CopyOptions;
}

export function copyCall(table: unknown, source: unknown, given: unknown): CopyCall {
  const options = copyOptions(given);
  const sql = copyStatement(checkedText('table', table), options);
  const from = checked('source', source, aSource);
  if (typeof from === 'string') storable(from, 'source');
  return { sql, source: from, options };
}

/** The COPY statement of an import. */
function copyStatement(table: string, options: CopyOptions): string {
  const { columns, header = false, delimiter, null: nullText } = options;
  const list = columns === undefined ? '' : ` (${columns.map(quoted).join(', ')})`;
  const settings = [
    'FORMAT csv',
    `HEADER ${header}`,
    ...(delimiter === undefined ? [] : [`DELIMITER ${literal(delimiter)}`]),
    ...(nullText === undefined ? [] : [`NULL ${literal(nullText)}`]),
  ];
  return `COPY ${tableName(table)}${list} FROM STDIN WITH (${settings.join(', ')})`;
}

/** As in SQL, names in double quotes are taken as they are and others are folded to lower case. */
export function tableName(name: string): string {
  return name.startsWith('"') ? name : quoted(name.toLowerCase());
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A piece of a stream. A text may not end in the middle of a character. */
function bytesOf(piece: unknown): Uint8Array {
  if (typeof piece === 'string') return new TextEncoder().encode(storable(piece, 'source'));
  if (piece instanceof Uint8Array) return piece;
  const got = `a stream of ${described(piece)}`;
  throw invalidArgument('source', got, 'a stream of strings or of Uint8Arrays');
}

/** Streams `source` into a table: the next piece is read while the engine takes the last one. */
export async function copyInto(
  client: WorkerClient,
  { sql, source, options }: CopyCall,
): Promise<CopyResult> {
  const { signal, onProgress } = options;
  const blob = typeof source === 'string' ? new Blob([source]) : source;
  const total = blob instanceof Blob ? { totalBytes: blob.size } : {};
  const reader = (blob instanceof Blob ? blob.stream() : blob).getReader();
  let bytes = 0;
  let copy: number | undefined;

  const write = async (chunk: Uint8Array) => {
    for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
      const piece = chunk.slice(at, at + CHUNK_BYTES);
      const args = { copy: copy as number, bytes: piece };
      const { rows } = await client.request('copyWrite', args, { query: sql, signal });
      bytes += piece.length;
      onProgress?.({ bytes, rows, ...total });
    }
  };

  try {
    ({ copy } = await client.request('copyBegin', { sql }, { query: sql, signal }));
    let writing: Promise<void> = Promise.resolve();
    for (;;) {
      const [{ done, value }] = await Promise.all([abortable(reader.read(), signal), writing]);
      if (done) break;
      writing = write(bytesOf(value));
    }
    const { rows } = await client.request('copyFinish', { copy }, { query: sql, signal });
    return { rowCount: rows, bytes };
  } catch (error) {
    // Neither may hide what went wrong: the source may be at its end, the import undone already.
    reader.cancel(error).catch(() => undefined);
    if (copy !== undefined) await client.request('copyAbort', { copy }).catch(() => undefined);
    throw error;
  }
}
