import { escapeHtml } from '@sheaf/contract';
import type { DeliveryPayload } from '@sheaf/db/schema';
import type { Mail } from './mailer.ts';

export interface MailFacts {
  /** Where people reach the service, without a slash at its end. */
  readonly publicUrl: string;
  readonly deliveryId: string;
  readonly to: string;
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

interface ScreenLink {
  readonly words: string;
  readonly path: string;
}

const DOCUMENT = { words: 'Open document', path: '/documents/' };
const SOURCE = { words: 'Open source', path: '/sources/' };
const HEALTH = { words: 'Open service health', path: '/service-health' };
const PROFILE = { words: 'Open profile', path: '/profile' };
const NOTIFICATIONS = { words: 'Open notifications', path: '/notifications' };

const SOURCE_COMPONENT = 'source:';

const ofOne = ({ words, path }: ScreenLink, id: string): ScreenLink => ({ words, path: path + encodeURIComponent(id) });

/** The screen of the web client that is about what is told. */
const screenOf = ({ type, data }: DeliveryPayload): ScreenLink => {
  const { document_id: documentId, source_id: sourceId, component } = data;
  if (typeof documentId === 'string') return ofOne(DOCUMENT, documentId);
  if (typeof sourceId === 'string') return ofOne(SOURCE, sourceId);
  // alerts of sources go to their owners, all others to those who look after the service
  if (typeof component === 'string')
    return component.startsWith(SOURCE_COMPONENT) ? ofOne(SOURCE, component.slice(SOURCE_COMPONENT.length)) : HEALTH;
  return type === 'security' ? PROFILE : NOTIFICATIONS;
};

const toHtml = (title: string, lines: readonly string[], { words, path }: ScreenLink, publicUrl: string): string =>
  [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"></head><body>',
    `<h1 style="font-size: 1.2em">${escapeHtml(title)}</h1>`,
    `<p>${lines.map(escapeHtml).join('<br>\n')}</p>`,
    `<p><a href="${escapeHtml(publicUrl + path)}">${words}</a></p>`,
    `<p style="color: #666666">Sent by Sheaf, <a href="${escapeHtml(publicUrl)}">${escapeHtml(publicUrl)}</a></p>`,
    '</body></html>',
    '',
  ].join('\n');

/** A notification as a mail, in text and HTML. Nothing in it can become a header, a tag or another address. */
export const toNotificationMail = (payload: DeliveryPayload, { publicUrl, deliveryId, to }: MailFacts): Mail => {
  const title = toOneLine(payload.data.title);
  const lines = toLines(payload.data.message);
  const screen = screenOf(payload);
  return {
    to,
    subject: cut(title, MAX_SUBJECT_CHARACTERS),
    text: [...lines, '', publicUrl + screen.path, '', '-- ', `Sent by Sheaf, ${publicUrl}`, ''].join('\n'),
    html: toHtml(title, lines, screen, publicUrl),
    id: deliveryId,
  };
};
