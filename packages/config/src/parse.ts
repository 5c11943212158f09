import type { z } from 'zod';
import type { RawValue, RawValues } from './layers.ts';
import { VARIABLES, type VariableName } from './variables.ts';

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
