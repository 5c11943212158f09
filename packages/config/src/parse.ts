import type { z } from 'zod';
import type { RawValues } from './layers.ts';
import { VARIABLES, type VariableName } from './variables.ts';

/** The parsed value of every variable, by name. */
export type Values = { readonly [N in VariableName]: z.output<(typeof VARIABLES)[N]['schema']> };

export interface ConfigIssue {
  readonly variable: string;
  readonly message: string;
}

/** Everything that is wrong with the configuration, at once. Ends a process with exit code 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map(({ variable, message }) => `${variable} ${message}`).join('\n'));
    this.issues = issues;
  }
}

export interface Parsed {
  /** Variables with an issue are missing here. */
  readonly values: Partial<Values>;
  readonly issues: readonly ConfigIssue[];
}

/** Parses every raw value with its own variable's schema. */
export const parseValues = (raw: RawValues): Parsed => {
  const values: Record<string, unknown> = {};
  const issues: ConfigIssue[] = [];
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const given = raw[name as VariableName];
    if (given === undefined) continue;
    const result = variable.schema.safeParse(given.text);
    if (result.success) values[name] = result.data;
    else issues.push({ variable: given.alias ?? name, message: result.error.issues.map((issue) => issue.message).join(', ') });
  }
  return { values, issues };
};
