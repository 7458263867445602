/**
 * Keeps the files of one build of the demo, so that it works without a server after the first visit. The build
 * puts two constants before this text: BUILD, a hash of all of them, and FILES, the address and the hash of each.
 *
 * Parts of two builds never meet. A build has a cache of its own, which is filled as a whole or not at all, and while a
 * tab shows one build, the next waits: browsers activate a service worker when no page of the last one is left.
 */

/* global BUILD, FILES */

const { scope } = registration;
/** All sites of an origin share its caches. */
const OWN = `varvedb-demo ${scope} `;
const CACHE = OWN + BUILD;
const KEPT = new Set(FILES.map(([address]) => new URL(address, scope).href));

function requestOf([address, integrity]) {
  // Some servers send such a file as content in gzip, which the browser undoes: it has other bytes then.
  const known = address.endsWith('.gz') ? {} : { integrity };
  // The HTTP cache may have a file of the last build under the same name.
  return new Request(new URL(address, scope), { cache: 'no-cache', ...known });
}

async function keepAll() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map(requestOf));
}

async function begin() {
  const others = (await caches.keys()).filter((name) => name.startsWith(OWN) && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
  // The page of the first visit came from the server. From now on it holds the next build up as others do.
  await clients.claim();
}

function addressOf(request) {
  const url = new URL(request.url);
  url.search = url.hash = '';
  return url.href === `${scope}index.html` ? scope : url.href;
}

async function answer(address, request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(address)) ?? fetch(request);
}

addEventListener('install', (event) => event.waitUntil(keepAll()));
addEventListener('activate', (event) => event.waitUntil(begin()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const address = addressOf(request);
  if (request.method === 'GET' && KEPT.has(address)) event.respondWith(answer(address, request));
});
