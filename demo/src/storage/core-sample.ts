import { element } from '../ui/dom';
import { formatBytes, formatRatio } from '../ui/figures';
import type { ColumnReport, TableReport } from './report';

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

/** One drilled core: a layer for each column, as thick as its bytes. */
function core(
  columns: readonly ColumnReport[],
  bytesOf: (column: ColumnReport) => number,
  pxPerByte: number,
): SVGElement {
  const layers: SVGElement[] = [];
  let y = 0;
  columns.forEach((column, index) => {
    const height = bytesOf(column) * pxPerByte;
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

/** The table as CSV beside the table as stored, both to one scale. */
export function coreSample(table: TableReport): HTMLElement | undefined {
  const { csvBytes } = table;
  const layersBytes = table.columns.reduce((total, column) => total + column.storedBytes, 0);
  if (csvBytes === undefined || csvBytes === 0 || layersBytes === 0) return undefined;
  const pxPerByte = HEIGHT_PX_MAX / Math.max(csvBytes, layersBytes);
  const figure = (drawing: SVGElement, bytes: number, label: string) =>
    element(
      'div',
      { class: 'core' },
      drawing,
      element('p', {}, element('strong', {}, formatBytes(bytes)), ` ${label}`),
    );
  return element(
    'figure',
    { class: 'cores' },
    figure(
      core(table.columns, (column) => column.csvBytes ?? 0, pxPerByte),
      csvBytes,
      'as CSV',
    ),
    figure(
      core(table.columns, (column) => column.storedBytes, pxPerByte),
      table.storedBytes,
      'stored',
    ),
    element('figcaption', {}, formatRatio(csvBytes, table.storedBytes)),
  );
}
