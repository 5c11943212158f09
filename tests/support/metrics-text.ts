/** One family of metrics as the text exposition format tells it. */
export interface MetricFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

const fail = (line: string, why: string): never => {
  throw new Error(`${why}: ${line}`);
};

const parseLabels = (text: string, line: string): Record<string, string> => {
  const labels: Record<string, string> = {};
  const rest = text.replaceAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/g, (_, name: string, value: string) => {
    if (name in labels) fail(line, `label ${name} stands twice`);
    labels[name] = value;
    return '';
  });
  return rest === '' ? labels : fail(line, `labels cannot be read at ${rest}`);
};

const parseValue = (text: string, line: string): number => {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : fail(line, 'not a number');
};

const parseSample = (line: string): MetricSample => {
  const [, name = '', labels = '', value = ''] = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? fail(line, 'not a sample');
  if (!NAME.test(name)) fail(line, 'not a name');
  return { name, labels: parseLabels(labels, line), value: parseValue(value, line) };
};

/**
 * Reads a text as strictly as Prometheus does, and more: one HELP and one TYPE a family before its samples, which stand together; no
 * series twice; every histogram with its last bucket. Throws with the line that is wrong.
 */
export const parseMetrics = (text: string): ReadonlyMap<string, MetricFamily> => {
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line feed');
  const families = new Map<string, { help: string; type: string; samples: MetricSample[] }>();
  const series = new Set<string>();
  let current: { name: string; help: string; type: string; samples: MetricSample[] } | undefined;
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (families.has(name) || !NAME.test(name)) fail(line, 'HELP twice, or no name');
      current = { name, help: rest, type: '', samples: [] };
      families.set(name, current);
    } else if (kind === 'TYPE') {
      if (current?.name !== name || current.type !== '' || current.samples.length > 0 || !TYPES.has(rest)) fail(line, 'TYPE out of place');
      else current.type = rest;
    } else {
      const sample = parseSample(line);
      const suffixes = SUFFIXES[current?.type ?? ''] ?? [''];
      if (current === undefined || !suffixes.some((suffix) => sample.name === `${current?.name}${suffix}`)) fail(line, 'out of its family');
      const id = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).toSorted(([a], [b]) => a.localeCompare(b)))}`;
      if (series.has(id)) fail(line, 'a series stands twice');
      series.add(id);
      current?.samples.push(sample);
    }
  }
  for (const [name, { type, samples }] of families) {
    if (type === '') throw new Error(`${name} has no TYPE`);
    const ends = samples.filter((sample) => sample.labels['le'] === '+Inf').length;
    if (type === 'histogram' && ends !== samples.filter((sample) => sample.name === `${name}_count`).length)
      throw new Error(`${name} has a histogram without its last bucket`);
  }
  return families;
};
