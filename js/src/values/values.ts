import type { Parsers } from '../interface.js';
import { types } from '../types.js';
import { parseArray } from './array-text.js';
import {
  DAYS_INFINITY,
  dateText,
  infinite,
  momentMs,
  timestampText,
  US_INFINITY,
} from './date-text.js';

/** A present value as the engine sends it: `bigint` only where a number would not be exact. */
export type RawValue = boolean | number | bigint | string | Uint8Array;

const DAY_MS = 86_400_000;

/**
 * What makes the values of rows from the raw ones of a type, or `undefined` where they are the same.
 * The mapping is PGlite's; a parser gets the value as PostgreSQL prints it.
 */
export function converter(
  dataTypeID: number,
  parsers: Parsers | undefined,
): ((raw: RawValue) => unknown) | undefined {
  const parser = parsers?.[dataTypeID];
  if (parser !== undefined) return (raw) => parser(textOf(raw, dataTypeID), dataTypeID);
  switch (dataTypeID) {
    case types.DATE:
      return (raw) => moment(dayMs(Number(raw)), dataTypeID);
    case types.TIMESTAMP:
    case types.TIMESTAMPTZ:
      return (raw) => moment(milliseconds(raw), dataTypeID);
    case types.JSON:
    case types.JSONB:
      return (raw) => JSON.parse(String(raw)) as unknown;
    default: {
      const element = elementTypes[dataTypeID];
      if (element === undefined) return undefined;
      const parse = elementParser(element, parsers);
      return (raw) => parseArray(String(raw), parse);
    }
  }
}

/** The types of the elements by those of the arrays. */
const elementTypes: Readonly<Record<number, number>> = {
  199: types.JSON,
  1000: types.BOOL,
  1001: types.BYTEA,
  1005: types.INT2,
  1007: types.INT4,
  1009: types.TEXT,
  1014: types.BPCHAR,
  1015: types.VARCHAR,
  1016: types.INT8,
  [types.FLOAT4_ARRAY]: types.FLOAT4,
  [types.FLOAT8_ARRAY]: types.FLOAT8,
  1028: types.OID,
  1115: types.TIMESTAMP,
  1182: types.DATE,
  1183: types.TIME,
  1185: types.TIMESTAMPTZ,
  1187: types.INTERVAL,
  1231: types.NUMERIC,
  2951: types.UUID,
  3807: types.JSONB,
};

/** What makes the value of an element from its text. */
function elementParser(type: number, parsers: Parsers | undefined): (text: string) => unknown {
  const parser = parsers?.[type];
  if (parser !== undefined) return (text) => parser(text, type);
  switch (type) {
    case types.BOOL:
      return (text) => text === 't';
    case types.BYTEA:
      return bytesOf;
    case types.INT2:
    case types.INT4:
    case types.OID:
    case types.FLOAT4:
    case types.FLOAT8:
      return Number;
    case types.INT8:
      return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text));
    case types.JSON:
    case types.JSONB:
      return (text) => JSON.parse(text) as unknown;
    case types.DATE:
    case types.TIMESTAMP:
    case types.TIMESTAMPTZ:
      return (text) => moment(momentMs(text), type);
    default:
      return (text) => text;
  }
}

function bytesOf(text: string): Uint8Array {
  const digits = text.slice(2);
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

/** Bytes as PostgreSQL prints them. */
export function bytesText(bytes: Uint8Array): string {
  return `\\x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The value as PostgreSQL prints it. */
export function textOf(raw: RawValue, dataTypeID: number): string {
  if (typeof raw === 'boolean') return raw ? 't' : 'f';
  if (typeof raw === 'string') return raw;
  if (raw instanceof Uint8Array) return bytesText(raw);
  switch (dataTypeID) {
    case types.DATE:
      return dateText(Number(raw));
    case types.TIMESTAMP:
      return timestampText(raw, '');
    case types.TIMESTAMPTZ:
      return timestampText(raw, '+00');
    case types.FLOAT4:
      return doubleText(Number(raw), 6);
    case types.FLOAT8:
      return doubleText(Number(raw), 15);
    default:
      return String(raw);
  }
}

/** A moment as rows hold it: a Date, or the infinite number that it has instead. */
function moment(ms: number, type: number): Date | number {
  if (Math.abs(ms) === Number.POSITIVE_INFINITY) return ms;
  return type === types.TIMESTAMP ? localDate(ms) : new Date(ms);
}

function dayMs(days: number): number {
  return infinite(days, DAYS_INFINITY) ?? days * DAY_MS;
}

function milliseconds(us: RawValue): number {
  if (typeof us !== 'bigint') return Math.floor(Number(us) / 1000);
  const infinity = infinite(us, US_INFINITY);
  if (infinity !== undefined) return infinity;
  const rest = ((us % 1000n) + 1000n) % 1000n;
  return Number((us - rest) / 1000n);
}

/** The moment at which a local clock shows what a UTC clock shows at `ms`. */
function localDate(ms: number): Date {
  const utc = new Date(ms);
  const local = new Date(2000, 0, 1);
  // The constructor would take years below 100 for years of the twentieth century.
  local.setFullYear(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate());
  local.setHours(
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
    utc.getUTCMilliseconds(),
  );
  return local;
}

/** JavaScript's shortest digits, with the exponents where PostgreSQL has them. */
function doubleText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return String(value);
  const [mantissa = '', exponentText = ''] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < digits) return Object.is(value, -0) ? '-0' : String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
