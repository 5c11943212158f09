import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';

/** How an argument is used: shown as it is, counted by a plural, or chosen by. */
export type ArgumentUse = 'plain' | 'plural' | 'select';

/** The arguments of a message by name, each with its uses. Throws where the message is not valid ICU. */
export const argumentsOf = (message: string): ReadonlyMap<string, ReadonlySet<ArgumentUse>> => {
  const found = new Map<string, Set<ArgumentUse>>();
  const visit = (tokens: unknown): void => {
    if (!Array.isArray(tokens)) return;
    for (const token of tokens) {
      if (!Array.isArray(token)) continue;
      const name = String(token[0]);
      const type: unknown = token[1];
      if (type !== undefined && type !== 'plural' && type !== 'select')
        throw new Error(`An argument of the message has a type that is not in use: ${message}`);
      found.set(name, (found.get(name) ?? new Set()).add(type ?? 'plain'));
      for (const branch of Object.values((token[2] ?? {}) as Readonly<Record<string, unknown>>)) visit(branch);
    }
  };
  visit(compileMessageOrThrow(message));
  return found;
};

const typeOf = (uses: ReadonlySet<ArgumentUse>): string => {
  if (uses.has('plural')) return uses.has('select') ? 'number | undefined' : 'number';
  return uses.has('select') ? 'string | boolean | undefined' : 'string | number';
};

/** The source of message-arguments.ts for the messages of a language. */
export const describeArguments = (messages: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(messages).flatMap(([key, message]) => {
    const fields = [...argumentsOf(message)].map(([name, uses]) => `    readonly ${name}: ${typeOf(uses)};`);
    return fields.length === 0 ? [] : [`  readonly '${key}': {`, ...fields, '  };'];
  });
  return [
    '// Generated from locales/en.json by `npm run messages`.',
    '',
    '/** The arguments of each message that has any. */',
    'export interface MessageArguments {',
    ...lines,
    '}',
    '',
  ].join('\n');
};
