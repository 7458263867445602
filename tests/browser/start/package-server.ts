import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** The package as it is built. */
export const DIST = join(import.meta.dirname, '../../../js/dist');
/** The files of the engine. */
export const FIRST = 'varve_bg.wasm';
export const REST = 'varve_rest_bg.wasm';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** What a server does with one of the package's files, or with another one. */
export interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The file of the package that comes instead. */
  readonly file?: string;
  /** What the answer waits for. */
  readonly after?: Promise<void>;
}

/** By the name of the file; the page has none. */
export type Faults = Readonly<Record<string, Fault>>;

export const html: Fault = {
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html>',
};

/** The header that a file comes with. */
export function policy(text: string): Fault {
  return { headers: { 'content-security-policy': text } };
}

/** Serves a page and the package beside it; some files with a fault. */
export class PackageServer {
  readonly #server: Server;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #asked: string[] = [];
  faults: Faults = {};

  /** `headers` come with every answer. */
  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How often a file was asked for. */
  timesAsked(name: string): number {
    return this.#asked.filter((each) => each === name).length;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = url.slice(1);
    this.#asked.push(name);
    const { status = 200, headers = {}, body, file = name, after } = this.faults[name] ?? {};
    await after;
    const type = TYPES[extname(name)] ?? 'text/html';
    response.writeHead(status, { 'content-type': type, ...this.#headers, ...headers });
    if (body !== undefined || name === '') response.end(body ?? '<!doctype html>');
    else response.end(readOrNothing(file));
  }
}

function readOrNothing(name: string): Buffer | undefined {
  try {
    return readFileSync(join(DIST, name));
  } catch {
    return undefined;
  }
}
