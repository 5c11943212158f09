import { escapeHtml } from '@sheaf/contract';
import type { DeliveryPayload } from '@sheaf/db/schema';
import { type NotificationText, notificationText, type Translator } from '@sheaf/messages';
import type { Mail } from './mailer.ts';

export interface MailFacts {
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
