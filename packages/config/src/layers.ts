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
