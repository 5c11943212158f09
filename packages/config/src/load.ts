import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { editDistance } from '@sheaf/contract';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { LineCounter, Pair } from 'yaml';
import { type Config, type ConfigFiles, readConfigFiles, toConfig } from './config.ts';
import { crossCheck, trustAuthorities } from './cross-checks.ts';
import { readEnvironment } from './environment.ts';
import { FILE_KEYS, FILE_PLACES } from './file-places.ts';
import { didYouMean } from './flags.ts';
import { folderIssues, missingFolderNotices, systemReason } from './folder-checks.ts';
import {
  ALIASES,
  ConfigError,
  type ConfigIssue,
  describeIssue,
  issueOf,
  mergeLayers,
  type NamedValues,
  parseValues,
  type RawValue,
  type RawValues,
  RENAMED,
  toLayer,
  toNamedValues,
  type Values,
} from './parse.ts';
import { NESTED_TOO_DEEPLY, readingFailure, readRegularFile, TOO_DEEP } from './regular-file.ts';
import { partialStorageNotices } from './storage.ts';
import type { ProgramName } from './variable.ts';
import { VARIABLES, type VariableName } from './variables.ts';
import { asWritten, lateYaml, toText } from './yaml-text.ts';

export interface LoadOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values of the command line, by variable name, as `parseFlags` reads them. */
  readonly flags?: NamedValues;
  /** The file that is read where CONFIG_FILE names none, if it is there. Without it none is. */
  readonly defaultFile?: string;
  /** Whether the folders are tried, which is left out by who only asks where the service listens. */
  readonly triesFolders?: boolean;
  /** The program that tries the folders that it uses; without it, those of all are tried. */
  readonly program?: ProgramName;
}

/** What was set, and what is wrong with it. Nothing is left on disk for it. */
export interface CheckedConfig {
  /** The service.yml that was read, if one was. */
  readonly file: string | undefined;
  /** Every value with its origin, for reports. */
  readonly raw: RawValues;
  readonly values: Partial<Values>;
  /** Empty: the configuration is valid. */
  readonly issues: readonly ConfigIssue[];
  /** What is no mistake and still worth a word: old names, likely misspellings. */
  readonly notices: readonly string[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** See CheckedConfig. */
  readonly file: string | undefined;
  /** Every value with its origin, for reports. */
  readonly raw: RawValues;
  /** Equal for processes that were started with the same settings. */
  readonly hash: string;
  /** See CheckedConfig. */
  readonly notices: readonly string[];
}

/** What is read without being told: the environment of this process, and the service.yml of the folder it runs in. */
export const processOptions = (): LoadOptions => ({ environment: readEnvironment(), defaultFile: 'service.yml' });

const NO_FILE: ServiceFile = { values: {}, issues: [] };

/** A relative path of the command line means the folder of the person who typed it, which bin/sheaf has left and tells. */
const findFile = ({ environment, flags = {}, defaultFile }: LoadOptions): string | undefined => {
  const flag = flags.CONFIG_FILE?.text ?? '';
  if (flag !== '') return resolve(environment.SHEAF_CALLED_FROM ?? '.', flag);
  const named = environment.CONFIG_FILE ?? '';
  if (named !== '') return named;
  return defaultFile !== undefined && existsSync(defaultFile) ? defaultFile : undefined;
};

/** Called after the variable that is at fault, with the file and line, key, flag or old name by which it was set. */
const called = (issues: readonly { readonly variable: string; readonly message: string }[], raw: RawValues): ConfigIssue[] =>
  issues.map(({ variable, message }) => issueOf(variable, raw[variable as VariableName], message));

/**
 * Reads all layers and says everything that is wrong with them. The folders are tried: written to, or made. Leaves no file and never
 * throws for a mistake of the person.
 */
export const checkConfig = (options: LoadOptions = processOptions()): CheckedConfig => {
  const { environment, flags = {}, triesFolders = true, program } = options;
  const path = findFile(options);
  const file = path === undefined ? NO_FILE : readServiceFile(path, environment);
  const sources = [file.values, toNamedValues(environment, 'environment'), flags].map((named) => ({ named, layer: toLayer(named) }));
  const raw = mergeLayers(sources.map(({ layer }) => layer));
  const { values, issues } = parseValues(raw);
  const crossed = crossCheck(values, raw);
  const wrong = [...issues, ...crossed].map(({ variable }) => variable);
  const folders = triesFolders ? folderIssues(values, { known: wrong, program }) : [];
  const isGiven = (name: VariableName): boolean => raw[name]?.origin !== 'default';
  return {
    file: path,
    raw,
    values,
    issues: [...file.issues, ...issues, ...called([...crossed, ...folders], raw)],
    notices: [
      ...sources.flatMap(({ named, layer }) => oldNameNotices(named, layer)),
      ...misspellingNotices(environment),
      ...visibleSecretNotices(flags),
      ...partialStorageNotices(values, raw),
      ...(triesFolders ? missingFolderNotices(values, isGiven) : []),
    ],
  };
};

/** Values that differ between processes by design. */
const OF_ONE_PROCESS: readonly string[] = ['PROCESS_INSTANCE', 'SUPERVISOR_PROBE_PORT', 'CONFIG_FILE'] satisfies VariableName[];

/** Equal for equal settings, wherever they came from. */
export const hashOf = (raw: RawValues): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        Object.entries(raw)
          .filter(([name]) => !OF_ONE_PROCESS.includes(name))
          .map(([name, value]) => `${name}=${value.text}`)
          .toSorted((a, b) => (a < b ? -1 : 1)),
      ),
    )
    .digest('hex')
    .slice(0, 16);

/**
 * The configuration of this process: defaults, file, environment, command line, parsed once. From now on the process trusts the
 * authorities of OUTBOUND_CA_FILE. Throws ConfigError naming every mistake.
 */
export const loadConfig = (options: LoadOptions = processOptions()): LoadedConfig => {
  const { file, raw, values, issues, notices } = checkConfig(options);
  if (issues.length > 0) throw new ConfigError(issues);
  const complete = values as Values;
  const config = toConfig(complete, raw, readFilesOf(complete, raw));
  if (config.outbound.caFile !== undefined) trustAuthorities(config.outbound.caFile);
  return { config, file, raw, hash: hashOf(raw), notices };
};

/** The configuration of a command, which tries the folders that it uses. */
export const loadForCommand = (program: 'command' | 'backup' = 'command'): LoadedConfig => loadConfig({ ...processOptions(), program });

/** The files that are made or read at the start. What fails here has just been tried: a folder was taken away in between. */
const readFilesOf = (values: Values, raw: RawValues): ConfigFiles => {
  try {
    return readConfigFiles(values);
  } catch (error) {
    const reason = `cannot hold the generated secrets: ${systemReason(error)}`;
    throw new ConfigError(called([{ variable: 'DATA_PATH', message: reason }], raw));
  }
};

/** How a person gave a value, for messages: `OCR_WORKERS`, `ocr.workers (service.yml:3)`, `--ocr-workers`. */
const describeGiven = (name: string, { given, place }: RawValue): string => {
  const written = given ?? name;
  return place === undefined ? written : `${written} (${place})`;
};

const oldNameNotice = (alias: string, value: RawValue, winner: RawValue | undefined): string => {
  const kind = RENAMED.includes(alias) ? 'the former name' : 'an alias';
  const what = `${describeGiven(alias, value)} is ${kind} of ${ALIASES[alias]}`;
  if (winner === undefined || winner.alias === alias) return `${what}; use the new name`;
  const counts =
    winner.alias === undefined ? `${ALIASES[alias]} is also set and takes precedence` : `${winner.alias} is also set and takes precedence`;
  return `${what}; ${counts}`;
};

/** A line for each old name that was used in one place; `layer` is what the place came to. */
const oldNameNotices = (named: NamedValues, layer: RawValues): string[] =>
  Object.entries(ALIASES).flatMap(([alias, name]) => {
    const value = named[alias];
    return value === undefined || value.text.trim() === '' ? [] : [oldNameNotice(alias, value, layer[name])];
  });

const KNOWN = [...Object.keys(VARIABLES), ...Object.keys(ALIASES)];
const SHORT = 5;

interface Name {
  readonly first: string;
  readonly rest: string;
}

const splitFirstWord = (name: string): Name => {
  const end = name.indexOf('_') + 1;
  return { first: name.slice(0, end), rest: name.slice(end) };
};

/** Mistakes that a first word of so many letters may have and still be told. */
const FIRST_WORD_MISTAKES = [
  { letters: 8, mistakes: 2 },
  { letters: 6, mistakes: 1 },
];

const hasSameLetters = (a: string, b: string): boolean => Array.from(a).toSorted().join('') === Array.from(b).toSorted().join('');

/**
 * A first word belongs to a program, and short ones are a letter apart that have nothing to do with each other: CPU and GPU,
 * SAML and YAML, BATCH and PATCH. So only the letters of a short one may be in another order.
 */
const isLikeFirstWord = (first: string, known: string): boolean => {
  const letters = known.length - 1;
  const limit = FIRST_WORD_MISTAKES.find((row) => letters >= row.letters)?.mistakes;
  const distance = editDistance(first, known);
  return limit === undefined ? distance === 1 && hasSameLetters(first, known) : distance <= limit;
};

/** How many mistakes make `given` of `known`, or undefined where it is another name: one of the two parts has to be right. */
const mistakesOf = (given: Name, known: Name): number | undefined => {
  if (given.first === known.first) {
    const mistakes = editDistance(given.rest, known.rest);
    return mistakes <= (known.rest.length < SHORT ? 1 : 2) ? mistakes : undefined;
  }
  return given.rest === known.rest && isLikeFirstWord(given.first, known.first) ? editDistance(given.first, known.first) : undefined;
};

/** The variable that was probably meant by a name of the environment. */
const meantBy = (name: string): string | undefined => {
  const given = splitFirstWord(name);
  if (given.first === '' || given.rest === '') return undefined;
  return KNOWN.flatMap((known) => {
    const mistakes = mistakesOf(given, splitFirstWord(known));
    return mistakes === undefined ? [] : [{ known, mistakes }];
  }).toSorted((a, b) => a.mistakes - b.mistakes)[0]?.known;
};

const LONGEST = 64;

/** A line for each name of the environment that is none of ours and very like one. */
const misspellingNotices = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment)
    .filter((name) => name.length <= LONGEST && /^[A-Z0-9]+_[A-Z0-9_]+$/.test(name) && !KNOWN.includes(name))
    .flatMap((name) => {
      const meant = meantBy(name);
      return meant === undefined ? [] : [`unknown environment variable ${name}; did you mean ${meant}?`];
    });

/** A line for each secret on the command line, where every user of the machine can read it. */
const visibleSecretNotices = (flags: NamedValues): string[] =>
  Object.entries(flags).flatMap(([name, { given, text }]) => {
    const variable = Object.entries(VARIABLES).find(([known]) => known === (ALIASES[name] ?? name))?.[1];
    return variable?.type === 'secret' && text !== ''
      ? [`${given ?? name} on the command line is visible to every user of this machine; set it in the environment or in service.yml`]
      : [];
  });

interface ServiceFile {
  /** What the file sets, by the names it uses: those of variables, and old ones. */
  readonly values: Readonly<Record<string, RawValue>>;
  readonly issues: readonly ConfigIssue[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_BYTES = 1024 * 1024;

const isVariable = (name: string): name is VariableName => Object.hasOwn(VARIABLES, name);

const variableOf = (name: string): VariableName | undefined => ALIASES[name] ?? (isVariable(name) ? name : undefined);

/** What is known of a file while it is read. */
class Reading {
  readonly #path: string;
  readonly #yaml = lateYaml();
  readonly #lines: LineCounter = new this.#yaml.LineCounter();
  readonly #environment: Environment;
  readonly values: Record<string, RawValue> = {};
  readonly issues: ConfigIssue[] = [];

  constructor(path: string, environment: Environment) {
    this.#path = path;
    this.#environment = environment;
  }

  read(text: string): void {
    // Keys that are there twice are found below: the check of the parser compares every key with every other one.
    const document = this.#yaml.parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false });
    // one broken character makes errors down to the end of the file
    const [first] = [...document.errors, ...document.warnings];
    if (first?.code === 'MULTIPLE_DOCS') this.#refuse(this.#at(first.pos[0]), 'contains more than one YAML document (---)');
    else if (first?.code === TOO_DEEP) this.#refuse(this.#at(first.pos[0]), NESTED_TOO_DEEPLY);
    else if (first !== undefined) this.#refuse(this.#at(first.pos[0]), `is not valid YAML: ${first.message}`);
    if (document.errors.length > 0 || document.contents === null) return;
    if (!this.#yaml.isMap(document.contents)) this.#refuse(this.#at(0), 'must contain sections such as "server:" with keys');
    else this.#readSections(document.contents.items);
  }

  #at(offset: number): string {
    return `${this.#path}:${this.#lines.linePos(offset).line}`;
  }

  #refuse(place: string, message: string, variable = ''): void {
    this.issues.push({ variable: variable === '' ? place : variable, message, ...(variable === '' ? {} : { place }) });
  }

  /** The key of a pair as text, and where it stands. */
  #keyOf({ key }: Pair): { readonly key: string; readonly place: string } {
    const text = this.#yaml.isScalar(key) ? asWritten(key) : '';
    return { key: text, place: this.#at(this.#yaml.isNode(key) ? (key.range?.[0] ?? 0) : 0) };
  }

  #readSections(pairs: readonly Pair[]): void {
    const seen = new Map<string, string>();
    for (const pair of pairs) {
      const { key: section, place } = this.#keyOf(pair);
      const keys = FILE_KEYS.get(section);
      const before = seen.get(section);
      seen.set(section, place);
      if (keys === undefined) this.#refuse(place, this.#unknownSection(section));
      else if (before !== undefined) this.#refuse(place, `has the section "${section}" twice, first at ${before}; merge them`);
      else if (this.#yaml.isMap(pair.value)) this.#readKeys(section, keys, pair.value.items);
      else if (!(pair.value === null || (this.#yaml.isScalar(pair.value) && pair.value.value === null)))
        this.#refuse(place, `has a value for the section "${section}"; use keys below it`);
    }
  }

  #unknownSection(section: string): string {
    const name = section.toUpperCase();
    const place = FILE_PLACES.get(variableOf(name) ?? 'CONFIG_FILE');
    if (place !== undefined) return `has "${section}" outside its section; use ${place.key} in the section ${place.section}:`;
    return `has an unknown section "${section}"${didYouMean(section, [...FILE_KEYS.keys()])}`;
  }

  #readKeys(section: string, keys: ReadonlyMap<string, string>, pairs: readonly Pair[]): void {
    for (const pair of pairs) {
      const { key, place } = this.#keyOf(pair);
      const name = keys.get(key);
      if (name === undefined) this.#refuse(place, this.#unknownKey(section, key, keys));
      else this.#set(name, `${section}.${key}`, place, pair);
    }
  }

  #unknownKey(section: string, key: string, keys: ReadonlyMap<string, string>): string {
    const elsewhere = FILE_PLACES.get(variableOf(key.toUpperCase()) ?? 'CONFIG_FILE');
    if (elsewhere !== undefined) return `has "${key}" in the section "${section}"; it belongs to "${elsewhere.section}"`;
    return `has an unknown key "${key}" in the section "${section}"${didYouMean(key, [...keys.keys()])}`;
  }

  #set(name: string, given: string, place: string, { value }: Pair): void {
    const variable = variableOf(name);
    if (variable === undefined) return; // the keys name only what there is
    const before = this.values[name];
    if (before !== undefined) {
      this.#refuse(place, `is set twice, first at ${before.place}; remove one`, given);
      return;
    }
    const text = toText(this.#yaml.isNode(value) ? value : null, VARIABLES[variable].type, this.#environment);
    if (text.ok) this.values[name] = { text: text.text, origin: 'file', place, given, ...(name === variable ? {} : { alias: name }) };
    else this.#refuse(place, text.message, given);
  }
}

/**
 * What `path`, a service.yml, sets, with `${NAME}` replaced by values of `environment` after it was parsed. Every mistake is an issue
 * with its line; nothing is thrown. `shownAs` is how messages call the file.
 */
const readServiceFile = (path: string, environment: Environment, shownAs = path): ServiceFile => {
  const reading = new Reading(shownAs, environment);
  try {
    const bytes = readRegularFile(path, MAX_BYTES);
    if (bytes.length > MAX_BYTES) return { values: {}, issues: [{ variable: shownAs, message: 'is larger than 1 MB' }] };
    reading.read(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // The file is missing or closed to us, is no file or no text, or is nested beyond all measure.
    return { values: {}, issues: [{ variable: shownAs, message: `cannot be read: ${readingFailure(error)}` }] };
  }
  return { values: reading.values, issues: reading.issues };
};

/**
 * The configuration of this process, which is `program` where it runs alone; where it is not valid, every mistake as a line on stderr and
 * the end of the process.
 */
export const loadOrExit = (flags: NamedValues = {}, program?: ProgramName): LoadedConfig => {
  try {
    return loadConfig({ ...processOptions(), flags, ...(program === undefined ? {} : { program }) });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const issue of error.issues) process.stderr.write(`configuration: ${describeIssue(issue)}\n`);
    return process.exit(EXIT.configuration);
  }
};
