import { ALIASES } from './aliases.ts';
import { VARIABLES, type VariableName } from './variables.ts';

/** Where a value came from; later origins override earlier ones. */
export type Origin = 'default' | 'environment' | 'command line';

export interface RawValue {
  readonly text: string;
  readonly origin: Origin;
  /** The old name by which the value was given. */
  readonly alias?: string;
}

export type RawValues = Partial<Record<VariableName, RawValue>>;

const isVariable = (name: string): name is VariableName => Object.hasOwn(VARIABLES, name);

/** One layer of named texts as raw values. Unknown names are skipped: an environment is full of them. Empty text means unset. */
export const toLayer = (named: Readonly<Record<string, string | undefined>>, origin: Origin): RawValues => {
  const layer: RawValues = {};
  for (const [alias, name] of Object.entries(ALIASES)) {
    const text = named[alias];
    if (text !== undefined && text !== '') layer[name] = { text, origin, alias };
  }
  for (const [name, text] of Object.entries(named)) {
    if (isVariable(name) && text !== undefined && text !== '') layer[name] = { text, origin };
  }
  return layer;
};

const defaultLayer = (): RawValues =>
  toLayer(Object.fromEntries(Object.entries(VARIABLES).map(([name, variable]) => [name, variable.default])), 'default');

/** All layers in one, the later ones over the earlier ones, over the defaults. */
export const mergeLayers = (layers: readonly RawValues[]): RawValues => Object.assign({}, defaultLayer(), ...layers);
