import { createRequire } from 'node:module';
import type { Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';

type Substituted = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** `$${` is a plain `${`; then a name, and what stands in for it where it is unset; then what only looks like one. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g;

/** `text` with the values of `${NAME}` and `${NAME:-otherwise}` in it. What is put in is not read again. */
const substitute = (text: string, environment: Readonly<Record<string, string | undefined>>): Substituted => {
  const missing = new Set<string>();
  let isBroken = false;
  const replaced = text.replaceAll(REFERENCE, (whole, name: string | undefined, otherwise: string | undefined) => {
    if (whole === '$${') return '${';
    if (name === undefined) isBroken = true;
    else if (environment[name] !== undefined && (environment[name] !== '' || otherwise === undefined)) return environment[name];
    else if (otherwise === undefined) missing.add(name);
    return otherwise ?? '';
  });
  if (isBroken) return { ok: false, message: 'has a reference that is none; write ${NAME} or ${NAME:-otherwise}, and $${ for a plain ${' };
  if (missing.size === 0) return { ok: true, text: replaced };
  const names = [...missing].map((name) => `\${${name}}`).join(', ');
  return { ok: false, message: `refers to ${names}, which the environment does not have; set it, or write \${NAME:-otherwise}` };
};

/** A value of the file as the text that an environment variable would have, or what is wrong with it. */
export type YamlText = Substituted;

type Environment = Readonly<Record<string, string | undefined>>;

/** What a person wrote: numbers and switches stay as they are spelled. */
export const asWritten = ({ value, source }: Scalar): string => (typeof value === 'string' ? value : value === null ? '' : (source ?? ''));

const NO_ALIASES = 'must not use YAML anchors and aliases (*name)';

const listText = (node: YAMLSeq, environment: Environment): YamlText => {
  const { isAlias, isScalar } = lateYaml();
  const items: string[] = [];
  for (const item of node.items) {
    if (isAlias(item)) return { ok: false, message: NO_ALIASES };
    if (!isScalar(item)) return { ok: false, message: 'must be a list of scalar values' };
    const substituted = substitute(asWritten(item), environment);
    if (!substituted.ok) return substituted;
    if (substituted.text.includes(',')) return { ok: false, message: 'must be a list of values without commas' };
    items.push(substituted.text);
  }
  return { ok: true, text: items.join(',') };
};

/** Thrown inside `toJson` alone, where it saves each level from looking whether the one below failed. */
class NotPlain extends Error {}

const scalarValue = (node: Scalar, environment: Environment): unknown => {
  if (typeof node.value !== 'string') return node.value;
  const substituted = substitute(node.value, environment);
  if (!substituted.ok) throw new NotPlain(substituted.message);
  return substituted.text;
};

const entriesOf = (node: YAMLMap): [string, unknown][] => {
  const seen = new Set<string>();
  return node.items.map(({ key, value }) => {
    if (!lateYaml().isScalar(key)) throw new NotPlain('must be a map with text keys');
    const name = asWritten(key);
    if (seen.has(name)) throw new NotPlain(`must not have the key "${name}" twice`);
    seen.add(name);
    return [name, value];
  });
};

const toJson = (node: unknown, environment: Environment): unknown => {
  if (node === null || node === undefined) return null;
  const { isMap, isScalar, isSeq } = lateYaml();
  if (isScalar(node)) return scalarValue(node, environment);
  if (isSeq(node)) return node.items.map((item) => toJson(item, environment));
  if (isMap(node)) return Object.fromEntries(entriesOf(node).map(([name, value]) => [name, toJson(value, environment)]));
  throw new NotPlain(NO_ALIASES);
};

const jsonText = (node: YAMLMap, environment: Environment): YamlText => {
  try {
    return { ok: true, text: JSON.stringify(toJson(node, environment)) };
  } catch (error) {
    if (error instanceof NotPlain) return { ok: false, message: error.message };
    throw error;
  }
};

/** The text of one value, with its references replaced. `type` is that of the variable: lists may be lists, JSON may be a map. */
export const toText = (node: Node | null, type: string, environment: Environment): YamlText => {
  if (node === null) return { ok: true, text: '' };
  const { isMap, isScalar, isSeq } = lateYaml();
  if (isScalar(node)) return substitute(asWritten(node), environment);
  if (isSeq(node)) return type === 'list' ? listText(node, environment) : { ok: false, message: 'takes a single value, not a list' };
  if (isMap(node)) return type === 'JSON' ? jsonText(node, environment) : { ok: false, message: 'takes a single value, not a map' };
  return { ok: false, message: NO_ALIASES };
};

const load = createRequire(import.meta.url);

/** The YAML library, loaded with its first use: 70 small files that a process without a service.yml or a roles file does not need. */
export const lateYaml = (): typeof import('yaml') => load('yaml') as typeof import('yaml');
