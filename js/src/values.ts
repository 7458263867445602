import { dateText, timestampText } from './date-text.js';
import type { Parsers } from './interface.js';
import { types } from './types.js';

/** A present value as the engine sends it: `bigint` only where a number would not be exact. */
export type RawValue = boolean | number | bigint | string;

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
      return (raw) => new Date(Number(raw) * DAY_MS);
    case types.TIMESTAMP:
      return (raw) => localDate(milliseconds(raw));
    case types.TIMESTAMPTZ:
      return (raw) => new Date(milliseconds(raw));
    default:
      return undefined;
  }
}

/** The value as PostgreSQL prints it. */
export function textOf(raw: RawValue, dataTypeID: number): string {
  if (typeof raw === 'boolean') return raw ? 't' : 'f';
  if (typeof raw === 'string') return raw;
  switch (dataTypeID) {
    case types.DATE:
      return dateText(Number(raw));
    case types.TIMESTAMP:
      return timestampText(raw, '');
    case types.TIMESTAMPTZ:
      return timestampText(raw, '+00');
    case types.FLOAT8:
      return doubleText(Number(raw));
    default:
      return String(raw);
  }
}

function milliseconds(us: RawValue): number {
  if (typeof us !== 'bigint') return Math.floor(Number(us) / 1000);
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
function doubleText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const [mantissa = '', exponentText = ''] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 15) return Object.is(value, -0) ? '-0' : String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
