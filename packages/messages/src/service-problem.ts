import { withoutBidiControls } from './bidi.ts';
import type { Details, Translator } from './translator.ts';

/**
 * The message of a problem of the service by its code; undefined where there is none. What a part reports because of an error has the
 * code of that error. A problem of a source, which has a message of its own, is named by its code.
 */
export const serviceProblemText = ({ find }: Pick<Translator, 'find'>, code: string, details: Details): string | undefined => {
  const { source_problem: source } = details;
  const given = typeof source === 'string' ? { ...details, source_problem: find(`sources.${source}`) } : details;
  return find(`serviceProblems.${code}`, given) ?? find(`errors.${code}`, given);
};

/** A problem as it comes over the wire. */
interface WrittenProblem {
  readonly code: string;
  readonly message: string;
  readonly details: Details;
}

/** Problems in the language of a translator; as the service wrote them where there is no message for their codes. */
export const problemsText = (problems: readonly WrittenProblem[], translator: Pick<Translator, 'find'>): string =>
  problems.map(({ code, details, message }) => serviceProblemText(translator, code, details) ?? withoutBidiControls(message)).join('; ');

const isProblem = (value: unknown): value is WrittenProblem => {
  const { code, message, details } = (value ?? {}) as Partial<Record<keyof WrittenProblem, unknown>>;
  return typeof code === 'string' && typeof message === 'string' && typeof details === 'object' && details !== null;
};

/** What an alert reports; undefined for one of a version that wrote no problems. */
export const alertText = (problems: unknown, translator: Pick<Translator, 'find'>): string | undefined =>
  Array.isArray(problems) && problems.length > 0 && problems.every(isProblem) ? problemsText(problems, translator) : undefined;
