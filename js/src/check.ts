import { VarveError } from './errors.js';

/** What an argument or an option takes: in words, and as a test. */
export interface Kind<T> {
  readonly takes: string;
  /** May throw, which is a no: a value may be a proxy, or have getters. */
  is(value: unknown): value is T;
}

/** What each option of a call takes. */
export type Kinds<T> = { readonly [K in keyof T]-?: Kind<Exclude<T[K], undefined>> };

const TEXT_SHOWN_MAX = 40;

/** The error of a call that was given what it does not take. */
export function invalidArgument(
  name: string,
  got: string,
  takes: string,
  more: { readonly hint?: string; readonly column?: string; readonly cause?: unknown } = {},
): VarveError {
  const { cause, ...fields } = more;
  const message = `invalid argument ${name}: it is ${got}, and takes ${takes}`;
  return new VarveError(
    { code: 'invalid_argument', message, ...fields },
    'cause' in more ? { cause } : {},
  );
}

/** The argument, if it is of this kind; `invalid_argument` otherwise. */
export function checked<T>(name: string, value: unknown, kind: Kind<T>): T {
  try {
    if (kind.is(value)) return value;
  } catch (cause) {
    throw invalidArgument(name, described(value), kind.takes, { cause });
  }
  throw invalidArgument(name, described(value), kind.takes);
}

/** What `read` gives; what it throws while it reads the argument is `invalid_argument`, with that as its cause. */
export function reading<T>(name: string, value: unknown, takes: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof VarveError) throw cause;
    throw invalidArgument(name, `${described(value)} that cannot be read`, takes, { cause });
  }
}

/** A copy of the options, each read once; one that is not known is an error, as is one of another kind. */
export function checkedOptions<T extends object>(
  value: unknown,
  kinds: Kinds<T>,
  name = 'options',
): T {
  if (value === undefined) return {} as T;
  const given = checked(name, value, anObject);
  const known = Object.keys(kinds) as (keyof T & string)[];
  return reading(name, value, anObject.takes, () => {
    for (const key of Reflect.ownKeys(given)) {
      if (typeof key === 'string' && Object.hasOwn(kinds, key)) continue;
      throw invalidArgument(name, `an object with ${String(key)}`, `only ${known.join(', ')}`);
    }
    const options: Partial<T> = {};
    for (const key of known) {
      const option = (given as Record<string, unknown>)[key];
      if (option !== undefined) options[key] = checked(key, option, kinds[key]) as T[typeof key];
    }
    return options as T;
  });
}

/** A value in a few words. Never throws, whatever it is. */
export function described(value: unknown): string {
  switch (typeof value) {
    case 'string': {
      const isLong = value.length > TEXT_SHOWN_MAX;
      return `the string ${JSON.stringify(isLong ? `${value.slice(0, TEXT_SHOWN_MAX)}…` : value)}`;
    }
    case 'number':
    case 'boolean':
    case 'undefined':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'object':
      return value === null ? 'null' : ofClass(value);
    default:
      return `a ${typeof value}`;
  }
}

function ofClass(value: object): string {
  try {
    if (Array.isArray(value)) return 'an array';
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    return tag === 'Object' ? 'an object' : `an object of class ${tag}`;
  } catch {
    return 'an object';
  }
}

/** An object of properties, and not of a class that keeps something else, such as a Map or a Promise. */
export const anObject: Kind<object> = {
  takes: 'an object',
  is: (value): value is object =>
    typeof value === 'object' && Object.prototype.toString.call(value) === '[object Object]',
};

export const anArray: Kind<readonly unknown[]> = {
  takes: 'an array',
  is: (value): value is readonly unknown[] => Array.isArray(value),
};

export const aBoolean: Kind<boolean> = {
  takes: 'true or false',
  is: (value) => typeof value === 'boolean',
};

/** A function, of which no more can be known before it is called. */
export function aFunction<T>(): Kind<T> {
  return { takes: 'a function', is: (value): value is T => typeof value === 'function' };
}

export function oneOf<const T extends string>(...names: readonly T[]): Kind<T> {
  return {
    takes: names.map((name) => JSON.stringify(name)).join(' or '),
    is: (value): value is T => (names as readonly unknown[]).includes(value),
  };
}

/** A whole number that is exact. */
export const aCount: Kind<number> = {
  takes: 'a whole number, 1 or more',
  is: (value): value is number => Number.isSafeInteger(value) && (value as number) >= 1,
};

const isAborted = Object.getOwnPropertyDescriptor(
  globalThis.AbortSignal?.prototype ?? {},
  'aborted',
)?.get;

/** The getter throws for what only looks like one. */
export const aSignal: Kind<AbortSignal> = {
  takes: 'an AbortSignal',
  is: (value): value is AbortSignal => typeof isAborted?.call(value) === 'boolean',
};

/** The text as it is, if the database can hold it: 22021, as PostgreSQL has it, if not. */
export function storable(text: string, name: string): string {
  if (text.includes('\0')) throw notStorable(name, '0x00');
  if (!isWellFormed(text)) throw notStorable(name, 'half of a surrogate pair');
  return text;
}

/** A string that the database can hold. */
export function checkedText(name: string, value: unknown): string {
  return storable(checked(name, value, aString), name);
}

export const aString: Kind<string> = {
  takes: 'a string',
  is: (value) => typeof value === 'string',
};

function isWellFormed(text: string): boolean {
  // ES2024, and quicker where it is there.
  const given = text as string & { isWellFormed?: () => boolean };
  return given.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}

function notStorable(name: string, what: string): VarveError {
  return new VarveError({
    code: '22021',
    message: `invalid byte sequence for encoding "UTF8": ${what}`,
    where: `argument ${name}`,
  });
}
