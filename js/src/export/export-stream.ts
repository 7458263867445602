import type { ExportOptions } from '../interface.js';
import type { WorkerClient } from '../worker-client.js';

/**
 * The export as a stream: the engine makes the next chunk when the one before it is taken. `begin` waits until the
 * database may be used, and gives its worker.
 */
export function exportStream(
  begin: <T>(run: (client: WorkerClient) => Promise<T>) => Promise<T>,
  { since, onContents }: ExportOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const begun = begin(async (client) => {
    const { export: number, contents } = await client.request('exportBegin', { since });
    return { client, number, contents };
  });
  // Whoever reads hears of a failure.
  begun.catch(() => undefined);
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { client, number, contents } = await begun;
      const end = () => client.request('exportEnd', { export: number });
      try {
        const chunk = await client.request('exportRead', { export: number });
        if (chunk !== undefined) {
          controller.enqueue(chunk);
          return;
        }
      } catch (error) {
        // May not hide what went wrong.
        await end().catch(() => undefined);
        throw error;
      }
      await end();
      onContents?.(contents);
      controller.close();
    },
    async cancel() {
      const { client, number } = await begun;
      await client.request('exportEnd', { export: number });
    },
  });
}

/** All of a stream as a file. What it fails with is what the stream failed with. */
export async function fileOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  name: string,
  compression: 'none' | 'gzip',
): Promise<File> {
  const isPlain = compression === 'none';
  const bytes = isPlain ? stream : stream.pipeThrough(new CompressionStream('gzip'));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = bytes.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
  }
  const type = isPlain ? 'application/octet-stream' : 'application/gzip';
  return new File(chunks, `${name}.varve${isPlain ? '' : '.gz'}`, { type });
}
