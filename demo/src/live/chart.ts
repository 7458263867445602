import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** A second of readings: its start in seconds since 1970, the lowest, mean and highest value. */
export type Second = readonly [number, number, number, number];

const HEIGHT_PX = 220;

/** The readings of the last minutes: their mean as a line, and a band from the lowest to the highest. */
export class Chart {
  readonly #plot: uPlot;
  readonly #container: HTMLElement;

  constructor(container: HTMLElement) {
    this.#container = container;
    const line = colour(container, '--accent');
    const options: uPlot.Options = {
      width: container.clientWidth,
      height: HEIGHT_PX,
      cursor: { drag: { x: false, y: false } },
      series: [
        {},
        { label: 'lowest', stroke: 'transparent' },
        { label: 'mean', stroke: line, width: 2 },
        { label: 'highest', stroke: 'transparent' },
      ],
      bands: [{ series: [3, 1], fill: translucent(line) }],
      axes: [axis(container), axis(container)],
    };
    this.#plot = new uPlot(options, [[], [], [], []], container);
    new ResizeObserver(() => this.#fit()).observe(container);
  }

  show(seconds: readonly Second[]): void {
    const column = (at: 0 | 1 | 2 | 3) => seconds.map((second) => second[at]);
    this.#plot.setData([column(0), column(1), column(2), column(3)]);
  }

  #fit(): void {
    const width = this.#container.clientWidth;
    if (width > 0 && width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT_PX });
  }
}

function axis(container: HTMLElement): uPlot.Axis {
  const line = colour(container, '--line');
  return {
    stroke: colour(container, '--muted'),
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
  };
}

function colour(element: HTMLElement, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

function translucent(hex: string): string {
  return `${hex}33`;
}
