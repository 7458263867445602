/** Values of every kind that JavaScript has, whole, broken and hostile. */

/** What hostile values throw: a call may pass it on where it runs code of the caller. */
export class Thrown extends Error {}

const boom = () => {
  throw new Thrown('boom');
};

/** Numbers from 0 up to 1, the same from the same seed. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick(random, list) {
  return list[Math.floor(random() * list.length)];
}

const everyTrap = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect).map((name) => [name, boom]),
);

function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function detached() {
  const bytes = new Uint8Array(8);
  structuredClone(bytes, { transfer: [bytes.buffer] });
  return bytes;
}

function cyclic() {
  const object = { list: [] };
  object.self = object;
  object.list.push(object.list);
  return object;
}

function rejected() {
  const promise = Promise.reject(new Thrown('rejected'));
  promise.catch(() => undefined);
  return promise;
}

class Secret {
  #value = 1;
  get value() {
    return this.#value;
  }
}

const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  255,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e-320,
  NaN,
  Infinity,
  -Infinity,
];
const texts = [
  '',
  'a',
  '\0',
  '\ud800',
  '\u{1F600}',
  'SELECT 1',
  "'",
  '"',
  '{',
  '{}',
  '[1',
  '$1',
  '\\',
  ';',
  'memory://',
];

const plain = [
  () => undefined,
  () => null,
  () => true,
  () => false,
  (random) => pick(random, numbers),
  (random) => random() * 1e6,
  (random) => pick(random, [0n, -1n, 1n << 63n, -(1n << 200n)]),
  (random) => pick(random, texts),
  (random) => 'x'.repeat(Math.floor(random() * 10_000)),
  () => Symbol('s'),
  () => Symbol.iterator,
];

const functions = [
  () => () => 1,
  () => boom,
  () => async () => 1,
  () => async () => boom(),
  () => class {},
  () => Map,
  () => () => ({}),
  () => new Proxy(() => 1, {}),
  () => new Proxy(() => 1, everyTrap),
  () => revoked(() => 1),
];

const bytes = [
  () => new Uint8Array([0, 1, 255]),
  () => new Float64Array([NaN, 1]),
  () => new BigUint64Array(2),
  () => new Uint8ClampedArray(3),
  () => new ArrayBuffer(5),
  () => new DataView(new ArrayBuffer(5), 1, 2),
  () => detached(),
  () => detached().buffer,
  () => new ArrayBuffer(4, { maxByteLength: 8 }),
];

const objects = [
  () => ({}),
  () => Object.create(null),
  () => ({ a: 1 }),
  () =>
    new (class Point {
      x = 1;
    })(),
  () => new Secret(),
  cyclic,
  () => ({
    get a() {
      return boom();
    },
  }),
  () => ({ toJSON: boom }),
  () => ({ toJSON: () => undefined }),
  () => ({ toString: boom, valueOf: boom, [Symbol.toPrimitive]: boom }),
  () => Object.defineProperty({}, 'then', { get: boom }),
  () => ({ [Symbol.toStringTag]: 'ArrayBuffer' }),
  () => ({
    get [Symbol.iterator]() {
      return boom();
    },
  }),
  () => ({ [Symbol.iterator]: 5 }),
  () => ({
    *[Symbol.iterator]() {
      yield { a: [1] };
      boom();
    },
  }),
  () => ({
    async *[Symbol.asyncIterator]() {
      yield 5;
    },
  }),
  () => JSON.parse('{"__proto__": [1]}'),
  () => Object.create(Date.prototype),
  () => Object.create(ArrayBuffer.prototype),
  () => Object.create(AbortSignal.prototype),
  () => Object.freeze([]),
  () => new Date(0),
  () => new Date(NaN),
  () => new Date(8.64e15),
  () => new Map([[1, 2]]),
  () => new Set([1]),
  () => new WeakMap(),
  () => /x/g,
  () => new Thrown('as a value'),
  () => Promise.resolve(1),
  rejected,
  () => Object('text'),
  () => Object(1n),
  () => new Blob(['1\n']),
  () => new File(['1\n'], 'x'),
  () => new Blob(['1\n']).stream(),
  () => new ReadableStream({ start: (stream) => stream.error(new Thrown('stream')) }),
  () =>
    new ReadableStream({
      start(stream) {
        stream.enqueue({});
        stream.close();
      },
    }),
  () => new URL('https://example.org/'),
  () => new Response('x'),
  () => new Headers(),
  () => new AbortController().signal,
  () => AbortSignal.abort(new Thrown('aborted')),
  () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
  () => document.body,
  () => globalThis,
  () => Math,
  () =>
    (function* () {
      yield 1;
    })(),
];

const targets = [
  () => ({}),
  () => [],
  () => new Date(0),
  () => new Uint8Array(2),
  () => new ArrayBuffer(2),
  () => new Blob(['1']),
  () => new AbortController().signal,
  () => ({ rowMode: 'array' }),
];

/** A value of any kind; containers hold others of any kind. */
export function wild(random, depth = 0) {
  const kind = random();
  const inner = () => wild(random, depth + 1);
  if (kind < 0.3) return pick(random, plain)(random);
  if (kind < 0.36) return pick(random, functions)(random);
  if (kind < 0.44) return pick(random, bytes)(random);
  if (kind < 0.7) return pick(random, objects)(random);
  if (kind < 0.76) return new Proxy(pick(random, targets)(), everyTrap);
  if (kind < 0.8) return new Proxy(pick(random, targets)(), {});
  if (kind < 0.84) return revoked(pick(random, targets)());
  if (depth > 2) return null;
  if (kind < 0.92) return Array.from({ length: Math.floor(random() * 4) }, inner);
  if (kind < 0.94) return new Array(3);
  return {
    a: inner(),
    [pick(random, ['b', 'rowMode', 'signal', 'then', 'toJSON', 'length'])]: inner(),
  };
}
