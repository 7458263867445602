// Runs the suite's module where the product runs it too: in a dedicated worker. Every connection is kept within reach, so that a test can close it.

const connections = [];
const problems = [];

const open = IDBFactory.prototype.open;
IDBFactory.prototype.open = function (...args) {
  const request = open.apply(this, args);
  request.addEventListener('success', () => connections.push(request.result));
  return request;
};

// A handler that throws, such as a freed Rust closure, reaches nobody else.
self.addEventListener('error', (event) => problems.push(event.message));
self.addEventListener('unhandledrejection', (event) => problems.push(String(event.reason)));

const module = await import('./suite.js');
await module.default();
self.kit = { ...module, connections, problems };
postMessage('ready');
