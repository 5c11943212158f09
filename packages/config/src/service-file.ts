import type { LineCounter, Pair } from 'yaml';
import { ALIASES } from './aliases.ts';
import { FILE_KEYS, FILE_PLACES } from './file-places.ts';
import { lateYaml } from './late-yaml.ts';
import type { RawValue } from './layers.ts';
import { didYouMean } from './nearest.ts';
import type { ConfigIssue } from './parse.ts';
import { NESTED_TOO_DEEPLY, readingFailure, readRegularFile, TOO_DEEP } from './regular-file.ts';
import { VARIABLES, type VariableName } from './variables.ts';
import { asWritten, toText } from './yaml-text.ts';

export interface ServiceFile {
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
export const readServiceFile = (path: string, environment: Environment, shownAs = path): ServiceFile => {
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
