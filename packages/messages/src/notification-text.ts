import { withoutBidiControls } from './bidi.ts';
import { importLogMessage } from './import-log-message.ts';
import { alertText } from './service-problem.ts';
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
