import { withoutBidiControls } from './bidi.ts';
import type { Details, Translator } from './translator.ts';

/** A notification as the service wrote it, in English. */
interface WrittenNotification {
  readonly type: string;
  readonly title: string;
  readonly message: string;
  readonly data: Details;
}

export interface NotificationText {
  readonly title: string;
  readonly message: string;
}

/** `{ [name]: message }` of the code in data[name]; nothing where there is no code. */
const messageOf = (data: Details, name: string, find: (code: string) => string | undefined): Details => {
  const code = data[name];
  return typeof code === 'string' ? { [name]: find(code) } : {};
};

/** The service's own error of a failed document, where it says more than the reason does. */
const furtherError = ({ reason, error }: Details, { find }: Translator): Details => ({
  error: typeof error === 'string' && error !== find(`english.failures.${String(reason)}`) ? error : undefined,
});

/** Title and message of a notification in the language of the translator; as the service wrote them where there is no message for them. */
export const notificationText = ({ type, title, message, data }: WrittenNotification, translator: Translator): NotificationText => {
  const { find } = translator;
  const details: Details = {
    ...data,
    ...messageOf(data, 'reason', (code) =>
      type === 'duplicate_skipped' ? importLogMessage(code, data, translator) : find(`failures.${code}`, data),
    ),
    ...messageOf(data, 'code', (code) => find(`sources.${code}`, data)),
    ...(type === 'ocr_failed' ? furtherError(data, translator) : {}),
  };
  const ownTitle = type === 'security' ? `security.${String(data['action'])}` : `titles.${type}`;
  return {
    title: find(`notifications.${ownTitle}`, details) ?? withoutBidiControls(title),
    message:
      (type === 'alert' ? alertText(data['problems'], translator) : find(`notifications.messages.${type}`, details)) ??
      withoutBidiControls(message),
  };
};

/** The message of a code of the import log; undefined where there is none. A file that is refused has the message of the error. */
export const importLogMessage = (code: string, details: Details, { find }: Pick<Translator, 'find'>): string | undefined => {
  const problem = typeof details['problem'] === 'string' ? { problem: find(`sources.${details['problem']}`) } : {};
  return find(`importLog.${code}`, { ...details, ...problem }) ?? find(`errors.${code}`, details);
};

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
