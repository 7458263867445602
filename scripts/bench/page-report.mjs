// Figures of the pages of several engines as tables, and whether the engines gave the same answers.

import { median } from './median.mjs';

const PACKAGE = 'package/';
const HIGHER_IS_BETTER = 'rows/s';
const MEAN = 'geometric mean of the queries';

const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** One figure a case, `{ unit, value }` by its name: the median over the runs of each run's median. */
export function summary(runs) {
  const figures = {};
  const queries = [];
  for (const [name, { unit, answer }] of Object.entries(runs[0].figures)) {
    const value = median(runs.map((run) => median(run.figures[name].values)));
    figures[name] = { unit, value };
    if (answer === undefined) continue;
    queries.push(value);
    // Set anew, so that it comes right after the last query.
    delete figures[MEAN];
    figures[MEAN] = { unit: 'ms', value: geometricMean(queries) };
  }
  return figures;
}

/**
 * A sentence for each query that two runs answer differently. Answers of the peer have other types, so only their
 * number of rows is compared.
 */
export function differences(results, peer) {
  const [[first, [reference]]] = Object.entries(results);
  const sentences = new Set();
  for (const [engine, runs] of Object.entries(results)) {
    for (const { figures } of runs) {
      for (const [name, { answer }] of Object.entries(figures)) {
        if (answer === undefined) continue;
        const wanted = reference.figures[name].answer;
        const same =
          answer.rows === wanted.rows && (engine === peer || answer.checksum === wanted.checksum);
        if (!same) sentences.add(`${engine} answers "${name}" differently from ${first}.`);
      }
    }
  }
  return [...sentences];
}

const threeDigits = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString();

/** How many times as fast `ours` is. */
function timesAsFast(ours, other) {
  if (other === undefined) return '';
  const ratio =
    ours.unit === HIGHER_IS_BETTER ? ours.value / other.value : other.value / ours.value;
  return ratio.toFixed(2);
}

function markdown(head, lines, textColumns) {
  const rule = head.map((_, at) => (at < textColumns ? '---' : '---:'));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Cases by line, engines by column, then the last build beside the first one and beside the peer. */
export function caseTable(results, peer) {
  const summaries = Object.entries(results).map(([engine, runs]) => [engine, summary(runs)]);
  const builds = summaries.filter(([engine]) => engine !== peer);
  const others = [
    ...(builds.length > 1 ? [builds[0]] : []),
    ...summaries.filter(([engine]) => engine === peer),
  ];
  const [last, lastFigures] = builds.at(-1);
  const head = [
    'case',
    'unit',
    ...summaries.map(([engine]) => engine),
    ...others.map(([engine]) => `${last}: times as fast as ${engine}`),
  ];
  const lines = Object.entries(lastFigures).map(([name, figure]) => [
    name,
    figure.unit,
    ...summaries.map(([, figures]) => threeDigits(figures[name].value)),
    ...others.map(([, figures]) => timesAsFast(figure, figures[name])),
  ]);
  return markdown(head, lines, 2);
}

/** Bytes of the package's files that the first run fetched, asked for before the first answer or after it. */
export function byteTable(results) {
  const number = (bytes) => bytes.toLocaleString('en');
  const lines = Object.entries(results).flatMap(([engine, [{ fetched }]]) => {
    const files = fetched.filter(({ name }) => name.startsWith(PACKAGE));
    const early = files.filter((file) => file.early);
    const total = early.reduce((sum, { bytes }) => sum + bytes, 0);
    return [
      ...files.map(({ name, bytes, early }) => [
        engine,
        name.slice(PACKAGE.length),
        early ? number(bytes) : '',
        early ? '' : number(bytes),
      ]),
      [engine, '**in all**', number(total), ''],
    ];
  });
  return markdown(['engine', 'file', 'before the first answer', 'later'], lines, 2);
}
