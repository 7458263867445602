export interface RowWindowOptions {
  readonly rows: number;
  readonly rowPx: number;
  readonly overscanRows: number;
  /** Browsers end an element at some 16 or 33 million pixels; a taller table is scrolled in proportion. */
  readonly heightPxMax?: number;
}

/** Which rows exist at a scroll offset, and where they are. */
export class RowWindow {
  /** How high the scrolled content is. */
  readonly heightPx: number;
  readonly #rows: number;
  readonly #rowPx: number;
  readonly #overscanRows: number;

  constructor({ rows, rowPx, overscanRows, heightPxMax = 8_000_000 }: RowWindowOptions) {
    this.#rows = rows;
    this.#rowPx = rowPx;
    this.#overscanRows = overscanRows;
    this.heightPx = Math.min(rows * rowPx, heightPxMax);
  }

  at(scrollPx: number, visiblePx: number): { first: number; count: number; topPx: number } {
    const offsetPx = scrollPx * this.#scale(visiblePx);
    const firstVisible = Math.floor(offsetPx / this.#rowPx);
    const first = Math.max(0, Math.min(firstVisible - this.#overscanRows, this.#rows - 1));
    const end = firstVisible + Math.ceil(visiblePx / this.#rowPx) + this.#overscanRows;
    const count = Math.max(0, Math.min(this.#rows, end + 1) - first);
    return { first, count, topPx: scrollPx - offsetPx + first * this.#rowPx };
  }

  /** The scroll offset that is `rows` further. */
  moved(scrollPx: number, rows: number, visiblePx: number): number {
    const scale = this.#scale(visiblePx);
    const offsetPx = scrollPx * scale + rows * this.#rowPx;
    return Math.max(0, Math.min(offsetPx / scale, this.heightPx));
  }

  /** Pixels of the whole table for each pixel scrolled. */
  #scale(visiblePx: number): number {
    const scrollablePx = this.heightPx - visiblePx;
    if (scrollablePx <= 0) return 1;
    return (this.#rows * this.#rowPx - visiblePx) / scrollablePx;
  }
}
