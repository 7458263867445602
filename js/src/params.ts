import { arrayText } from './array-text.js';
import { timestampText } from './date-text.js';
import { VarveError } from './errors.js';
import { bytesText } from './values.js';

/** A parameter as it crosses to the engine, which gives it the type that the statement expects. */
export type Param = null | boolean | number | bigint | string;

/** Parameters as the engine takes them. */
export function toParams(params: readonly unknown[] | null | undefined): Param[] {
  return params?.map(toParam) ?? [];
}

function toParam(value: unknown, index: number): Param {
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'bigint':
    case 'string':
      return value;
    case 'undefined':
      return null;
    case 'symbol':
    case 'function':
      throw invalid(index, `a ${typeof value}`);
    default:
      break;
  }
  if (value === null) return null;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw invalid(index, 'an invalid date');
    return dateParam(value);
  }
  if (value instanceof Uint8Array) return bytesText(value);
  if (Array.isArray(value)) return arrayText(value, (item) => elementText(item, index));
  return JSON.stringify(value);
}

function elementText(item: unknown, index: number): string {
  const param = toParam(item, index);
  return typeof param === 'boolean' ? (param ? 't' : 'f') : String(param);
}

/** ISO 8601, but for years that it writes with a sign: those in PostgreSQL's way. */
export function dateParam(date: Date): string {
  const year = date.getUTCFullYear();
  if (year >= 1 && year <= 9999) return date.toISOString();
  return timestampText(BigInt(date.getTime()) * 1000n, '+00');
}

function invalid(index: number, what: string): VarveError {
  return new VarveError({
    code: '22023',
    message: `parameter $${index + 1} is ${what}, which no supported type can hold`,
    hint: 'Give a string, a number, a bigint, a boolean, a Date, a Uint8Array, an array, an object or null.',
  });
}
