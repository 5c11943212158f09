import { type CompiledMessage, compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import en from '../locales/en.json' with { type: 'json' };
import type { CompiledCatalogue } from './translator.ts';

const MARKS: Readonly<Record<string, string>> = { select: '?', plural: '#' };

/** Marks the arguments of selects and plurals: they need the bare value of an argument that is shown as well, formatted, under its own name. */
const markArguments = (message: CompiledMessage): CompiledMessage => {
  if (!Array.isArray(message)) return message;
  return message.map((token) => {
    if (!Array.isArray(token)) return token;
    const [name, type, cases] = token;
    if (type === undefined || typeof cases !== 'object' || cases === null) return token;
    const branches = Object.entries(cases).map(([key, branch]) => [key, markArguments(branch as CompiledMessage)]);
    return [`${MARKS[type] ?? ''}${name}`, type, Object.fromEntries(branches)];
  }) as CompiledMessage;
};

/** Codes whose message the service may make more precise: what it says is compared with the English message of the code alone. */
const COMPARED = /^(?:failures|sources)\./;
const compared = Object.fromEntries(
  Object.entries(en).flatMap(([key, message]) => (COMPARED.test(key) ? [[`english.${key}`, message]] : [])),
);

/** A message in the form that a translator takes. Throws where it is not valid ICU. */
export const compileMessage = (message: string): CompiledMessage => markArguments(compileMessageOrThrow(message));

/** Compiles each message when it is first asked for: a program needs few of them, and the parser takes its time. */
export const compileLazily = (messages: Readonly<Record<string, string>>): CompiledCatalogue => {
  const catalogue = {};
  for (const [key, message] of Object.entries({ ...messages, ...compared })) {
    let compiled: CompiledCatalogue[string] | undefined;
    Object.defineProperty(catalogue, key, { enumerable: true, get: () => (compiled ??= compileMessage(message)) });
  }
  return catalogue;
};

/**
 * The messages of a language in the form that a translator takes. Throws at one that is not valid ICU. A further part of a catalogue goes without
 * the English messages that others are compared with.
 */
export const compileCatalogue = (
  messages: Readonly<Record<string, string>>,
  { isCompared = true }: { readonly isCompared?: boolean } = {},
): CompiledCatalogue =>
  Object.fromEntries(
    Object.entries({ ...messages, ...(isCompared ? compared : {}) }).map(([key, message]) => [key, compileMessage(message)]),
  );
