import type { NotificationBody } from '@sheaf/contract/notifications';
import { type Details, type Translator, withoutBidiControls } from '@sheaf/messages';
import { importLogMessage } from './import-log-reason.ts';

type Given = Pick<NotificationBody, 'type' | 'title' | 'message' | 'data'>;

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
export const notificationText = ({ type, title, message, data }: Given, translator: Translator): { title: string; message: string } => {
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
    message: find(`notifications.messages.${type}`, details) ?? withoutBidiControls(message),
  };
};
