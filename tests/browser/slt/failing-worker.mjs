// The order matters: the package must find `fetch` and `XMLHttpRequest` as the first script leaves them.
import './failing.mjs';
import './worker.js';
