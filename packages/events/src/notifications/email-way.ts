import { connectionReason } from '@sheaf/contract';
import { chooseLocale } from '@sheaf/messages';
import { loadTranslator } from '@sheaf/messages/translators';
import type { Attempt, DeliveryWay } from './delivery-way.ts';
import { toErrorText } from './delivery-way.ts';
import type { Mailer } from './mailer.ts';
import { toNotificationMail } from './notification-mail.ts';

/** Of a server that goes on answering, but never comes to an end. */
const LIMIT_MS = 45_000;

interface EmailSettings {
  readonly mailer: Mailer;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly limitMs?: number;
}

/** What nodemailer tells of a refusal. */
const factsOf = (error: unknown): { status: number | null; command: string } => {
  const { responseCode, command } = error as { responseCode?: unknown; command?: unknown };
  return { status: typeof responseCode === 'number' ? responseCode : null, command: typeof command === 'string' ? command : '' };
};

/** The server will never take this mail, for this recipient. A refused sign-in or sender is a matter of settings, which change. */
const isRefusedForGood = (status: number | null, command: string): boolean =>
  status !== null && status >= 500 && status <= 599 && status !== 503 && (command === 'RCPT TO' || command === 'DATA');

const toFailure = (error: unknown): Attempt => {
  const { status, command } = factsOf(error);
  const connection = connectionReason(error);
  const remedy = connection?.kind === 'untrusted' ? '; add the CA with OUTBOUND_CA_FILE' : '';
  const reason = connection === undefined ? (error instanceof Error ? error.message : String(error)) : `${connection.text}${remedy}`;
  return { kind: 'undelivered', status, error: toErrorText(reason), isFinal: isRefusedForGood(status, command) };
};

/** Sends notifications as mail, in the language of the recipient. */
export const makeEmailWay = ({ mailer, publicUrl, limitMs = LIMIT_MS }: EmailSettings): DeliveryWay => ({
  send: async ({ id, recipient, payload, language }, signal) => {
    if (recipient === null) return { kind: 'undelivered', status: null, error: 'The e-mail has no recipient.', isFinal: true };
    const limit = AbortSignal.timeout(limitMs);
    try {
      const translator = await loadTranslator(chooseLocale(language === null ? [] : [language]));
      const mail = toNotificationMail(payload, { publicUrl, deliveryId: id, to: recipient, translator });
      await mailer.send(mail, AbortSignal.any([signal, limit]));
      return { kind: 'delivered', status: null };
    } catch (error) {
      signal.throwIfAborted();
      return limit.aborted
        ? {
            kind: 'undelivered',
            status: null,
            error: `The mail server did not accept the e-mail within ${limitMs / 1_000} s.`,
            isFinal: false,
          }
        : toFailure(error);
    }
  },
});
