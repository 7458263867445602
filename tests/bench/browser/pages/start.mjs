// How a page begins: it opens its store and asks one thing.

/**
 * Opens the store. The first query is a lookup by primary key when the page's address has an `id`. `window.started`
 * says how long after the start of the navigation its answer was there.
 */
export function start(open) {
  const id = new URLSearchParams(location.search).get('id');
  window.started = (async () => {
    window.db = await open();
    const { rows } =
      id === null
        ? await window.db.query('SELECT 1 AS one')
        : await window.db.query('SELECT * FROM reading WHERE id = $1', [Number(id)]);
    const ms = performance.now();
    if (rows.length !== 1) throw new Error(`the first query answered ${rows.length} rows`);
    return { ms, answeredAt: performance.timeOrigin + ms };
  })();
}
