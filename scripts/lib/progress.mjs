const HEARTBEAT_MS = 20_000;
const COLUMNS_MIN = 40;

/** Seconds for a reader: `0.4 s`, `12 s`, `3 min 05 s`. */
export function elapsed(ms) {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
}

/**
 * One numbered step on the terminal. On a terminal its line is redrawn with the latest news; in a
 * log, where redrawing is noise, the news is printed now and then so that nobody takes it for dead.
 */
export class Step {
  #head;
  #begin = performance.now();
  #news = '';
  #out;
  #timer;

  constructor(number, count, title, out = process.stdout) {
    this.#head = `[${number}/${count}] ${title}`;
    this.#out = out;
  }

  /** Called once there is something to wait for; a step that finds all in place stays one line. */
  wait(what) {
    this.#out.write(`${this.#head}: ${what}\n`);
    this.#timer = setInterval(() => this.#beat(), this.#out.isTTY ? 500 : HEARTBEAT_MS);
    this.#timer.unref();
  }

  news(line) {
    this.#news = line.trim();
  }

  done(result) {
    this.#end();
    this.#out.write(`${this.#head}: ${result} (${elapsed(performance.now() - this.#begin)})\n`);
  }

  fail() {
    this.#end();
  }

  #beat() {
    const text = `  ${elapsed(performance.now() - this.#begin)}  ${this.#news}`;
    if (!this.#out.isTTY) {
      this.#out.write(`${text}\n`);
      return;
    }
    const columns = Math.max(COLUMNS_MIN, this.#out.columns ?? 80);
    this.#out.write(`\r\x1b[K${text.slice(0, columns - 1)}`);
  }

  #end() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    if (this.#out.isTTY) this.#out.write('\r\x1b[K');
  }
}
