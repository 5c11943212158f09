import { createHash } from 'node:crypto';
import { type Config, toConfig } from './config.ts';
import { crossCheck } from './cross-checks.ts';
import { readEnvironment } from './environment.ts';
import { mergeLayers, type RawValues, toLayer } from './layers.ts';
import { ConfigError, parseValues, type Values } from './parse.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** Every value with its origin, for reports. */
  readonly raw: RawValues;
  /** Equal for processes that were started with the same settings. */
  readonly hash: string;
}

export interface LoadOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Values given on the command line, by variable name. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
}

const hashOf = (raw: RawValues): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        Object.entries(raw)
          // the one value that differs between processes by design
          .filter(([name]) => name !== 'PROCESS_INSTANCE')
          .map(([name, value]) => `${name}=${value.text}`)
          .toSorted((a, b) => (a < b ? -1 : 1)),
      ),
    )
    .digest('hex')
    .slice(0, 16);

/** The configuration of this process: defaults, environment, command line, parsed once. Throws ConfigError naming every mistake. */
export const loadConfig = ({ environment = readEnvironment(), flags = {} }: LoadOptions = {}): LoadedConfig => {
  const raw = mergeLayers([toLayer(environment, 'environment'), toLayer(flags, 'command line')]);
  const { values, issues } = parseValues(raw);
  const all = [...issues, ...crossCheck(values, raw)];
  if (all.length > 0) throw new ConfigError(all);
  return { config: toConfig(values as Values, raw), raw, hash: hashOf(raw) };
};
