import { VarveError } from '../errors.js';
import type { Field, Notice, Parsers, Results, RowMode } from '../interface.js';
import { nameAt, textAt } from './text.js';
import { converter, type RawValue } from './values.js';

/**
 * Reads the messages that `crates/varve-wasm/src/result.rs` writes, where their layout is described.
 * Columns are read a batch at a time through typed arrays over the message; nothing else is copied.
 */

const MAGIC = 0x32535256;
const FORM_DICTIONARY = 1;

/** How rows are made. */
export interface RowOptions {
  readonly rowMode?: RowMode | undefined;
  readonly parsers?: Parsers | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

/** The results in a message. */
export function readResults(
  message: Uint8Array<ArrayBuffer>,
  options: RowOptions,
): Results<unknown>[] {
  const reader = new Reader(message);
  if (reader.u32() !== MAGIC) {
    throw new VarveError({
      code: 'XX000',
      message: 'the engine and the package are of different versions',
    });
  }
  return Array.from({ length: reader.u32() }, () => readSet(reader, options));
}

function readSet(reader: Reader, options: RowOptions): Results<unknown> {
  const fieldCount = reader.u32();
  const batchCount = reader.u32();
  const noticeCount = reader.u32();
  const commandBytes = reader.u32();
  const affected = reader.count();
  const command = reader.name(commandBytes);
  const fields: Field[] = [];
  for (let i = 0; i < fieldCount; i += 1) {
    const dataTypeID = reader.u32();
    fields.push({ dataTypeID, name: reader.name(reader.u32()) });
  }
  for (let i = 0; i < noticeCount; i += 1) readNotice(reader, options);
  const columns = fields.map(({ dataTypeID }) => converter(dataTypeID, options.parsers));
  const dictionaries: unknown[][] = [];
  const rows: unknown[] = [];
  for (let batch = 0; batch < batchCount; batch += 1) {
    const count = reader.u32();
    reader.pad();
    const values = columns.map((convert) => readColumn(reader, count, convert, dictionaries));
    if (options.rowMode === 'array') appendArrays(rows, values, count);
    else appendObjects(rows, fields, values, count);
  }
  return {
    rows,
    fields,
    affectedRows: Math.max(affected, 0),
    command,
    ...(affected >= 0 && { rowCount: affected }),
    ...(affected < 0 && fieldCount > 0 && { rowCount: rows.length }),
  };
}

function readNotice(reader: Reader, options: RowOptions): void {
  const severityBytes = reader.u32();
  const messageBytes = reader.u32();
  const detailBytes = reader.u32();
  const hintBytes = reader.u32();
  const code = reader.text(5);
  const severity = reader.text(severityBytes);
  const message = reader.text(messageBytes);
  const detail = reader.text(detailBytes);
  const hint = reader.text(hintBytes);
  const more = { ...(detail !== '' && { detail }), ...(hint !== '' && { hint }) };
  options.onNotice?.({ severity, code, message, ...more });
}

function appendArrays(rows: unknown[], columns: unknown[][], count: number): void {
  for (let row = 0; row < count; row += 1) rows.push(columns.map((values) => values[row]));
}

/** What a property is that was assigned to an object. */
const OWN = { value: undefined, writable: true, enumerable: true, configurable: true };

function appendObjects(
  rows: unknown[],
  fields: readonly Field[],
  columns: unknown[][],
  count: number,
): void {
  const hasProto = fields.some(({ name }) => name === '__proto__');
  for (let row = 0; row < count; row += 1) {
    const object: Record<string, unknown> = {};
    // Once it is a property of the object itself, assigning to it does not change the prototype.
    if (hasProto) Object.defineProperty(object, '__proto__', OWN);
    for (let i = 0; i < fields.length; i += 1) {
      object[(fields[i] as Field).name] = (columns[i] as unknown[])[row];
    }
    rows.push(object);
  }
}

type Convert = ((raw: RawValue) => unknown) | undefined;

function readColumn(
  reader: Reader,
  count: number,
  convert: Convert,
  dictionaries: unknown[][],
): unknown[] {
  const head = reader.u32();
  const [form, hasValidity, layout] = [head & 0xff, (head >> 8) & 0xff, (head >> 16) & 0xff];
  const number = reader.u32();
  const validity = hasValidity === 1 ? reader.bits(count) : undefined;
  if (form !== FORM_DICTIONARY) return readValues(reader, layout, count, validity, convert);
  const codes = reader.u32s(count);
  if (number === dictionaries.length) {
    const size = reader.u32();
    reader.pad();
    dictionaries.push(readValues(reader, layout, size, undefined, convert));
  }
  const dictionary = dictionaries[number] ?? [];
  const values = new Array<unknown>(count);
  for (let row = 0; row < count; row += 1) {
    values[row] = isNull(validity, row) ? null : dictionary[codes[row] as number];
  }
  return values;
}

function isNull(validity: Uint8Array | undefined, row: number): boolean {
  return validity !== undefined && !bit(validity, row);
}

function bit(bits: Uint8Array, row: number): boolean {
  return (((bits[row >> 3] as number) >> (row & 7)) & 1) === 1;
}

function readValues(
  reader: Reader,
  layout: number,
  count: number,
  validity: Uint8Array | undefined,
  convert: Convert,
): unknown[] {
  const raw: readonly RawValue[] = readRaw(reader, layout, count);
  if (validity === undefined && convert === undefined) return raw as unknown[];
  const values: unknown[] = raw as unknown[];
  for (let row = 0; row < count; row += 1) {
    if (isNull(validity, row)) values[row] = null;
    else if (convert !== undefined) values[row] = convert(raw[row] as RawValue);
  }
  return values;
}

function readRaw(reader: Reader, layout: number, count: number): RawValue[] {
  switch (layout) {
    case 1: {
      const bits = reader.bits(count);
      return Array.from({ length: count }, (_, row) => bit(bits, row));
    }
    case 2:
      return reader.i32s(count);
    case 3:
      return reader.i64s(count);
    case 4:
      return reader.f64s(count);
    case 5:
      return reader.strings(count);
    case 6:
      return reader.binaries(count);
    default:
      throw new VarveError({
        code: 'XX000',
        message: `the engine sent a column of layout ${layout}`,
      });
  }
}

class Reader {
  readonly #message: Uint8Array<ArrayBuffer>;
  /** The message as words: everything in it begins on a border of four bytes. */
  readonly #words: Uint32Array;
  #at = 0;

  constructor(message: Uint8Array<ArrayBuffer>) {
    // Typed arrays need aligned starts, so the message must begin with its buffer.
    this.#message = message.byteOffset % 8 === 0 ? message : message.slice();
    const { buffer, byteOffset, byteLength } = this.#message;
    this.#words = new Uint32Array(buffer, byteOffset, byteLength >> 2);
  }

  /** Moves over `bytes` bytes; the result is where they begin in the buffer. */
  #skip(bytes: number): number {
    const start = this.#message.byteOffset + this.#at;
    this.#at += bytes;
    return start;
  }

  pad(): void {
    this.#at = (this.#at + 7) & ~7;
  }

  u32(): number {
    const word = this.#words[this.#at >> 2] as number;
    this.#at += 4;
    return word;
  }

  /** A count, or -1. */
  count(): number {
    const low = this.u32();
    return (this.u32() | 0) * 4_294_967_296 + low;
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.#message.buffer, this.#skip(count), count);
  }

  bits(count: number): Uint8Array {
    const bits = this.bytes(Math.ceil(count / 8));
    this.pad();
    return bits;
  }

  u32s(count: number): Uint32Array {
    const values = new Uint32Array(this.#message.buffer, this.#skip(count * 4), count);
    this.pad();
    return values;
  }

  i32s(count: number): number[] {
    const from = this.#at >> 2;
    this.#at += count * 4;
    this.pad();
    const values = new Array<number>(count);
    for (let i = 0; i < count; i += 1) values[i] = (this.#words[from + i] as number) | 0;
    return values;
  }

  f64s(count: number): number[] {
    const doubles = new Float64Array(this.#message.buffer, this.#skip(count * 8), count);
    const values = new Array<number>(count);
    for (let i = 0; i < count; i += 1) values[i] = doubles[i] as number;
    return values;
  }

  /** Numbers where they are exact: making a `bigint` for each value would cost most of the reading. */
  i64s(count: number): (number | bigint)[] {
    const from = this.#at >> 2;
    const start = this.#skip(count * 8);
    const values = new Array<number | bigint>(count);
    for (let i = 0; i < count; i += 1) {
      const low = this.#words[from + 2 * i] as number;
      const high = (this.#words[from + 2 * i + 1] as number) | 0;
      const value = high * 4_294_967_296 + low;
      values[i] = Number.isSafeInteger(value) ? value : this.#bigint(start + 8 * i);
    }
    return values;
  }

  #bigint(start: number): bigint {
    return new BigInt64Array(this.#message.buffer, start, 1)[0] as bigint;
  }

  text(bytes: number): string {
    const text = textAt(this.#message, this.#at, bytes);
    this.#at += bytes;
    this.pad();
    return text;
  }

  name(bytes: number): string {
    const name = nameAt(this.#message, this.#at, bytes);
    this.#at += bytes;
    this.pad();
    return name;
  }

  /** All strings are decoded at once and cut by their offsets, which count characters only in ASCII. */
  strings(count: number): string[] {
    const offsets = this.u32s(count + 1);
    const bytes = this.bytes(offsets[count] as number);
    this.pad();
    const text = textAt(bytes, 0, bytes.length);
    const values = new Array<string>(count);
    const isAscii = text.length === bytes.length;
    let start = 0;
    for (let i = 0; i < count; i += 1) {
      const from = offsets[i] as number;
      const to = offsets[i + 1] as number;
      const end = start + (isAscii ? to - from : utf16Length(bytes, from, to));
      values[i] = text.slice(start, end);
      start = end;
    }
    return values;
  }

  /** Copies, since the message may be large and its buffer be kept by any one of them. */
  binaries(count: number): Uint8Array[] {
    const offsets = this.u32s(count + 1);
    const bytes = this.bytes(offsets[count] as number);
    this.pad();
    return Array.from({ length: count }, (_, i) => bytes.slice(offsets[i], offsets[i + 1]));
  }
}

/** Characters beyond U+FFFF, of four bytes, are two units of UTF-16; all others are one. */
function utf16Length(bytes: Uint8Array, from: number, to: number): number {
  let units = 0;
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i] as number;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}
