// The script of an app's own worker, dedicated or shared, in which its database is: answers texts of SQL with rows.
import { VarveDB } from './index.js';

/** What js/README.md has for shared workers, from which Chromium starts no other worker. */
function engineInThisThread() {
  const { port1, port2 } = new MessageChannel();
  globalThis.postMessage = (message, transfer) => port2.postMessage(message, transfer);
  // Not before the engine listens.
  import('./worker.js').then(() => {
    port2.onmessage = ({ data }) => dispatchEvent(new MessageEvent('message', { data }));
  });
  port1.start();
  return Object.assign(port1, { terminate: () => globalThis.close() });
}

const isShared = 'onconnect' in globalThis;
const options = isShared ? { worker: engineInThisThread } : {};
const opened = VarveDB.create('idb://in-a-worker', options);

function serve(port) {
  port.onmessage = async ({ data: sql }) => {
    try {
      const db = await opened;
      port.postMessage({ rows: (await db.query(sql)).rows });
    } catch ({ code, failure, message }) {
      port.postMessage({ code, failure, message });
    }
  };
}

if (isShared) globalThis.onconnect = ({ ports: [port] }) => serve(port);
else serve(globalThis);
