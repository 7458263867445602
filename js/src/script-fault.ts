/** What a script that did not run is asked for again may take so long. */
const FETCH_MS = 10_000;

const IMPORT = /\b(?:from|import)\s*["']([^"']+)["']/g;

/**
 * What is wrong with a script, or with one that it imports: browsers do not tell why a worker's script did not run,
 * so each is fetched as the browser did it. Nothing where all of them can be had.
 */
export async function scriptFault(address: string): Promise<string | undefined> {
  const addresses = new Set([address]);
  // Those that are added on the way come along.
  for (const each of addresses) {
    const { fault, text = '' } = await fetchScript(each);
    if (fault !== undefined) {
      return each === address ? `the worker's script ${fault}` : `a script of the worker, ${fault}`;
    }
    for (const [, path = ''] of text.matchAll(IMPORT)) {
      if (/^(?:\.{0,2}\/|https?:)/.test(path)) addresses.add(new URL(path, each).href);
    }
  }
  return undefined;
}

async function fetchScript(
  address: string,
): Promise<{ readonly fault?: string; readonly text?: string }> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok) return { fault: `${address} answered ${response.status}` };
    const type = response.headers.get('content-type') ?? 'no content type';
    const isScript = /^\s*(?:text|application)\/(?:x-)?(?:java|ecma)script/i.test(type);
    if (!isScript) return { fault: `${address} came as ${type} instead of JavaScript` };
    return { text: await response.text() };
  } catch (error) {
    return { fault: `${address} could not be fetched: ${String(error)}` };
  }
}
