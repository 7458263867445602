import { checked, described, invalidArgument, type Kind, reading, storable } from '../check.js';
import { arrayText } from './array-text.js';
import { timestampText } from './date-text.js';
import { bytesText } from './values.js';

/**
 * A parameter as it crosses to the engine, which gives it the type that the statement expects. An array goes as
 * text of an array of the database and as JSON, if JSON can hold it: the type decides. So does an object whose
 * JSON is a text. A typed array of doubles goes as bytes and as an array.
 */
export type Param =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array<ArrayBuffer>
  | readonly [string, string | null]
  | readonly [string, null, string];

/** As many as PostgreSQL's protocol can count. */
const PARAMS_MAX = 65_535;

const TAKES =
  'null, a string, a number, a bigint, a boolean, a Date, bytes, an array or an object that JSON can hold';

const params: Kind<readonly unknown[]> = {
  takes: `an array of at most ${PARAMS_MAX} parameters, or null`,
  is: (value): value is readonly unknown[] => Array.isArray(value) && value.length <= PARAMS_MAX,
};

/** Parameters as the engine takes them. */
export function toParams(given: unknown): Param[] {
  if (given === undefined || given === null) return [];
  const list = checked('params', given, params);
  const values = reading('params', given, params.takes, () => Array.from(list));
  return values.map((value, index) => {
    const name = `$${index + 1}`;
    return reading(name, value, TAKES, () => toParam(value, name));
  });
}

function toParam(value: unknown, name: string): Param {
  if (!Array.isArray(value)) return single(value, name);
  return [
    storable(
      arrayText(value, (item) => elementText(item, name)),
      name,
    ),
    jsonOf(value),
  ];
}

/** The array as JSON; nothing where JSON has no form for an element, as for a bigint. */
function jsonOf(value: readonly unknown[]): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

function single(value: unknown, name: string): Param {
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'bigint':
      return value;
    case 'string':
      return storable(value, name);
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : objectParam(value, name);
    default:
      throw invalidArgument(name, described(value), TAKES);
  }
}

function elementText(item: unknown, name: string): string {
  const param = single(item, name);
  if (typeof param === 'boolean') return param ? 't' : 'f';
  if (param instanceof Uint8Array) return bytesText(param);
  return Array.isArray(param) ? param[0] : String(param);
}

function objectParam(value: object, name: string): Param {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw invalidArgument(name, 'an invalid Date', TAKES);
    return dateParam(value);
  }
  const bytes = bytesOf(value, name);
  if (bytes !== undefined) {
    const isDoubles = value instanceof Float64Array || value instanceof Float32Array;
    // A copy: the caller may change what it has given, and all of the buffer of a view would cross.
    if (!isDoubles) return new Uint8Array(bytes);
    // `join` would lose the sign of zero.
    const items = Array.from(value, (item) => (Object.is(item, -0) ? '-0' : String(item)));
    return [bytesText(bytes), null, `{${items.join(',')}}`];
  }
  refuseOpaque(value, name);
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) {
    throw invalidArgument(name, `${described(value)} without a form in JSON`, TAKES);
  }
  // What has a text as its JSON, such as a URL, is that text to other types.
  return json.startsWith('"') ? [storable(JSON.parse(json), name), json] : json;
}

/** The bytes of a buffer or of a view of one. */
function bytesOf(value: object, name: string): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    refuseDetached(value.buffer, name);
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  const isShared = typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer;
  if (!isShared && !(value instanceof ArrayBuffer)) return undefined;
  refuseDetached(value, name);
  // Without its length, what only looks like a buffer would be an empty list.
  return new Uint8Array(value, 0, value.byteLength);
}

/** A buffer that was given away has no bytes left: it must not pass for an empty one. */
export function refuseDetached(buffer: ArrayBufferLike, name: string): void {
  // ES2024: where it is missing, a detached buffer cannot be told from an empty one.
  if ((buffer as { detached?: boolean }).detached !== true) return;
  throw invalidArgument(name, 'a buffer that was given away', TAKES);
}

/** JSON writes `{}` for what keeps its content to itself, such as a Map, a Blob or a Promise. */
function refuseOpaque(value: object, name: string): void {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  const isBoxed = /\[object (String|Number|Boolean|BigInt|Symbol)\]/;
  const isOpaque = !isPlain && Object.keys(value).length === 0;
  if (!isOpaque && !isBoxed.test(Object.prototype.toString.call(value))) return;
  const isBlob = typeof Blob !== 'undefined' && value instanceof Blob;
  const hint = isBlob ? { hint: 'Give new Uint8Array(await blob.arrayBuffer()).' } : {};
  throw invalidArgument(name, described(value), TAKES, hint);
}

/** ISO 8601, but for years that it writes with a sign: those in PostgreSQL's way. */
export function dateParam(date: Date): string {
  const year = date.getUTCFullYear();
  if (year >= 1 && year <= 9999) return date.toISOString();
  return timestampText(BigInt(date.getTime()) * 1000n, '+00');
}
