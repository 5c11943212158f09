/** What tells the metrics of one process from those of the others. */
export interface ProcessLabels {
  readonly process: string;
  readonly instance?: string;
}

interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: string[];
}

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: string;
}

/** Text that is not in the exposition format of Prometheus. */
export class NotMetrics extends Error {
  override readonly name = 'NotMetrics';
}

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|Na[Nn])$/;
const LABEL = /\b([a-zA-Z_]\w*)="(?:[^"\\\n]|\\.)*"/g;
/** What a histogram and a summary add to the name of their family. */
const PARTS = ['', '_bucket', '_sum', '_count'];

const parseSample = (line: string): Sample => {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new NotMetrics(`invalid metrics line: ${line.slice(0, 100)}`);
  return { name, labels, value };
};

const renderLabels = ({ process, instance }: ProcessLabels): string[] => [
  `process="${process}"`,
  ...(instance === undefined ? [] : [`instance="${instance}"`]),
];

/** The label that every sample of a process carries is given anew, so that no two processes have the same. */
const relabel = (labels: string, own: readonly string[]): string => {
  const others = [...labels.matchAll(LABEL)].filter(([, name]) => name !== 'process' && name !== 'instance').map(([label]) => label);
  return [...others, ...own].join(',');
};

/** The metrics of several processes as one text: each family once, with the samples of all. */
export class MergedMetrics {
  readonly #families = new Map<string, Family>();

  /** Adds the whole text of one process, or nothing: throws NotMetrics. A family that another process has as another type is left out. */
  add(text: string, labels: ProcessLabels): void {
    const own = renderLabels(labels);
    for (const [name, family] of parseFamilies(text)) {
      const known = this.#families.get(name);
      const samples = family.samples.map(({ name: sample, labels: given, value }) => `${sample}{${relabel(given, own)}} ${value}`);
      if (known === undefined) this.#families.set(name, { ...family, samples });
      else if (known.type === family.type) known.samples.push(...samples);
    }
  }

  /** Adds one sample to a gauge. */
  set(name: string, help: string, labels: ProcessLabels, value: number): void {
    const family = this.#families.get(name) ?? { help, type: 'gauge', samples: [] };
    this.#families.set(name, family);
    family.samples.push(`${name}{${renderLabels(labels).join(',')}} ${value}`);
  }

  toString(): string {
    const families = [...this.#families].map(([name, { help, type, samples }]) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples].join('\n'),
    );
    return `${families.join('\n')}\n`;
  }
}

interface ParsedFamily {
  help: string;
  type: string;
  readonly samples: Sample[];
}

const parseFamilies = (text: string): Map<string, ParsedFamily> => {
  const families = new Map<string, ParsedFamily>();
  let current: { readonly name: string; readonly family: ParsedFamily } | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name, rest = ''] = HEAD.exec(line) ?? [];
    if (name !== undefined) {
      const family = families.get(name) ?? { help: '', type: 'untyped', samples: [] };
      families.set(name, family);
      if (kind === 'HELP') family.help = rest;
      else family.type = rest;
      current = { name, family };
    } else if (!line.startsWith('#')) {
      const sample = parseSample(line);
      const owner = current;
      if (owner === undefined || !PARTS.some((part) => sample.name === `${owner.name}${part}`))
        throw new NotMetrics(`${sample.name} belongs to no metric family`);
      owner.family.samples.push(sample);
    }
  }
  return families;
};
