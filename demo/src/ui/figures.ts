const integers = new Intl.NumberFormat('en');

/** `26,115`. */
export function formatCount(count: number): string {
  return integers.format(count);
}

/** `1 row`, `26,115 rows`. */
export function formatRows(rows: number): string {
  return `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
}

/** Decimal units with three digits: `812 B`, `2.29 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  for (const unit of ['B', 'KB', 'MB', 'GB']) {
    if (value < 999.5 || unit === 'GB') {
      return `${unit === 'B' ? value : value.toPrecision(3)} ${unit}`;
    }
    value /= 1000;
  }
  return '';
}

/** `0.42 ms`, `18 ms`, `2.10 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** How many times smaller `stored` is than `original`, in words. */
export function formatRatio(original: number, stored: number): string {
  if (stored <= 0 || original <= 0) return '';
  const ratio = original / stored;
  return ratio >= 1 ? `${ratio.toFixed(1)}× smaller` : `${(1 / ratio).toFixed(1)}× larger`;
}
