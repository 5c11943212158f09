import { createRequire } from 'node:module';
import { connectionReason, escapeHtml, type Secret } from '@sheaf/contract';
import type { DeliveryPayload } from '@sheaf/db/schema';
import { chooseLocale, type NotificationText, notificationText, type Translator } from '@sheaf/messages';
import { loadTranslator } from '@sheaf/messages/translators';
import { type GuardedFetch, type GuardedResponse, OutboundError } from '@sheaf/outbound';
import type { Clock } from '@sheaf/process';
import type { createTransport as CreateTransport, Transporter } from 'nodemailer';
import { Webhook } from 'standardwebhooks';
import type { ClaimedDelivery } from './queries/deliveries.ts';

/** What became of one attempt. */
export type Attempt =
  | { readonly kind: 'delivered'; readonly status: number | null }
  | {
      readonly kind: 'undelivered';
      /** What the receiver answered, where it did. */
      readonly status: number | null;
      /** In words, without secrets: an administrator reads it. */
      readonly error: string;
      /** Whether no further attempt can change it. */
      readonly isFinal: boolean;
    };

/** A channel by which notifications leave. */
export interface DeliveryWay {
  /** Tries once, in bounded time. Throws only when `signal` was aborted: then it is not known whether it has arrived. */
  send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Attempt>;
}

const MAX_ERROR_CHARACTERS = 500;

/** What a stranger's server has said, fit to be kept and shown: PostgreSQL takes no NUL and no half of a character. */
export const toErrorText = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, MAX_ERROR_CHARACTERS)
    .toWellFormed();

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

interface MailFacts {
  /** Where people reach the service, without a slash at its end. */
  readonly publicUrl: string;
  readonly deliveryId: string;
  readonly to: string;
  /** Into the language of the recipient. */
  readonly translator: Translator;
}

const MAX_SUBJECT_CHARACTERS = 150;

/** Marks that turn the direction of the text around them, so that it reads as something else. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Titles carry the names of files, which may hold anything. */
const toOneLine = (text: string): string =>
  text
    .replaceAll(TURNING, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

const toLines = (text: string): string[] => text.split(/\r\n|[\r\n\u2028\u2029]/).map(toOneLine);

const cut = (text: string, characters: number): string => {
  const all = Array.from(text);
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join('')}…`;
};

const DOCUMENT = { label: 'notifications.mail.openDocument', path: '/documents/' } as const;
const SAVED_SEARCH = { label: 'notifications.mail.openSavedSearch', path: '/saved-searches/' } as const;
const SOURCE = { label: 'notifications.mail.openSource', path: '/sources/' } as const;
const HEALTH = { label: 'notifications.mail.openHealth', path: '/service-health' } as const;
const PROFILE = { label: 'notifications.mail.openProfile', path: '/profile' } as const;
const NOTIFICATIONS = { label: 'notifications.mail.openNotifications', path: '/notifications' } as const;

interface ScreenLink {
  readonly label: (typeof DOCUMENT | typeof SAVED_SEARCH | typeof SOURCE | typeof HEALTH | typeof PROFILE | typeof NOTIFICATIONS)['label'];
  readonly path: string;
}

const SOURCE_COMPONENT = 'source:';

const ofOne = ({ label, path }: ScreenLink, id: string): ScreenLink => ({ label, path: path + encodeURIComponent(id) });

/** The screen of the web client that is about what is told. */
const screenOf = ({ type, data }: DeliveryPayload): ScreenLink => {
  const { document_id: documentId, saved_search_id: searchId, source_id: sourceId, component } = data;
  if (typeof searchId === 'string') return ofOne(SAVED_SEARCH, searchId);
  if (typeof documentId === 'string') return ofOne(DOCUMENT, documentId);
  if (typeof sourceId === 'string') return ofOne(SOURCE, sourceId);
  // alerts of sources go to their owners, all others to those who look after the service
  if (typeof component === 'string')
    return component.startsWith(SOURCE_COMPONENT) ? ofOne(SOURCE, component.slice(SOURCE_COMPONENT.length)) : HEALTH;
  return type === 'security' ? PROFILE : NOTIFICATIONS;
};

/** As the service wrote it for readers of English. */
const textOf = ({ type, data }: DeliveryPayload, translator: Translator): NotificationText =>
  translator.locale === 'en' ? data : notificationText({ type, title: data.title, message: data.message, data }, translator);

const toHtml = (
  title: string,
  lines: readonly string[],
  { label, path }: ScreenLink,
  { publicUrl, translator }: Pick<MailFacts, 'publicUrl' | 'translator'>,
): string => {
  const url = escapeHtml(publicUrl);
  const sentBy = escapeHtml(translator.t('notifications.mail.sentBy', { url: publicUrl })).replace(
    url,
    () => `<a href="${url}">${url}</a>`,
  );
  return [
    '<!doctype html>',
    `<html lang="${translator.locale}"><head><meta charset="utf-8"></head><body>`,
    `<h1 style="font-size: 1.2em">${escapeHtml(title)}</h1>`,
    `<p>${lines.map(escapeHtml).join('<br>\n')}</p>`,
    `<p><a href="${escapeHtml(publicUrl + path)}">${escapeHtml(translator.t(label))}</a></p>`,
    `<p style="color: #666666">${sentBy}</p>`,
    '</body></html>',
    '',
  ].join('\n');
};

/** A notification as a mail, in text and HTML. Nothing in it can become a header, a tag or another address. */
export const toNotificationMail = (payload: DeliveryPayload, { publicUrl, deliveryId, to, translator }: MailFacts): Mail => {
  const written = textOf(payload, translator);
  const title = toOneLine(written.title);
  const lines = toLines(written.message);
  const screen = screenOf(payload);
  return {
    to,
    subject: cut(title, MAX_SUBJECT_CHARACTERS),
    text: [...lines, '', publicUrl + screen.path, '', '-- ', translator.t('notifications.mail.sentBy', { url: publicUrl }), ''].join('\n'),
    html: toHtml(title, lines, screen, { publicUrl, translator }),
    id: deliveryId,
  };
};

interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on port 465, STARTTLS on any other; a server without it gets no mail. */
  readonly useTls: boolean;
  readonly username: string;
  readonly password: Secret;
  readonly from: string;
}

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for those who read HTML. */
  readonly html?: string;
  /** Becomes its Message-ID: the same for each attempt, so that what was sent twice is seen to be one. A new one where none is given. */
  readonly id?: string;
}

/** The port on which a server speaks TLS from the first byte. */
const TLS_PORT = 465;
/** Of a server that takes connections and says nothing. */
const MAIL_TIMEOUT_MS = 15_000;

/** Of `papers@example.org` and of `Sheaf <papers@example.org>`. */
const domainOf = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'sheaf.invalid';

/** Hands mail to the mail server. */
export class Mailer {
  readonly #transport: Transporter;
  readonly #from: string;

  constructor({ host, port, useTls, username, password, from }: MailSettings) {
    this.#from = from;
    // loaded where there is mail to send: it takes 4 MB in each process that knows of mail
    const { createTransport } = createRequire(import.meta.url)('nodemailer') as { createTransport: typeof CreateTransport };
    this.#transport = createTransport({
      host,
      port,
      secure: useTls && port === TLS_PORT,
      requireTLS: useTls,
      ignoreTLS: !useTls,
      auth: { user: username, pass: password.reveal() },
      connectionTimeout: MAIL_TIMEOUT_MS,
      greetingTimeout: MAIL_TIMEOUT_MS,
      socketTimeout: MAIL_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Resolves when the server has taken it. When `signal` aborts, the connection ends and it is not known whether it has. */
  async send({ to, subject, text, html, id }: Mail, signal?: AbortSignal): Promise<void> {
    await this.#transport.sendMail({
      from: this.#from,
      // The address as an object: as text it could be read as several.
      to: { name: '', address: to },
      subject,
      text,
      // No machine that is away answers to what another machine has written.
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(html === undefined ? {} : { html }),
      ...(id === undefined ? {} : { messageId: `<${id}@${domainOf(this.#from)}>` }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

const PREFIX = 'whsec_';

/** The bytes of the key: `whsec_` and base64 as services of the convention give them out, or the bytes of any other text. */
const keyOf = (secret: string): Uint8Array =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : new TextEncoder().encode(secret);

/** Signs bodies in the way of Standard Webhooks: what it answers is the `webhook-signature`. */
const makeWebhookSigner = (secret: Secret): ((id: string, at: Date, body: string) => string) => {
  const webhook = new Webhook(keyOf(secret.reveal()), { format: 'raw' });
  return (id, at, body) => webhook.sign(id, at, body);
};

const WEBHOOK_TIMEOUT_MS = 15_000;
const GONE = 410;

interface WebhookSettings {
  readonly url: string;
  /** Undefined: they are not signed. */
  readonly secret: Secret | undefined;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  /** For all of one attempt. */
  readonly timeoutMs?: number;
}

/** JSON in the database has no order; this is the one people expect. */
const toBody = ({ type, timestamp, data }: DeliveryPayload): string => JSON.stringify({ type, timestamp, data });

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

const toAttempt = (status: number): Attempt => {
  if (isSuccess(status)) return { kind: 'delivered', status };
  if (status === GONE) return { kind: 'undelivered', status, error: 'The receiver returned 410 Gone.', isFinal: true };
  return { kind: 'undelivered', status, error: `The receiver returned status ${status}.`, isFinal: false };
};

const wordsOf = (error: unknown): string => {
  if (error instanceof OutboundError && error.code === 'too_many_redirects')
    return 'The receiver returned a redirect, which is not followed. Set WEBHOOK_URL to the final URL.';
  return error instanceof Error ? error.message : String(error);
};

/** Nothing depends on what stands in an answer, and a large or slow one must cost nothing. */
const statusOf = ({ status, body }: GuardedResponse): number => {
  body.destroy();
  return status;
};

/**
 * Posts notifications to one address, in the way of Standard Webhooks. The id is the delivery's, the same at each attempt, so that
 * a receiver knows what it has already; the time is that of the attempt, as receivers refuse what is too old.
 */
export const makeWebhookWay = ({ url, secret, fetch, clock, timeoutMs = WEBHOOK_TIMEOUT_MS }: WebhookSettings): DeliveryWay => {
  const sign = secret && makeWebhookSigner(secret);
  const headersOf = (id: string, body: string): Record<string, string> => {
    const now = clock.now();
    return {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      ...(sign && { 'webhook-signature': sign(id, now, body) }),
    };
  };
  return {
    send: async ({ id, payload }, signal) => {
      const body = toBody(payload);
      const request = { method: 'POST', headers: headersOf(id, body), body, signal, timeoutMs, maxRedirects: 0 };
      try {
        return toAttempt(statusOf(await fetch(url, { ...request, maxResponseBytes: Number.MAX_SAFE_INTEGER })));
      } catch (error) {
        signal.throwIfAborted();
        return { kind: 'undelivered', status: null, error: toErrorText(wordsOf(error)), isFinal: false };
      }
    },
  };
};
