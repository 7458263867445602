// The order matters: the package must find `fetch` as the first script leaves it.
import './stubs.mjs';
import './worker.js';
