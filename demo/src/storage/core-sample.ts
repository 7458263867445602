import { element } from '../ui/dom';
import { formatBytes, formatRatio } from '../ui/figures';
import type { TableReport } from './report';

const HEIGHT_PX_MAX = 168;
const WIDTH_PX = 84;
const GAP_PX = 0.6;
/** Colours of the style sheet: `--layer-0` and so on. */
const LAYER_COLOURS = 6;

const SVG = 'http://www.w3.org/2000/svg';

function svg(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** One drilled core: layers as thick as their bytes. */
function core(layersBytes: readonly number[], pxPerByte: number): SVGElement {
  const layers: SVGElement[] = [];
  let y = 0;
  layersBytes.forEach((bytes, index) => {
    const height = bytes * pxPerByte;
    const layer = svg('rect', {
      y,
      width: WIDTH_PX,
      height: Math.max(0.4, height > 4 * GAP_PX ? height - GAP_PX : height),
      class: `layer-${index % LAYER_COLOURS}`,
    });
    layers.push(layer);
    y += height;
  });
  const height = Math.max(2, y);
  const drawing = svg('svg', {
    viewBox: `0 0 ${WIDTH_PX} ${height}`,
    width: WIDTH_PX,
    height,
    'aria-hidden': 'true',
  });
  drawing.append(...layers);
  return drawing;
}

/** The table as CSV beside the table as stored, a layer for each column, both to one scale. */
export function coreSample(table: TableReport): HTMLElement | undefined {
  const { csvBytes, storedBytes } = table;
  if (csvBytes === undefined || csvBytes === 0 || storedBytes === 0) return undefined;
  const pxPerByte = HEIGHT_PX_MAX / Math.max(csvBytes, storedBytes);
  const figure = (layersBytes: readonly number[], bytes: number, label: string) =>
    element(
      'div',
      { class: 'core' },
      core(layersBytes, pxPerByte),
      element('p', {}, element('strong', {}, formatBytes(bytes)), ` ${label}`),
    );
  const asCsv = table.columns.map((column) => column.csvBytes ?? 0);
  const asStored = table.columns.map((column) => column.storedBytes);
  // Nothing is said of the ratio while part of the rows is not in columns yet.
  const ratio = table.rowsInMemory === 0 ? formatRatio(csvBytes, storedBytes) : '';
  return element(
    'figure',
    { class: 'cores' },
    figure(asCsv, csvBytes, 'as CSV'),
    figure([...asStored, table.overhead?.bytes ?? 0], storedBytes, 'stored'),
    element('figcaption', {}, ratio),
  );
}
