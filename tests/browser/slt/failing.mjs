// The second part of the engine often does not come: neither ahead nor in the middle of a statement. The seed is in the
// address of the worker's script, so that a run can be repeated.

const AHEAD_FAILS = 0.6;
const IN_CALL_FAILS = 0.5;
const { fetch } = globalThis;

let state = Number(new URL(globalThis.location.href).searchParams.get('seed'));

/** From 0 to 1: a counter that the last step of MurmurHash3 mixes, since seeds are numbers in a row. */
function random() {
  state = (state + 0x9e3779b9) >>> 0;
  const half = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  const mixed = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** What a bad line, a server under load and one that knows no such file answer. */
const FAULTS = [
  () => Promise.reject(new TypeError('Failed to fetch')),
  () => Promise.resolve(new Response('', { status: 503 })),
  () =>
    Promise.resolve(new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })),
];

globalThis.fetch = (address, ...rest) => {
  if (!`${address}`.includes('varve_rest_bg.wasm') || random() >= AHEAD_FAILS) {
    return fetch(address, ...rest);
  }
  return FAULTS[Math.floor(random() * FAULTS.length)]();
};

const { send } = XMLHttpRequest.prototype;

XMLHttpRequest.prototype.send = function (...body) {
  if (random() < IN_CALL_FAILS) throw new DOMException('Failed to load', 'NetworkError');
  send.apply(this, body);
};
