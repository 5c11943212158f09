import type { NotificationBody } from '@sheaf/contract';
import type { Format } from '../language/format.ts';
import { type Language, named } from '../language/texts.ts';
import { failureWords } from './failure-words.ts';
import { ledgerWords } from './ledger-words.ts';
import { notificationMessages, notificationTitles, securityTitles } from './notification-words.ts';
import { sourceWords } from './source-words.ts';
import { type Details, say, type WordsByCode } from './words.ts';

type Given = Pick<NotificationBody, 'type' | 'title' | 'message' | 'data'>;

/** Why a document failed, where the service's words say more of it than the reason does. */
const moreOf = ({ reason, error }: Given['data'], format: Format): Details =>
  typeof error === 'string' && error !== say(failureWords.en, String(reason), {}, format) ? { error } : { error: undefined };

/** Title and message of a notification in the language of the reader; in the service's words where it has none of ours. */
export const tellNotification = (
  { type, title, message, data }: Given,
  language: Language,
  format: Format,
): { title: string; message: string } => {
  const byCode = (table: WordsByCode<string>, name: string): Details => {
    const code = data[name];
    return typeof code === 'string' ? { [name]: say(table[language], code, data, format) } : {};
  };
  const details: Details = {
    ...data,
    ...byCode(type === 'duplicate_skipped' ? ledgerWords : failureWords, 'reason'),
    ...byCode(sourceWords, 'code'),
    ...moreOf(data, format),
  };
  const action = typeof data['action'] === 'string' ? data['action'] : '';
  const ownTitle =
    type === 'security' ? say(securityTitles[language], action, details, format) : say(notificationTitles[language], type, details, format);
  return {
    title: ownTitle ?? named(title),
    message: say(notificationMessages[language], type, details, format) ?? named(message),
  };
};
