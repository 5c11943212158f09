import type { z } from 'zod';
import { VARIABLES, type VariableName } from './variables.ts';

/** Where a value came from; later origins override earlier ones. */
export type Origin = 'default' | 'file' | 'environment' | 'command line' | 'database';

export interface RawValue {
  readonly text: string;
  readonly origin: Origin;
  /** The old name by which the value was given. */
  readonly alias?: string;
  /** How it was written, where that is not the name itself: `ocr.dpi`, `--ocr-dpi`. */
  readonly given?: string;
  /** The line of the file it stands in: `service.yml:12`. */
  readonly place?: string;
}

export type RawValues = Partial<Record<VariableName, RawValue>>;

/** The values of one place by the names that were used there, old ones among them. */
export type NamedValues = Readonly<Record<string, RawValue>>;

const isVariable = (name: string): name is VariableName => Object.hasOwn(VARIABLES, name);

/** Blanks around a value, and the end of a line of Windows, are never meant; only a secret may have them. */
const withoutBlanks = (name: VariableName, value: RawValue): RawValue =>
  VARIABLES[name].type === 'secret' ? value : { ...value, text: value.text.trim() };

/** One layer of values by variable, the proper name before old ones. Unknown names are skipped: an environment is full of them. Empty text means unset. */
export const toLayer = (named: NamedValues): RawValues => {
  const layer: RawValues = {};
  const set = (name: VariableName, given: RawValue): void => {
    const value = withoutBlanks(name, given);
    if (value.text !== '') layer[name] = value;
  };
  for (const [alias, name] of Object.entries(ALIASES)) {
    const value = named[alias];
    if (value !== undefined) set(name, { ...value, alias });
  }
  for (const [name, value] of Object.entries(named)) if (isVariable(name)) set(name, value);
  return layer;
};

/** Plain texts by name, such as an environment, as values of `origin`. */
export const toNamedValues = (texts: Readonly<Record<string, string | undefined>>, origin: Origin): NamedValues =>
  Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, { text, origin }]])));

const defaultLayer = (): RawValues =>
  toLayer(toNamedValues(Object.fromEntries(Object.entries(VARIABLES).map(([name, variable]) => [name, variable.default])), 'default'));

/** All layers in one, the later ones over the earlier ones, over the defaults. */
export const mergeLayers = (layers: readonly RawValues[]): RawValues => Object.assign({}, defaultLayer(), ...layers);

/** Old and alternative names, each with the one that is meant. The proper name wins where both are set in one place. */
export const ALIASES: Readonly<Record<string, VariableName>> = {
  STORAGE_PATH: 'UPLOAD_PATH',
  LOCAL_STORAGE_PATH: 'UPLOAD_PATH',
  STORAGE_BACKEND: 'STORAGE_TYPE',
  S3_BUCKET: 'S3_BUCKET_NAME',
  S3_ENDPOINT: 'S3_ENDPOINT_URL',
  OCR_WORKERS: 'CONCURRENT_OCR_JOBS',
  OCR_MAX_PARALLEL: 'CONCURRENT_OCR_JOBS',
  DATABASE_POOL_SIZE: 'DATABASE_MAX_CONNECTIONS',
  POSTGRES_MAX_CONNECTIONS: 'DATABASE_MAX_CONNECTIONS',
  JWT_SECRET_KEY: 'JWT_SECRET',
  OIDC_ISSUER: 'OIDC_ISSUER_URL',
  OIDC_SCOPE: 'OIDC_SCOPES',
};

/** Those that a version of the service took away. The others are second names of today. */
export const RENAMED: readonly string[] = ['STORAGE_PATH', 'OCR_WORKERS'];

/** The parsed value of every variable, by name. */
export type Values = { readonly [N in VariableName]: z.output<(typeof VARIABLES)[N]['schema']> };

export interface ConfigIssue {
  /** As it was given: its name, an old name, a key of the file, a flag; or the file itself. */
  readonly variable: string;
  readonly message: string;
  /** The line of the file it stands in: `service.yml:12`. */
  readonly place?: string;
}

/** One issue as a line for a person. */
export const describeIssue = ({ variable, message, place }: ConfigIssue): string =>
  `${place === undefined ? '' : `${place}: `}${variable} ${message}`;

/** Everything that is wrong with the configuration, at once. Ends a process with exit code 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map(describeIssue).join('\n'));
    this.issues = issues;
  }
}

/** What is wrong with the variable `name`, called as the person called it who set it. */
export const issueOf = (name: string, given: RawValue | undefined, message: string): ConfigIssue => {
  const called = given?.alias ?? name;
  const variable = given?.given === undefined ? called : `${given.given} (${called})`;
  return { variable, message, ...(given?.place === undefined ? {} : { place: given.place }) };
};

export interface Parsed {
  /** Variables with an issue are missing here. */
  readonly values: Partial<Values>;
  readonly issues: readonly ConfigIssue[];
}

const messageOf = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `has at "${path.map(String).join('.')}": ${message}`;

const LONGEST_SHOWN = 40;

/** An address may carry a password of its own. */
const withoutPassword = (text: string): string => text.replaceAll(/(\/\/[^/\s:@]*:)[^/\s@]+@/g, '$1***@');

const shorten = (text: string): string => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text);

/** The value as it came, for what people do not see: quotes that a shell would have taken off, a unit, a name of another variable. */
const shown = (type: string, text: string): string =>
  type === 'secret' || type === 'JSON' ? '' : `, and is ${JSON.stringify(shorten(withoutPassword(text)))}`;

/** Parses every raw value with its own variable's schema. */
export const parseValues = (raw: RawValues): Parsed => {
  const values: Record<string, unknown> = {};
  const issues: ConfigIssue[] = [];
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const given = raw[name as VariableName];
    if (given === undefined) continue;
    const result = variable.schema.safeParse(given.text);
    if (result.success) values[name] = result.data;
    else {
      const message = result.error.issues.map(messageOf).join(', ');
      issues.push(issueOf(name, given, `${message}${shown(variable.type, given.text)}`));
    }
  }
  return { values, issues };
};
